package people_test

import (
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// go test ./auth/people -run xxx -bench Check: a token that was checked before, one whose key alone is known, and what
// of that is its signature.
func BenchmarkCheck(b *testing.B) {
	for _, algorithm := range []jose.SignatureAlgorithm{jose.ES256, jose.RS256} {
		d := newDesk(b, algorithm, usual)
		token := d.Token(b, "an", groups("managers"))
		if _, err := d.Authenticate(b.Context(), token); err != nil {
			b.Fatal(err)
		}
		b.Run(string(algorithm)+"/token known", func(b *testing.B) {
			for b.Loop() {
				if _, err := d.Authenticate(b.Context(), token); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(string(algorithm)+"/key known", func(b *testing.B) {
			others := make([]string, 500)
			for i := range others {
				others[i] = d.Token(b, "an", map[string]any{"groups": []string{"managers"}, "jti": i})
			}
			i := 0
			for b.Loop() {
				if i++; i%len(others) == 0 {
					b.StopTimer()
					d.Forget()
					b.StartTimer()
				}
				if _, err := d.Authenticate(b.Context(), others[i%len(others)]); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(string(algorithm)+"/signature alone", func(b *testing.B) {
			signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{algorithm})
			if err != nil {
				b.Fatal(err)
			}
			key := d.Key()
			public := key.Public().Key
			for b.Loop() {
				if _, err := signed.Verify(public); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
