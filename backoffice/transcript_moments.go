package backoffice

// What a transcript tells of its turnaround: when it was created, completed, sent, and when its document was generated.
// A moment is zero when it is not known: nobody noted it before version 9 of the schema, but for the change log, from
// which the schema's step took what it tells by the same rules.

// Happened notes, at a change of a transcript that was before, what happened to it by that change. What is completed
// again after it was reopened is completed at that moment, and a document that replaces another is generated at it.
func (t *Transcript) Happened(before *Transcript, at Instant) {
	if t.IsCompleted && !before.IsCompleted {
		t.CompletedAt = at
	}
	if t.DocumentGenerated && (!before.DocumentGenerated || !t.Document.Same(before.Document)) {
		t.DocumentGeneratedAt = at
	}
	if t.OwnStatus == Sent && before.OwnStatus != Sent {
		t.SentAt = at
	}
	t.dropMoments()
}

// dropMoments forgets when something happened that is not so any more.
func (t *Transcript) dropMoments() {
	if !t.IsCompleted {
		t.CompletedAt = 0
	}
	if !t.DocumentGenerated {
		t.DocumentGeneratedAt = 0
	}
	if t.OwnStatus != Sent {
		t.SentAt = 0
	}
}
