package hop

import "sync"

// sizeCache keeps what was made for the last few values of the symbols of a graph; the oldest is dropped. It is safe for
// concurrent use.
type sizeCache[V any] struct {
	mu sync.Mutex
	latest[V]
}

// maxSized bounds a cache.
const maxSized = 64

// get returns the value for key, made if there is none. Two callers may make it at once; both get the first.
func (c *sizeCache[V]) get(key string, create func() V) V {
	c.mu.Lock()
	v, known := c.byKey[key]
	c.mu.Unlock()
	if known {
		return v
	}
	v = create()
	c.mu.Lock()
	defer c.mu.Unlock()
	if first, known := c.byKey[key]; known {
		return first
	}
	c.put(key, v, maxSized)
	return v
}
