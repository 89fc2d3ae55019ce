package cli

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows the progress of long work: a bar on a terminal, nothing elsewhere. The zero value shows nothing.
type progress struct {
	to    io.Writer
	of    string
	bytes bool
	bar   *progressbar.ProgressBar
}

// newProgress shows a bar on a terminal only; bytes is for work measured in bytes.
func newProgress(to io.Writer, bytes bool) *progress {
	file, ok := to.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return &progress{}
	}
	return &progress{to: to, bytes: bytes}
}

// at shows the progress of a part of the work. Each part has its own bar.
func (p *progress) at(of string, done, size int64) {
	if p.to == nil {
		return
	}
	if p.bar == nil || p.of != of {
		p.end()
		p.of = of
		p.bar = progressbar.NewOptions64(max(size, 1), progressbar.OptionSetWriter(p.to),
			progressbar.OptionSetDescription(of), progressbar.OptionShowBytes(p.bytes), progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	}
	_ = p.bar.Set64(min(done, max(size, 1)))
}

// end clears the bar, so the next output begins on its own line.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
