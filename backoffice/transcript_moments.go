package backoffice

// The times of a transcript: created, completed, sent, document generated. They are stored since version 9 of the
// schema, whose migration took older ones from the change log by the same rules. Unknown times are zero.

// Happened sets the times of a change. Completing a reopened transcript, or replacing its document, sets a new time.
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

// dropMoments clears the times of what is no longer so.
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
