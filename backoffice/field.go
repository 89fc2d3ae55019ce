package backoffice

import "strings"

// textField is an optional text. parse checks it and returns its stored form; nil if other fields decide.
func textField[T any](name string, at func(*T) *Text, parse func(string) (string, error)) WritableField[T] {
	f := WritableField[T]{Name: name, At: at, Optional: true}
	if path := strings.Split(name, "."); parse != nil {
		f.check = func(record *T, check *checker) { canonical(check, at(record), parse, path...) }
	}
	return f
}

func requiredField[T any](name string, at func(*T) *string, parse func(string) (string, error)) WritableField[T] {
	return WritableField[T]{Name: name, At: at, check: func(record *T, check *checker) {
		if *at(record) == "" {
			check.add(CodeRequired, "this field is required", name)
			return
		}
		canonical(check, at(record), parse, name)
	}}
}

// referenceField is the identifier of another record. Only a store can tell whether the record exists.
func referenceField[T any](name string, to Noun, at func(*T) *string) WritableField[T] {
	check := func(record *T, check *checker) { check.reference(*at(record), name) }
	return WritableField[T]{Name: name, At: at, Refers: to, check: check}
}

func optionalReference[T any](name string, to Noun, at func(*T) *string) WritableField[T] {
	return WritableField[T]{Name: name, At: at, Refers: to, Optional: true, check: func(record *T, check *checker) {
		if id := *at(record); id != "" {
			check.reference(id, name)
		}
	}}
}

// wordField is one of a few words and is required. parse reads the specification's word for it, which Label returns;
// nil where they are the same. wrong is the message for any other word; "" if other fields check it.
func wordField[T any, S ~string](
	name string, at func(*T) *S, known []S, parse func(string) (S, error), wrong string,
) WritableField[T] {
	word := Word[T]{
		Get: func(record *T) string { return string(*at(record)) },
		Set: func(record *T, word string) { *at(record) = S(word) },
	}
	isKnown := map[S]bool{}
	for _, one := range known {
		word.Known, isKnown[one] = append(word.Known, string(one)), true
	}
	if parse != nil {
		word.Label = func(word string) string { return any(S(word)).(interface{ Label() string }).Label() }
		word.Parse = func(label string) (string, error) { word, err := parse(label); return string(word), err }
	}
	f := WritableField[T]{Name: name, At: word}
	if wrong != "" {
		f.check = func(record *T, check *checker) {
			switch word := *at(record); {
			case word == "":
				check.add(CodeRequired, "this field is required", name)
			case !isKnown[word]:
				check.add(CodeInvalid, wrong, name)
			}
		}
	}
	return f
}

// listField is a list of texts without blanks, which may be empty; to is the noun that they identify, if any.
func listField[T any](name string, to Noun, at func(*T) *[]string, check func(*T, *checker)) WritableField[T] {
	return WritableField[T]{Name: name, At: at, Refers: to, Optional: true, check: check}
}

// madeField is the time at which a record was made, changed or imported. Every writer sets it.
func madeField[T any](name string, at func(*T) *Instant) WritableField[T] {
	return WritableField[T]{Name: name, At: at}
}

func momentField[T any](name string, at func(*T) *Instant) WritableField[T] {
	return WritableField[T]{Name: name, At: at, check: func(record *T, check *checker) {
		if at(record).IsZero() {
			check.add(CodeRequired, "this field is required", name)
		}
	}}
}

// notedField may be missing and is not checked: the time of an event, or a flag, for which null is false.
func notedField[T, V any](name string, at func(*T) *V) WritableField[T] {
	return WritableField[T]{Name: name, At: at, Optional: true}
}

func plainField[T, V any](name string, at func(*T) *V, check func(*T, *checker)) WritableField[T] {
	return WritableField[T]{Name: name, At: at, check: check}
}

// plainText accepts any text of up to MaxText characters.
func plainText(text string) (string, error) { return text, CheckText(text, MaxText) }

// labelled returns the word that has a label. Errors: BadInput with the message wrong.
func labelled[S interface {
	~string
	Label() string
}](words []S, label, wrong string) (S, error) {
	for _, word := range words {
		if word.Label() == label {
			return word, nil
		}
	}
	return "", Errorf(BadInput, "%s", wrong)
}
