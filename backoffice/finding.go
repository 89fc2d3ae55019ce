package backoffice

// Finding is what doctor has seen of one thing that a server needs.
type Finding struct {
	What   string // such as "keyset"
	Found  string // what there is, without a secret
	Advice string // what to do; "" when all is well
	Wrong  bool   // a server would not work, or not safely; with advice and without this, something is better mended
}

// Fine, Doubtful and Wrong make findings.
func Fine(what, found string) Finding { return Finding{What: what, Found: found} }

// Doubtful is a finding that does not keep a server from working.
func Doubtful(what, found, advice string) Finding {
	return Finding{What: what, Found: found, Advice: advice}
}

func Wrong(what, found, advice string) Finding {
	return Finding{What: what, Found: found, Advice: advice, Wrong: true}
}
