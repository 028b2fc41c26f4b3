// Package hopio reads and writes tensors of package hop: .npy and .npz as NumPy has them, safetensors, and CSV.
//
//	format       one tensor or many   functions
//	.npy         one                  [ReadNPY], [WriteNPY], [LoadNPY], [SaveNPY]
//	.npz         many, by name        [ReadNPZ], [WriteNPZ], [LoadNPZ], [SaveNPZ]
//	safetensors  many, by name        [ReadSafetensors], [WriteSafetensors], [LoadSafetensors], [SaveSafetensors]
//	CSV          one, [row, column]   [ReadCSV], [WriteCSV], [LoadCSV], [SaveCSV]
//	a pytree     .npz or safetensors  [LoadTree], [SaveTree], [Flatten], [Unflatten]
//	a program    one                  [hop.Load], [hop.Program.Save], [LoadProgram], [SaveProgram]
//
// Read and Write work on streams, Load and Save on files. Save writes a temporary file beside the target and renames it
// when it is complete, so that a reader sees the old file or the new one and never a part. The same tensors always give
// the same bytes, in .npy files those that NumPy writes (compared with 1.24).
//
// # Dtypes
//
// bool, int32, int64, float32 and float64 are read as they are, little-endian or big-endian. The dtypes int8, uint8,
// int16, uint16, uint32, uint64, float16 and bfloat16 have no tensor of their own: [Widen] reads them into a larger dtype
// that holds every value exactly, and without it they are an error. Nothing is ever rounded.
//
// # Tensors
//
// Any strides are written right, a tensor of a gradient tape like any other. Every tensor that is read is contiguous and
// owns its storage. Tensors without dims and without elements come back as they were. To write the values of a tensor
// that stands for an input of a traced body is refused as every read of it (HOP501).
//
// # Errors
//
// A malformed file is an *[Error] with file, entry, place, what was found and what was expected. Sizes that a file claims
// are checked against the bytes that are there before memory is allocated for them. A compressed .npz file can still
// hold a thousand times its own size; [MaxBytes] bounds what is read from a file that is not trusted.
//
// # Libraries
//
// The two binary formats are read and written by this package itself, because the library npyio v0.14.0 panics on
// malformed headers, allocates what a header claims and does not read version 3.0, and no released Go library for
// safetensors was found; CSV is left to encoding/csv and the container of .npz to archive/zip.
//
// Sources: the .npy format versions 1.0 to 3.0 as documented in numpy.lib.format (first proposed as NEP 1); the format
// section of the safetensors README and the checks of its reference implementation.
package hopio
