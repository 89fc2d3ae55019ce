package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/tools/rig"
)

// Those who ask are processes of their own. Their requests come at a rate, each on a connection on which none is under
// way: a time is counted from when a request was due, so that what a slow server delays is not hidden.

// asking is what such a process is given to do.
type asking struct {
	Address  string
	Requests []sent        // in turn
	Rate     float64       // a second; 0 is as fast as answers come, on Closed connections
	Closed   int           // connections
	Warm     time.Duration // that is not counted
	Duration time.Duration // that is
}

// sent is one request.
type sent struct {
	Credential rig.Credential
	Body       string
}

// came is what it says of it.
type came struct {
	Answered, Refused, Wrong, Unsent int
	ByPair                           map[string]int // answered
	Served, RefusedIn                spread
	SentLate                         spread // what they were sent too late by, which is this process's doing
	WithoutRetryAfter                int
	Example                          string
}

const (
	mostConnections = 4_000
	patience        = 20 * time.Second
)

var parts = map[string]func(in io.Reader, out io.Writer) error{"crowd": beCrowd}

// run lets a process ask, and reads what it says of it. niceness keeps a crowd from delaying the clock of one who asks
// beside it.
func (a asking) run(niceness int) (c came, err error) {
	given, err := json.Marshal(a)
	if err != nil {
		return c, err
	}
	program, err := os.Executable()
	if err != nil {
		return c, err
	}
	var out bytes.Buffer
	command := exec.Command("nice", "-n", fmt.Sprint(niceness), program, "crowd")
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(given), &out, os.Stderr
	if err := rig.OnProcessor(crowdsProcessor, command.Start); err != nil {
		return c, err
	}
	if err := command.Wait(); err != nil {
		return c, err
	}
	return c, json.Unmarshal(out.Bytes(), &c)
}

// crowd is the process.
type crowd struct {
	asking
	texts   [][]byte
	from    time.Time // counted from
	until   time.Time
	mu      sync.Mutex
	idle    []*line
	lines   atomic.Int64
	waiting sync.WaitGroup

	came
	served, refused, late []time.Duration
}

// line is one connection.
type line struct {
	conn net.Conn
	read *bufio.Reader
	next chan due
}

// due is a request, and when it is.
type due struct {
	number int
	at     time.Time
}

func beCrowd(in io.Reader, out io.Writer) error {
	runtime.GOMAXPROCS(2)
	c := &crowd{}
	if err := json.NewDecoder(in).Decode(&c.asking); err != nil {
		return err
	}
	for _, s := range c.Requests {
		c.texts = append(c.texts, fmt.Appendf(nil, "POST /graphql HTTP/1.1\r\nHost: %s\r\nX-Client-Id: %s\r\nX-Client-Secret: %s\r\nContent-Type: application/json\r\nAccept: application/graphql-response+json\r\nContent-Length: %d\r\n\r\n%s",
			c.Address, s.Credential.ClientID, s.Credential.ClientSecret, len(s.Body), s.Body))
	}
	began := time.Now()
	c.begin(began)
	if c.Rate == 0 {
		c.closed()
	} else {
		c.open(began)
	}
	c.waiting.Wait()
	c.end()
	return json.NewEncoder(out).Encode(c.came)
}

// open sends at the rate.
func (c *crowd) open(began time.Time) {
	for n := 0; ; n++ {
		at := began.Add(time.Duration(float64(n) / c.Rate * float64(time.Second)))
		if at.After(c.until) {
			return
		}
		if wait := time.Until(at); wait > 0 {
			time.Sleep(wait)
		}
		c.send(due{n, at})
	}
}

// send gives a request to a connection that has none.
func (c *crowd) send(d due) {
	c.mu.Lock()
	var l *line
	if n := len(c.idle); n > 0 {
		l = c.idle[n-1]
		c.idle = c.idle[:n-1]
	}
	c.mu.Unlock()
	if l == nil {
		if c.lines.Load() >= mostConnections {
			c.mu.Lock()
			c.Unsent++
			c.mu.Unlock()
			return
		}
		c.lines.Add(1)
		l = &line{next: make(chan due, 1)}
		go func() {
			for d := range l.next {
				c.do(l, d)
				c.waiting.Done()
				c.mu.Lock()
				c.idle = append(c.idle, l)
				c.mu.Unlock()
			}
		}()
	}
	c.waiting.Add(1)
	l.next <- d
}

// closed sends as fast as answers come.
func (c *crowd) closed() {
	for i := range c.Closed {
		c.waiting.Go(func() {
			l := &line{}
			for n := i; time.Now().Before(c.until); n += c.Closed {
				c.do(l, due{n, time.Now()})
			}
		})
	}
}

// do sends a request and reads the answer.
func (c *crowd) do(l *line, d due) {
	late := time.Since(d.at)
	status, header, err := c.exchange(l, c.texts[d.number%len(c.texts)])
	took := time.Since(d.at)
	if err != nil && l.conn != nil {
		_ = l.conn.Close()
		l.conn = nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(d, late, took, status, header, err)
}

func (c *crowd) exchange(l *line, text []byte) (status int, header http.Header, err error) {
	if l.conn == nil {
		if l.conn, err = net.DialTimeout("tcp", c.Address, patience); err != nil {
			return 0, nil, err
		}
		l.read = bufio.NewReaderSize(l.conn, 16<<10)
	}
	if err := l.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, nil, err
	}
	if _, err := l.conn.Write(text); err != nil {
		return 0, nil, err
	}
	response, err := http.ReadResponse(l.read, nil)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	if response.ContentLength < 0 {
		return 0, nil, errors.New("an answer without its length")
	}
	_, err = io.Copy(io.Discard, response.Body)
	if err == nil && response.Close {
		_ = l.conn.Close()
		l.conn = nil
	}
	return response.StatusCode, response.Header, err
}
