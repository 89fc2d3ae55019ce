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
}

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
	c.cork.waits = append(c.cork.waits, b...)
	return len(b), nil
}

func (c *corked) cork() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = true
}

// uncork writes the buffered bytes. It closes the connection of a client that reads too slowly.
func (c *corked) uncork() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = false
	_, err := limits.Send(c.conn, c.conn.SetWriteDeadline, c.waits, time.Now().Add(limits.AnswerTime))
	if err != nil {
		_ = c.conn.Close()
	}
	_ = c.conn.SetWriteDeadline(time.Time{})
	if c.waits = c.waits[:0]; cap(c.waits) > longestText {
		c.waits = nil
	}
	return err
}
