package backoffice

import "strings"

// textField is a text that may be missing, which parse checks and brings into its stored form; nil for a text of which
// other fields decide what it may be.
func textField[T any](name string, at func(*T) *Text, parse func(string) (string, error)) WritableField[T] {
	f := WritableField[T]{Name: name, At: at, Optional: true}
	if path := strings.Split(name, "."); parse != nil {
		f.check = func(record *T, check *checker) { canonical(check, at(record), parse, path...) }
	}
	return f
}

// requiredField is a text that may not be missing.
func requiredField[T any](name string, at func(*T) *string, parse func(string) (string, error)) WritableField[T] {
	return WritableField[T]{Name: name, At: at, check: func(record *T, check *checker) {
		if *at(record) == "" {
			check.add(CodeRequired, "this field is required", name)
			return
		}
		canonical(check, at(record), parse, name)
	}}
}

// referenceField is the identifier of another record. Whether something has it, only a store can tell.
func referenceField[T any](name string, to Noun, at func(*T) *string) WritableField[T] {
	return WritableField[T]{Name: name, At: at, Refers: to, check: func(record *T, check *checker) { check.reference(*at(record), name) }}
}

// optionalReference is one that may be missing.
func optionalReference[T any](name string, to Noun, at func(*T) *string) WritableField[T] {
	return WritableField[T]{Name: name, At: at, Refers: to, Optional: true, check: func(record *T, check *checker) {
		if id := *at(record); id != "" {
			check.reference(id, name)
		}
	}}
}

// wordField is one of a few words, which may not be missing. parse reads the specification's word for it, which its
// Label is; nil where they are the same. wrong is told of another word; "" for a word that other fields decide on.
func wordField[T any, S ~string](
	name string, at func(*T) *S, known []S, parse func(string) (S, error), wrong string,
) WritableField[T] {
	word := Word[T]{Get: func(record *T) string { return string(*at(record)) }, Set: func(record *T, word string) { *at(record) = S(word) }}
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

// listField is a list of texts without blanks, which may be empty; to is the noun that they identify, if they do.
func listField[T any](name string, to Noun, at func(*T) *[]string, check func(*T, *checker)) WritableField[T] {
	return WritableField[T]{Name: name, At: at, Refers: to, Optional: true, check: check}
}

// madeField is the moment at which a record was made or changed, or came: everybody who makes one sets it.
func madeField[T any](name string, at func(*T) *Instant) WritableField[T] {
	return WritableField[T]{Name: name, At: at}
}

// momentField is one that may not be missing.
func momentField[T any](name string, at func(*T) *Instant) WritableField[T] {
	return WritableField[T]{Name: name, At: at, check: func(record *T, check *checker) {
		if at(record).IsZero() {
			check.add(CodeRequired, "this field is required", name)
		}
	}}
}

// notedField is a moment that is noted when something happens.
func notedField[T any](name string, at func(*T) *Instant) WritableField[T] {
	return WritableField[T]{Name: name, At: at, Optional: true}
}

// plainField is a value of any other kind.
func plainField[T, V any](name string, at func(*T) *V, check func(*T, *checker)) WritableField[T] {
	return WritableField[T]{Name: name, At: at, check: check}
}

// plainText is the rule of a text that may be anything of at most MaxText characters.
func plainText(text string) (string, error) { return text, CheckText(text, MaxText) }

// labelled is the one of some words that has a label; BadInput, with what is wrong, for none.
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
