package cli

import (
	"fmt"
	"log/slog"
	"net/url"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// shownSettings are the settings with a value, for the log, with shortened URLs: no other flags have secrets.
func shownSettings(flags []*kong.Flag) []slog.Attr {
	var shown []slog.Attr
	for _, flag := range flags {
		if flag.Name == "help" || !flag.Target.IsValid() || flag.Target.IsZero() && !isNumber(flag.Target) {
			continue
		}
		shown = append(shown, slog.String(flag.Name, shownValue(flag.Target)))
	}
	return shown
}

// isNumber reports whether 0 is a value: a limit of 0 is not the absence of one.
func isNumber(value reflect.Value) bool { return value.CanInt() || value.CanUint() || value.CanFloat() }

func shownValue(value reflect.Value) string {
	if value.Kind() == reflect.Slice {
		parts := make([]string, value.Len())
		for i := range parts {
			parts[i] = shownValue(value.Index(i))
		}
		return strings.Join(parts, " ")
	}
	text := fmt.Sprint(value.Interface())
	if strings.Contains(text, "://") {
		return shownURL(text)
	}
	return text
}

// shownURL is a URL without user, password and parameters; only the scheme if it is not certain where those end.
func shownURL(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	parsed, err := url.Parse(text)
	if err != nil || strings.Contains(parsed.Host+parsed.Path+parsed.Fragment+parsed.RawQuery, "@") ||
		strings.Contains(rest, "#") {
		return scheme + "://…"
	}
	return scheme + "://" + parsed.Host + parsed.Path
}
