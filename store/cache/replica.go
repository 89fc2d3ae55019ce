package cache

import "example.org/backoffice/backoffice"

// An answer of a replica is of the replica's snapshot. The primary would answer the same if nothing that was read
// changed between that snapshot and a poll that began after the request came in: the store waits for such a poll before
// a replica may answer. If something changed, the primary answers the request.

// leaveReplica keeps the rest of the request on the primary.
func (p *attempt) leaveReplica() {
	backoffice.SessionOf(p.ctx).StayOnPrimary()
	p.replica = false
	p.of.RenewSnapshot(p.ctx)
}

// snapshotChanged is the error of a query that the primary must answer again: a replica could be behind once more.
func (p *attempt) snapshotChanged() error {
	if p.replica {
		p.leaveReplica()
	}
	p.of.moved.Add(1)
	return backoffice.SnapshotChanged()
}

// valid reports whether the primary would still have given the same answer.
func (p *attempt) valid() bool {
	valid := func(at key, depends nounSet) bool { return p.of.log.untouched(p.readAt, at, depends) }
	for _, read := range p.reads {
		if !read.eachDep(p, valid) {
			return false
		}
	}
	return true
}

// untouched reports whether no change after a version affects a key, or the nouns that its answer depends on.
func (l *log) untouched(as version, k key, depends nounSet) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.validAs(as, k, depends)
}

// validAs is untouched, called under mu.
func (l *log) validAs(as version, k key, depends nounSet) bool {
	return as.history == l.now.history && as.at >= l.from && l.touched[k] <= as.at && !l.changedSince(depends, as.at)
}

// onAnswers calls a function with the keys of queries about parents, until it returns false.
func onAnswers(of view, parents []string, depends nounSet, on func(key, nounSet) bool) bool {
	if depends != 0 {
		return len(parents) == 0 || on(key{}, depends)
	}
	return onAll(lists, of, parents, on)
}

func onAll(k kind, of view, ids []string, on func(key, nounSet) bool) bool {
	for _, id := range ids {
		if !on(key{k, of, id}, 0) {
			return false
		}
	}
	return true
}

func (f *find[T, C]) eachDep(p *attempt, on func(key, nounSet) bool) bool {
	return onAll(aRow, f.view, f.missing, on) &&
		(!p.within.isSet() || onAnswers(f.view, f.missing, f.depends(p), on))
}

// eachDep also names rows read with a list: an update of one does not affect a list that depends on its members.
func (l *listRead[T, C]) eachDep(p *attempt, on func(key, nounSet) bool) bool {
	for i := range l.got {
		for _, row := range l.got[i].Items {
			if !on(key{aRow, l.view, row.Identity()}, 0) {
				return false
			}
		}
	}
	return onAnswers(l.view, l.missing, l.depends(p), on) && onAll(aRow, l.view, l.lacking, on) &&
		(!p.within.isSet() || onAnswers(l.view, l.lacking, l.depends(p), on)) // whether those are visible
}

func (r *valueRead[C, V]) eachDep(p *attempt, on func(key, nounSet) bool) bool {
	return onAnswers(r.view, r.missing, r.depends(p), on)
}

func (r *nounRead) eachDep(p *attempt, on func(key, nounSet) bool) bool {
	if p.within.isSet() {
		return false
	}
	for i, id := range r.missing {
		// Entries of the register are in no change log.
		if r.got[i].Index() < 0 || !on(key{kind: aNoun, id: id}, 0) {
			return false
		}
	}
	return true
}

// What is not cached is in no change log.
func (r *directRead) eachDep(*attempt, func(key, nounSet) bool) bool { return false }
