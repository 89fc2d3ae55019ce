package gateway

import "testing"

func TestASizeIsShownAsItCanBeWritten(t *testing.T) {
	t.Parallel()
	for text, shown := range map[string]string{"0": "0", "64MiB": "64MiB", "65536KiB": "64MiB", "1536KiB": "1536KiB", "1000": "1000", "2GiB": "2GiB"} {
		var size, again Size
		if err := size.UnmarshalText([]byte(text)); err != nil || size.String() != shown || again.UnmarshalText([]byte(shown)) != nil || again != size {
			t.Errorf("%s is shown as %s (%v)", text, size, err)
		}
	}
	for _, text := range []string{"", "-1", "64MB", "1.5GiB", "9999999999999GiB"} {
		if err := new(Size).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a size", text)
		}
	}
}
