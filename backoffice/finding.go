package backoffice

// Finding is what doctor reports about one thing that a server needs.
type Finding struct {
	What   string // such as "keyset"
	Found  string // its state, without a secret
	Advice string // what to do; "" when all is well
	Failed bool   // a server would not work, or not safely; false with advice is only a warning
}

func Pass(what, found string) Finding { return Finding{What: what, Found: found} }

// Warn is a warning: a server works all the same.
func Warn(what, found, advice string) Finding {
	return Finding{What: what, Found: found, Advice: advice}
}

func Fail(what, found, advice string) Finding {
	return Finding{What: what, Found: found, Advice: advice, Failed: true}
}
