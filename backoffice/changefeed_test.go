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

func TestACursorIsGoodFromTheHorizonToTheEnd(t *testing.T) {
	t.Parallel()
	page := &ChangePage{Removed: 10, Latest: 20}
	for after := FromOldest; after < 30; after++ {
		if good := after == FromOldest || after >= 10 && after <= 20; good != (page.Expired(after) == nil) || !good && KindOf(page.Expired(after)) != CursorExpired {
			t.Errorf("after %d: %v", after, page.Expired(after))
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

// FuzzChangeCursor: what is a cursor is the only spelling of its number, and everything else is refused.
func FuzzChangeCursor(f *testing.F) {
	for _, text := range []string{"", "0", "1", "-1", "+1", "01", "9223372036854775807", "9223372036854775808", " 1", "1 ", "1e3", "٣", "NaN", "0x1"} {
		f.Add(text, int64(7))
	}
	f.Fuzz(func(t *testing.T, text string, n int64) {
		if at, err := ParseChangeCursor(text); err == nil && (at < 0 || ChangeCursor(at) != text) || err != nil && KindOf(err) != BadInput {
			t.Errorf("%q is %d, %v", text, at, err)
		}
		if n &= math.MaxInt64; n >= 0 {
			if at, err := ParseChangeCursor(ChangeCursor(n)); err != nil || at != n {
				t.Errorf("%d is read as %d, %v", n, at, err)
			}
		}
	})
}
