package postgres

import "context"

// OnReplica says where the reads of a context's request go.
func (s *Store) OnReplica(ctx context.Context) bool { return s.reads.at(ctx) != nil }
