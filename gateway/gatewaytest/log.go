package gatewaytest

import (
	"bytes"
	"sync"
)

// LogLines is a log that a test reads.
type LogLines struct {
	Mu   sync.Mutex
	Text bytes.Buffer
}

// Write is io.Writer.
func (l *LogLines) Write(b []byte) (int, error) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return l.Text.Write(b)
}
