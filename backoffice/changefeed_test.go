package backoffice

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"testing"
)

func shownTo(t *testing.T, by *Principal, c *Change, nouns ...Noun) *VisibleChange {
	t.Helper()
	return ChangesVisibleTo(by, nouns).Show(c)
}

func TestACallerSeesTheChangesOfWhatItMayRead(t *testing.T) {
	t.Parallel()
	nobody, privacy, minfin := &Principal{}, &Principal{Scopes: []Scope{PrivacyRead}}, &Principal{Scopes: []Scope{MinfinRead}}
	for _, is := range []struct {
		sentence string
		by       *Principal
		change   Change
		shown    bool
		fields   []string
	}{
		{"a customer, to anybody", nobody, Change{Noun: NounCustomer, Done: Updated, Fields: []string{"email"}}, true, []string{"email"}},
		{"a minfin document, to nobody without minfin.read", privacy, Change{Noun: NounMinfin, Done: Created}, false, nil},
		{"a minfin document, with it", minfin, Change{Noun: NounMinfin, Done: Created}, true, nil},
		{"a number beside another field, without its name", minfin, Change{Noun: NounCustomer, Done: Updated, Fields: []string{"email", "registrationNumber"}}, true, []string{"email"}},
		{"a number beside another field, with privacy.read", privacy, Change{Noun: NounCustomer, Done: Updated, Fields: []string{"email", "registrationNumber"}}, true, []string{"email", "registrationNumber"}},
		{"nothing but numbers, not at all", minfin, Change{Noun: NounCustomer, Done: Updated, Fields: []string{"registrationNumber", "spouseRegistrationNumber"}}, false, nil},
		{"nothing but numbers, with privacy.read", privacy, Change{Noun: NounCustomer, Done: Updated, Fields: []string{"spouseRegistrationNumber"}}, true, []string{"spouseRegistrationNumber"}},
		{"a creation, without fields", privacy, Change{Noun: NounCustomer, Done: Created, Fields: []string{"registrationNumber", "type"}}, true, nil},
		{"an entry of before, as a change", nobody, Change{Noun: NounLabel, Fields: []string{"name"}}, true, []string{"name"}},
		{"what is no record, to nobody", privacy, Change{Done: Unknown}, false, nil},
		{"the register, to nobody", privacy, Change{Noun: NounConsultation, Done: Created}, false, nil},
	} {
		shown := shownTo(t, is.by, &is.change)
		if (shown != nil) != is.shown {
			t.Errorf("%s: %+v", is.sentence, shown)
			continue
		}
		if shown != nil && (!slices.Equal(shown.Fields, is.fields) || shown.Fields == nil || shown.Action == Updated && is.change.Done != Updated && is.change.Done != "") {
			t.Errorf("%s: %+v", is.sentence, shown)
		}
	}
}

func TestAChangeNamesItsParentsButNotTheUsersOfACustomer(t *testing.T) {
	t.Parallel()
	shown := shownTo(t, nil, &Change{Noun: NounCustomer, Done: Updated, Parents: []ChangeParent{{NounUser, "u"}, {NounCustomer, "c"}, {"", "old"}}})
	if !slices.Equal(shown.Parents, []ChangeParent{{NounCustomer, "c"}}) {
		t.Errorf("%+v", shown.Parents)
	}
}

func TestWhatAScopeGuardsIsLeftOutOfTheNounsThatAreAskedFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		by    *Principal
		nouns []Noun
		want  []string
	}{
		{nil, []Noun{NounMinfin}, nil},
		{&Principal{Scopes: []Scope{MinfinRead}}, []Noun{NounMinfin}, []string{"minfin document"}},
		{nil, []Noun{NounMinfin, NounLabel}, []string{"label"}},
		{nil, []Noun{}, nil},
	} {
		if got := ChangesVisibleTo(c.by, c.nouns).Names(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.nouns, got, c.want)
		}
	}
}

