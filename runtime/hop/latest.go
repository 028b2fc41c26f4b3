package hop

import "slices"

// latest keeps the values of the last few keys; the oldest key is dropped first. It takes no lock.
type latest[V any] struct {
	byKey map[string]V
	order []string // oldest first
}

// put adds a key that is not there; at most limit are kept.
func (l *latest[V]) put(key string, v V, limit int) {
	if l.byKey == nil {
		l.byKey = map[string]V{}
	}
	if len(l.order) >= limit {
		delete(l.byKey, l.order[0])
		l.order = l.order[1:]
	}
	l.order = append(l.order, key)
	l.byKey[key] = v
}

// drop forgets a key.
func (l *latest[V]) drop(key string) {
	delete(l.byKey, key)
	if i := slices.Index(l.order, key); i >= 0 {
		l.order = slices.Delete(l.order, i, i+1)
	}
}
