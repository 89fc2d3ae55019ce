package graphqlhttp

import (
	"bufio"
	"net"
	"net/http"
	"sync"
	"time"

	"example.org/backoffice/graphql/limits"
)

// corked buffers the writes of a WebSocket, which flushes every message, so that many messages take one system call.
type corked struct {
	http.ResponseWriter

	mu    sync.Mutex
	conn  net.Conn
	shut  bool
	waits []byte // the buffered bytes
	sent  []byte // those that uncork writes
}

// mostWaiting limits the bytes buffered while uncork writes: answers to the pings of a client that does not read them.
const mostWaiting = 64 << 10

func (c *corked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(c.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	c.conn = conn
	through := corkedConn{conn, c}
	return through, bufio.NewReadWriter(buffered.Reader, bufio.NewWriter(through)), nil
}

type corkedConn struct {
	net.Conn
	cork *corked
}

func (c corkedConn) Write(b []byte) (int, error) {
	c.cork.mu.Lock()
	defer c.cork.mu.Unlock()
	if !c.cork.shut {
		return c.Conn.Write(b)
	}
	if len(c.cork.sent) > 0 && len(c.cork.waits) > mostWaiting {
		return 0, errGone
	}
	c.cork.waits = append(c.cork.waits, b...)
	return len(b), nil
}

func (c *corked) cork() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = true
}

// uncork writes the buffered bytes, and what is buffered meanwhile: a ping does not wait for the client's line. It
// closes the connection of a client that reads too slowly. Only one goroutine may call it at a time.
func (c *corked) uncork() (err error) {
	for end := time.Now().Add(limits.AnswerTime); err == nil; {
		c.mu.Lock()
		if cap(c.sent) > longestText {
			c.sent = nil
		}
		c.waits, c.sent = c.sent[:0], c.waits
		c.shut = len(c.sent) > 0
		c.mu.Unlock()
		if len(c.sent) == 0 {
			break
		}
		if _, err = limits.Send(c.conn, c.conn.SetWriteDeadline, c.sent, end); err != nil {
			_ = c.conn.Close()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = false
	_ = c.conn.SetWriteDeadline(time.Time{})
	return err
}
