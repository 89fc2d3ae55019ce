package cache

import "example.org/backoffice/backoffice"

// An answer of a replica is of the replica's snapshot. The primary would answer the same if nothing that was read
// changed between that snapshot and a poll that began after the request came in: the store waits for such a poll before
// a replica may answer. If something changed, the primary answers the request.

// leaveReplica keeps the rest of the request on the primary.
func (p *pass) leaveReplica() {
	backoffice.SessionOf(p.ctx).StayOnPrimary()
	p.replica = false
	p.of.RenewSnapshot(p.ctx)
}

// readAgain is the error of a query that the primary must answer again: a replica could be behind once more.
func (p *pass) readAgain() error {
	if p.replica {
		p.leaveReplica()
	}
	p.of.moved.Add(1)
	return backoffice.Moved()
}

// stands reports whether the primary would still have given the same answer.
func (p *pass) stands() bool {
	for _, read := range p.reads {
		if !read.stands(p) {
			return false
		}
	}
	return true
}

// untouched reports whether no change after a moment affects a key, or the nouns that its answer depends on.
func (l *log) untouched(as moment, p place, depends nounSet) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.standsAs(as, p, depends)
}

// standsAs is untouched, called under mu.
func (l *log) standsAs(as moment, p place, depends nounSet) bool {
	return as.history == l.now.history && as.at >= l.from && l.touched[p] <= as.at && !l.changedSince(depends, as.at)
}

// answersStand is the same for queries about parents.
func (p *pass) answersStand(of view, parents []string, depends nounSet) bool {
	if depends != 0 {
		return len(parents) == 0 || p.of.log.untouched(p.then, place{}, depends)
	}
	for _, parent := range parents {
		if !p.of.log.untouched(p.then, place{lists, of, parent}, 0) {
			return false
		}
	}
	return true
}

func (p *pass) rowsStand(of view, ids []string) bool {
	for _, id := range ids {
		if !p.of.log.untouched(p.then, place{aRow, of, id}, 0) {
			return false
		}
	}
	return true
}

func (f *find[T, C]) stands(p *pass) bool {
	return p.rowsStand(f.view, f.missing) && (!p.within.isSet() || p.answersStand(f.view, f.missing, f.depends(p)))
}

// stands also checks rows read with a list: an update of one does not affect a list that depends on its members.
func (l *listRead[T, C]) stands(p *pass) bool {
	for i := range l.got {
		for _, row := range l.got[i].Items {
			if !p.of.log.untouched(p.then, place{aRow, l.view, row.Identity()}, 0) {
				return false
			}
		}
	}
	return p.answersStand(l.view, l.missing, l.depends(p)) && p.rowsStand(l.view, l.lacking)
}

func (r *valueRead[C, V]) stands(p *pass) bool {
	return p.answersStand(r.view, r.missing, r.depends(p))
}

func (r *nounRead) stands(p *pass) bool {
	if p.within.isSet() {
		return false
	}
	for i, id := range r.missing {
		// Entries of the register are in no change log.
		if r.got[i].Index() < 0 || !p.of.log.untouched(p.then, place{kind: aNoun, id: id}, 0) {
			return false
		}
	}
	return true
}

// What is not cached is in no change log.
func (r *pastRead) stands(*pass) bool { return false }
