package backoffice_test

import (
	"math/rand/v2"
	"testing"

	"example.org/backoffice/backoffice"
	"pgregory.net/rapid"
)

func TestAKBONumberIsReadInEveryNotation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0200.065.765":             "0200065765",
		"0314.595.348":             "0314595348",
		"0203.884.397":             "0203884397",
		"0403.019.261":             "0403019261",
		"1000.000.021":             "1000000021",
		"0200065765":               "0200065765",
		"0200 065 765":             "0200065765",
		"0200\u00a0065\u202f765":   "0200065765",
		"BE0200065765":             "0200065765",
		"be 0200.065.765":          "0200065765",
		" Be 0200 065 765 ":        "0200065765",
		"200065765":                "0200065765",
		"200.065.765":              "0200065765",
		"BE 200.065.765":           "0200065765",
		"0.2.0.0.0.6.5.7.6.5":      "0200065765",
		"B" + "E" + "1000.000.021": "1000000021",
	} {
		if got, err := backoffice.ParseKBONumber(text); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestAnUnsoundKBONumberIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "BE", "BE BE0200065765", "0123.456.789", "0431.150.351",
		"0203.884.300", // the check is 97, never 00
		"4028.759.497", // starts with 4
		"2000000339",   // an establishment
		"00200065765", "02000657650", "00065765", "0200-065-765", "NL0200065765", "O200065765", "0200065765x", "٠200065765",
	} {
		got, err := backoffice.ParseKBONumber(text)
		refused(t, text, got, err)
	}
}

func TestARandomKBONumberIsSoundAndOfAnIssuedRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := randomKBO(t)
		if got, err := backoffice.ParseKBONumber(number); err != nil || got != number {
			t.Fatalf("%q: got %q, %v", number, got, err)
		}
		if start := number[:4]; !(start >= "0200" && start <= "0999" || start >= "1000" && start <= "1020") {
			t.Fatalf("%q is of no issued range", number)
		}
	})
}

func TestEveryWrongDigitOfAKBONumberIsRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := randomKBO(t)
		for at := range number {
			for digit := byte('0'); digit <= '9'; digit++ {
				wrong := []byte(number)
				if wrong[at] = digit; string(wrong) == number {
					continue
				}
				if _, err := backoffice.ParseKBONumber(string(wrong)); err == nil {
					t.Fatalf("%s passes for %s", wrong, number)
				}
			}
		}
	})
}

func TestEverySwapOfNeighboursInAKBONumberIsRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := randomKBO(t)
		for at := 1; at < len(number); at++ {
			swapped := []byte(number)
			swapped[at-1], swapped[at] = swapped[at], swapped[at-1]
			if string(swapped) == number {
				continue
			}
			if _, err := backoffice.ParseKBONumber(string(swapped)); err == nil {
				t.Fatalf("%s passes for %s", swapped, number)
			}
		}
	})
}

func FuzzParseKBONumber(f *testing.F) {
	for _, seed := range []string{"0200.065.765", "BE 200065765", "1000000021", "be", "0203.884.300"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		number, err := backoffice.ParseKBONumber(text)
		if err != nil {
			refused(t, text, number, err)
			return
		}
		if again, err := backoffice.ParseKBONumber(number); err != nil || again != number || len(number) != 10 {
			t.Fatalf("%q gives %q, which gives %q, %v", text, number, again, err)
		}
	})
}

func randomKBO(t *rapid.T) string {
	return backoffice.RandomKBONumber(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
}

// refused wants a parser's answer to be BadInput, without a result, and without anything of the input in the message.
func refused[T ~string | ~[]byte](t testing.TB, text string, got T, err error) {
	t.Helper()
	if err == nil || len(got) != 0 {
		t.Fatalf("%q gives %q, %v; want it refused", text, got, err)
	}
	if kind := backoffice.KindOf(err); kind != backoffice.BadInput {
		t.Fatalf("%q is refused as kind %d, not as BadInput", text, kind)
	}
	sameMessage(t, err)
}

// sameMessage wants the message to be one of the few that the package writes: it can't hold a value of the input then.
func sameMessage(t testing.TB, err error) {
	t.Helper()
	if !knownMessages[err.Error()] {
		t.Fatalf("an unforeseen message: %s", err)
	}
}

var knownMessages = map[string]bool{
	"a number in a JSON object must be within the range of a double":                                  true,
	"a KBO number must have ten digits: the first is 0 or 1, and the last two are check digits":       true,
	"a national registration number must have eleven digits with a valid birth date and check digits": true,
	"unknown legal form; use a key of LegalForm, such as BV, NV or VZW":                               true,
	"a language must be an English name in lower case, such as dutch, french, german or english":      true,
	"an e-mail address must look like name@example.be, with at most 254 characters":                   true,
	"a phone number must look like +32 2 555 12 12":                                                   true,
	"a support scope has at most 64 characters: words of a-z and 0-9, joined by dashes":               true,
	"a colour must look like #1e90ff":                                                                 true,
	"an identifier must have 1 to 64 characters of A-Z a-z 0-9 _ -":                                   true,
	"a JSON object must be valid UTF-8":                                                               true,
	"malformed JSON":                                                                                  true,
	"malformed JSON: unexpected data after the object":                                                true,
	"the value must be a JSON object":                                                                 true,
	"a JSON object has at most 65536 bytes":                                                           true,
	"a JSON object has at most 32 levels":                                                             true,
	"a JSON object cannot have duplicate keys":                                                        true,
	"a text must be valid UTF-8":                                                                      true,
	"a text has at most 200 characters":                                                               true,
	"a text cannot have control characters or line breaks":                                            true,
	"a text must have a character that is not a space":                                                true,
}
