package cache

import "example.org/backoffice/backoffice"

// What a replica answers is of the moment that it shows. It is what the primary would have answered as well when
// nothing that it was asked for was changed between that moment and a look which began after the request came in: the
// store waits for one before it lets a replica answer. If something was, the request is answered by the primary.

// leaveReplica keeps the rest of the request on the primary.
func (p *pass) leaveReplica() {
	backoffice.SessionOf(p.ctx).StayOnPrimary()
	p.replica = false
	p.of.RenewSnapshot(p.ctx)
}

// readAgain is the error of a query that the primary has to answer again: a replica could be behind once more.
func (p *pass) readAgain() error {
	if p.replica {
		p.leaveReplica()
	}
	p.of.moved.Add(1)
	return backoffice.Moved()
}

// stands reports whether the primary would have answered the same by now.
func (p *pass) stands() bool {
	for _, read := range p.reads {
		if !read.stands(p) {
			return false
		}
	}
	return true
}

// untouched reports whether no change behind a moment has touched a place, or the nouns that its answer depends on.
func (l *log) untouched(as moment, p place, depends nounSet) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.standsAs(as, p, depends)
}

// standsAs is untouched, for those who hold mu.
func (l *log) standsAs(as moment, p place, depends nounSet) bool {
	return as.history == l.now.history && as.at >= l.from && l.touched[p] <= as.at && !l.changedSince(depends, as.at)
}

// answersStand says it of what is asked about parents.
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

// stands looks at the rows that were read with a list as well: where a list depends on who is in it, no update of one
// touches it.
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

// What memory has nothing of is in no change log.
func (r *pastRead) stands(*pass) bool { return false }
