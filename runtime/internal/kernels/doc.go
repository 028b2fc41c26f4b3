// Package kernels computes: it turns windows on memory into windows on memory and knows neither tensors nor graphs.
//
// The eager dispatcher and the executor of traced graphs call the same kernels, so both modes agree to the bit where
// they call them on the same layout. A kernel never allocates its results, never keeps a window, never writes an input.
package kernels
