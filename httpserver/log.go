package httpserver

import (
	"io"
	"log/slog"
	"os"
	"time"

	"golang.org/x/term"
)

// NewLog makes a server's log from its settings. Times are in UTC, with milliseconds.
func (s Settings) NewLog(to io.Writer) *slog.Logger {
	var level slog.Level // the zero value is info
	_ = level.UnmarshalText([]byte(s.LogLevel))
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
			return slog.String(slog.TimeKey, a.Value.Time().UTC().Format("2006-01-02T15:04:05.000Z"))
		}
		return a
	}}
	file, isFile := to.(*os.File)
	if s.LogFormat == "text" || s.LogFormat != "json" && isFile && term.IsTerminal(int(file.Fd())) {
		return slog.New(slog.NewTextHandler(to, options))
	}
	return slog.New(slog.NewJSONHandler(to, options))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1_000 }