func TestTheLastEntryOfEachObjectIsKept(t *testing.T) {
	t.Parallel()
	var changes []*VisibleChange
	for i, id := range []string{"a", "b", "a", "c", "b"} {
		changes = append(changes, &VisibleChange{Sequence: i, Noun: NounLabel, ObjectID: id}, &VisibleChange{Sequence: 10 + i, Noun: NounUser, ObjectID: "a"})
	}
	var numbers []int
	for _, c := range LatestOnly(changes) {
		numbers = append(numbers, c.Sequence)
	}
	if !slices.Equal(numbers, []int{2, 3, 4, 14}) || len(LatestOnly(nil)) != 0 {
		t.Error(numbers)
	}
}

func TestACursorIsGoodFromTheHorizonToTheEndInItsOwnHistory(t *testing.T) {
	t.Parallel()
	page := &ChangePage{History: "history1", Removed: 10, Latest: 20}
	for _, history := range []string{"", "history1", "history2"} {
		for after := FromOldest; after < 30; after++ {
			good := history != "history2" && (after == FromOldest || after >= 10 && after <= 20)
			if err := page.Expired(history, after); good != (err == nil) || !good && KindOf(err) != CursorExpired {
				t.Errorf("after %d of %q: %v", after, history, err)
			}
		}
	}
}

func TestEachNounOfTheFeedHasANameThatIsReadBack(t *testing.T) {
	t.Parallel()
	for _, name := range ChangeNouns() {
		noun, err := ParseChangeNoun(name)
		var back Noun
		var text bytes.Buffer
		noun.MarshalGQL(&text)
		if err != nil || text.String() != strconv.Quote(name) || back.UnmarshalGQL(name) != nil || back != noun {
			t.Errorf("%s: %q %v", name, noun, err)
		}
	}
	for _, bad := range []any{"", "customer", "registration numbers", "RELATION", 7} {
		if new(Noun).UnmarshalGQL(bad) == nil {
			t.Errorf("%v is taken for a noun", bad)
		}
	}
}

// FuzzChangeCursor: what is a cursor is the only spelling of its place, and everything else is refused.
func FuzzChangeCursor(f *testing.F) {
	const history = "x7k2m9qa"
	for _, text := range []string{"", "0", "1", "-1", "+1", "01", "9223372036854775807", "9223372036854775808", " 1", "1 ", "1e3", "٣", "NaN", "0x1"} {
		f.Add(text, int64(7))
		f.Add(history+"."+text, int64(7))
	}
	for _, text := range []string{"x7k2m9q.1", "x7k2m9qax7k2m9qax.1", "X7K2M9QA.1", "x7k2m9qa..1", ".1", "x7k2m9qa.1\n"} {
		f.Add(text, int64(7))
	}
	f.Fuzz(func(t *testing.T, text string, n int64) {
		if in, at, err := ParseChangeCursor(text); err == nil && (at < 0 || ChangeCursor(in, at) != text) || err != nil && KindOf(err) != BadInput {
			t.Errorf("%q is %d, %v", text, at, err)
		}
		n &= math.MaxInt64
		if in, at, err := ParseChangeCursor(ChangeCursor(history, n)); err != nil || at != n || in != history {
			t.Errorf("%d is read as %d, %v", n, at, err)
		}
	})
}

func TestANumberAloneIsNoCursorAndEachHistoryHasAnotherName(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"0", "42", "x7k2m9qa", "x7k2m9qa.", "x7k2m9q.42", "x7k2m9qax7k2m9qax.42", "X7K2M9QA.42", "x7k2m9qa.042", "x7k2m9qa.9223372036854775808",
	} {
		if _, _, err := ParseChangeCursor(text); KindOf(err) != BadInput {
			t.Errorf("%s: %v", text, err)
		}
	}
	if one, other := NewHistory(), NewHistory(); one == other || len(one) != 16 {
		t.Error(one, other)
	}
}
