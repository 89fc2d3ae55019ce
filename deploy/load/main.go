// Command load writes through a gateway and reads each write back, and reads as another credential that writes nothing,
// while somebody takes servers away. It reads commands from its standard input: "report NAME" tells what happened
// since the last report; "end" ends it, after it has looked for everything that was ever acknowledged. It ends with 1
// when some of that is missing.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load is what was done so far.
type load struct {
	url    string
	client http.Client
	writer [2]string // client id and secret
	reader [2]string

	mu           sync.Mutex
	acknowledged []string
	writes       []write // since the last report

	reads, failedReads, missedReads atomic.Int64
	others, failedOthers            atomic.Int64 // reads of the reader
	ends                            atomic.Bool
}

type write struct {
	began, ended time.Time
	ok           bool
	status       int
}

func main() {
	url := flag.String("url", "http://127.0.0.1:18080/graphql", "where the gateways are")
	workers := flag.Int("workers", 8, "how many write at once")
	readers := flag.Int("readers", 2, "how many only read")
	flag.Parse()
	l := &load{url: *url, client: http.Client{Timeout: 12 * time.Second}}
	l.writer = [2]string{os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET")}
	l.reader = [2]string{os.Getenv("READER_ID"), os.Getenv("READER_SECRET")}
	var working sync.WaitGroup
	for range *readers {
		working.Go(l.read)
	}
	for range *workers {
		working.Go(l.work)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan() && lines.Text() != "end"; {
		if name, is := strings.CutPrefix(lines.Text(), "report "); is {
			l.report(name)
		}
	}
	l.ends.Store(true)
	working.Wait()
	if lost := l.lost(); lost > 0 || l.missedReads.Load() > 0 {
		os.Exit(1)
	}
}

// work writes until the end.
func (l *load) work() {
	for !l.ends.Load() {
		began := time.Now()
		var answer struct {
			Data struct {
				CreateCustomer struct{ Customer struct{ ID string } }
			}
		}
		status := l.ask(l.writer, `mutation($n: String!) { createCustomer(input: {type: COMPANY, name: $n}) { customer { id } } }`,
			map[string]any{"n": fmt.Sprint("Load ", began.UnixNano())}, &answer)
		id := answer.Data.CreateCustomer.Customer.ID
		l.mu.Lock()
		l.writes = append(l.writes, write{began, time.Now(), id != "", status})
		if id != "" {
			l.acknowledged = append(l.acknowledged, id)
		}
		l.mu.Unlock()
		if id == "" {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		l.readBack(id)
	}
}

// read reads a page of customers until the end, as the credential that writes nothing.
func (l *load) read() {
	for !l.ends.Load() {
		var answer struct {
			Data struct {
				Customers *struct{ Nodes []struct{ ID string } }
			}
		}
		l.ask(l.reader, `{ customers(first: 20) { nodes { id name } } }`, nil, &answer)
		if l.others.Add(1); answer.Data.Customers == nil {
			l.failedOthers.Add(1)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// readBack asks for what was just written, through whichever gateway comes next.
func (l *load) readBack(id string) {
	found, ok := l.find([]string{id})
	l.reads.Add(1)
	switch {
	case !ok:
		l.failedReads.Add(1)
	case found == 0:
		l.missedReads.Add(1)
	}
}

func (l *load) find(ids []string) (found int, ok bool) {
	var answer struct {
		Data struct{ Customers *struct{ TotalCount int } }
	}
	l.ask(l.writer, `query($ids: [ID!]) { customers(filter: {ids: $ids}) { totalCount } }`, map[string]any{"ids": ids}, &answer)
	if answer.Data.Customers == nil {
		return 0, false
	}
	return answer.Data.Customers.TotalCount, true
}

// ask returns the status, 0 when there was no answer.
func (l *load) ask(credential [2]string, query string, variables map[string]any, into any) int {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		panic(err)
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, l.url, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Client-Id", credential[0])
	request.Header.Set("X-Client-Secret", credential[1])
	response, err := l.client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_ = json.NewDecoder(response.Body).Decode(into)
	return response.StatusCode
}

// report tells about the writes since the last report: how many, and the longest time without one that succeeded.
func (l *load) report(name string) {
	l.mu.Lock()
	writes := l.writes
	l.writes = nil
	l.mu.Unlock()
	var ok int
	var gap, slowest time.Duration
	var last time.Time
	refused := map[int]int{}
	for _, w := range writes {
		slowest = max(slowest, w.ended.Sub(w.began))
		if !w.ok {
			refused[w.status]++
			continue
		}
		ok++
		if !last.IsZero() {
			gap = max(gap, w.ended.Sub(last))
		}
		last = w.ended
	}
	fmt.Printf("%s: %d writes acknowledged, %d refused (by status: %v); longest time without a write that succeeded: %.1f s; slowest answer: %.1f s\n",
		name, ok, len(writes)-ok, refused, gap.Seconds(), slowest.Seconds())
}

// lost looks for everything that was acknowledged.
func (l *load) lost() int {
	const batch = 400
	missing := 0
	for ids := l.acknowledged; len(ids) > 0; {
		n := min(batch, len(ids))
		found, ok := l.find(ids[:n])
		for tries := 0; !ok && tries < 20; tries++ {
			time.Sleep(500 * time.Millisecond)
			found, ok = l.find(ids[:n])
		}
		missing += n - found
		ids = ids[n:]
	}
	fmt.Printf("in the end: %d writes acknowledged, %d of them lost\n", len(l.acknowledged), missing)
	fmt.Printf("reads of one's own write, through either gateway: %d, of which %d were refused and %d did not show the write\n",
		l.reads.Load(), l.failedReads.Load(), l.missedReads.Load())
	fmt.Printf("reads of one that writes nothing: %d, refused: %d\n", l.others.Load(), l.failedOthers.Load())
	return missing
}
