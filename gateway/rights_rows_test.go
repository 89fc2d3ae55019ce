package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"example.org/backoffice/gateway/gatewaytest"
)

// ongoing is something of a caller's that has begun. It ends by itself, or comes to its own end when it is let.
type ongoing struct {
	ended chan ending
	let   func()
}

// ending is how it ended.
type ending struct {
	code  int    // of HTTP or of a WebSocket
	said  string // by the server
	whole bool   // it came to its own end
	again bool   // a poll that was asked again, or would be: that is a new request
}

// end waits for the end; ended is false when ctx is over first.
func (o ongoing) end(ctx context.Context) (e ending, ended bool) {
	select {
	case e = <-o.ended:
		return e, true
	case <-ctx.Done():
	}
	select {
	case e = <-o.ended: // it was there all the same
		return e, true
	default:
		return e, false
	}
}

// lasting are the rows of what lasts: each begins something, and returns when the server is at it. mute are those that
// can only be broken off.
var lasting = map[string]func(*testing.T, *caller) ongoing{
	"a GraphQL request in progress": func(t *testing.T, c *caller) ongoing {
		return c.slowly(t, http.MethodPost, "/graphql", `{"query":"{ viewer { name } }"}`)
	},
	"a REST request in progress": func(t *testing.T, c *caller) ongoing {
		return c.slowly(t, http.MethodPost, "/customers", `{"type":"Company","name":"`+c.names("request")+`"}`)
	},
	"a query over GraphQL SSE": func(t *testing.T, c *caller) ongoing {
		return c.slowly(t, http.MethodPost, "/graphql", `{"query":"{ viewer { name } }"}`, "Accept", "text/event-stream")
	},
	"a tool's call in progress": func(t *testing.T, c *caller) ongoing {
		return c.slowly(t, http.MethodPost, "/mcp", callOfNumbers, "Accept", "application/json, text/event-stream")
	},
	"an upload": func(t *testing.T, c *caller) ongoing {
		return c.slowly(t, http.MethodPost, "/customers/acme/documents?name="+c.names("upload"), "a line\n", "Content-Type", "text/plain")
	},
	"an upload by signed path": func(t *testing.T, c *caller) ongoing {
		return c.anonymous().slowly(t, http.MethodPut, c.uploadPath(t, c.names("signed")), "a line\n", "Content-Type", "text/plain")
	},
	"a download": func(t *testing.T, c *caller) ongoing {
		return c.downloads(t, "/customers/documents/"+c.large+"/download")
	},
	"a download by signed path": func(t *testing.T, c *caller) ongoing {
		return c.anonymous().downloads(t, c.downloadPath(t, c.large, "CustomerDocument"))
	},
	"a pack of evidence": func(t *testing.T, c *caller) ongoing {
		return c.downloads(t, "/customers/acme/evidence")
	},
	"an export": func(t *testing.T, c *caller) ongoing { return c.exportsHeld(t) },
	"a subscription over GraphQL SSE": func(t *testing.T, c *caller) ongoing {
		return c.streams(t, c.request(t, http.MethodPost, "/graphql", strings.NewReader(gatewaytest.JSON(t, map[string]string{"query": ofLabels})), "Accept", "text/event-stream"))
	},
	"a stream of REST": func(t *testing.T, c *caller) ongoing {
		return c.streams(t, c.request(t, http.MethodGet, "/changes?noun=LABEL", http.NoBody, "Accept", "text/event-stream"))
	},
	"a long poll": func(t *testing.T, c *caller) ongoing { return c.polls(t) },
	"queries on a socket": func(t *testing.T, c *caller) ongoing {
		return c.socket(t, func(s gatewaytest.Socket, left <-chan struct{}) {
			for n := 0; s.Say(t.Context(), gatewaytest.Subscribing(fmt.Sprint(n), `{ viewer { name } }`, nil)) == nil; n++ {
				select {
				case <-left:
					return
				case <-time.After(200 * time.Millisecond):
				}
			}
		})
	},
	"a mutation on a socket": func(t *testing.T, c *caller) ongoing {
		held, let := c.holds.write(c.id)
		o := c.socket(t, func(s gatewaytest.Socket, _ <-chan struct{}) {
			_ = s.Say(t.Context(), gatewaytest.Subscribing("m", `mutation { createCustomer(input: {name: "`+c.names("socket")+`", type: COMPANY}) { userErrors { code } } }`, nil))
		})
		<-held
		leave := o.let
		o.let = func() { let(); c.made(t, c.names("socket")); leave() }
		return o
	},
	"a subscription on a socket": func(t *testing.T, c *caller) ongoing {
		return c.socket(t, func(s gatewaytest.Socket, _ <-chan struct{}) {
			_ = s.Say(t.Context(), gatewaytest.Subscribing("s", ofLabels, nil))
		})
	},
}

const callOfNumbers = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"numbers"}}`

var mute = map[string]bool{"a download": true, "a pack of evidence": true, "a download by signed path": true}

const ofLabels = `subscription { changes(nouns: [LABEL]) { sequence } }`

// waiting is a client that tells when the server reads its body.
var waiting = &http.Client{Transport: &http.Transport{ExpectContinueTimeout: 2 * time.Minute}}

// slowly sends a request whose last byte comes when it is let.
func (c *caller) slowly(t *testing.T, method, path, body string, header ...string) ongoing {
	t.Helper()
	r, w := io.Pipe()
	request := c.request(t, method, path, r, append(header, "Expect", "100-continue")...)
	request.ContentLength = int64(len(body))
	reads, last := make(chan struct{}), make(chan struct{})
	request = request.WithContext(httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(reads) }}))
	go func() {
		_, _ = w.Write([]byte(body[:len(body)-1]))
		<-last
		_, _ = w.Write([]byte(body[len(body)-1:]))
		_ = w.Close()
	}()
	o := ongoing{make(chan ending, 1), func() { close(last) }}
	go func() {
		e := ending{}
		if response, err := waiting.Do(request); err != nil {
			e.said = err.Error()
		} else {
			e = ended(response)
		}
		o.ended <- e
	}()
	select {
	case <-reads:
	case e := <-o.ended:
		t.Fatalf("%s: %s %s: %+v", c.name, method, path, e)
	}
	return o
}

// ended reads an answer to its end.
func ended(response *http.Response) ending {
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	e := ending{code: response.StatusCode, said: string(text), whole: err == nil && response.StatusCode < 300}
	if err != nil {
		e.said += err.Error()
	}
	if status := response.Trailer["Export-Status"]; e.whole && response.Header.Get("Trailer") != "" {
		e.whole = status != nil
	}
	return e
}

// downloads takes a large file slowly, until it is let.
func (c *caller) downloads(t *testing.T, path string) ongoing {
	t.Helper()
	response := c.do(t, c.request(t, http.MethodGet, path, http.NoBody))
	fast := make(chan struct{})
	o := ongoing{make(chan ending, 1), func() { close(fast) }}
	go func() {
		defer response.Body.Close()
		for {
			_, err := io.CopyN(io.Discard, response.Body, 64<<10)
			if err != nil {
				o.ended <- ending{code: response.StatusCode, said: err.Error(), whole: errors.Is(err, io.EOF)}
				return
			}
			select {
			case <-fast:
			case <-time.After(60 * time.Millisecond):
			}
		}
	}()
	return o
}

// exportsHeld begins an export, by the way that is the column's, and holds it at its fourth page.
func (c *caller) exportsHeld(t *testing.T) ongoing {
	t.Helper()
	held, let := c.holds.page(c.id)
	method, path, body := http.MethodPost, "/graphql/export?format="+c.format, gatewaytest.JSON(t, map[string]any{"query": watchedList, "variables": map[string]int{"first": 100}})
	if c.saved {
		method, path, body = http.MethodGet, "/queries/List."+c.format+"?first=100", ""
	}
	request := c.request(t, method, path, strings.NewReader(body))
	o := ongoing{make(chan ending, 1), let}
	go func() {
		response, err := waiting.Do(request)
		if err != nil {
			o.ended <- ending{said: err.Error()}
			return
		}
		o.ended <- ended(response)
	}()
	select {
	case <-held:
	case e := <-o.ended:
		t.Fatalf("%s: %s %s: %+v", c.name, method, path, e)
	}
	return o
}

// streams reads events until the stream ends, or is left.
func (c *caller) streams(t *testing.T, request *http.Request) ongoing {
	t.Helper()
	response := c.do(t, request)
	left := make(chan struct{})
	o := ongoing{make(chan ending, 1), func() { close(left); _ = response.Body.Close() }}
	go func() {
		text, _ := io.ReadAll(response.Body)
		o.ended <- ending{code: response.StatusCode, said: string(text), whole: isClosed(left)}
	}()
	return o
}

// polls waits for changes, and again when there was none.
func (c *caller) polls(t *testing.T) ongoing {
	t.Helper()
	left := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	o := ongoing{make(chan ending, 1), func() { close(left); cancel() }}
	latest := c.page(t, c.request(t, http.MethodGet, "/changes?limit=1", http.NoBody))
	request := c.request(t, http.MethodGet, "/changes?noun=MINFIN_DOCUMENT&wait=30&after="+latest, http.NoBody).WithContext(ctx)
	go func() {
		for again := false; ; again = true {
			response, err := waiting.Do(request)
			if err != nil {
				o.ended <- ending{said: err.Error(), whole: isClosed(left)}
				return
			}
			e := ended(response)
			anew := e.whole && c.changed.Load() && columns[c.name].status != 0             // it ran out in that moment
			if !e.whole && e.code != http.StatusGatewayTimeout || anew || isClosed(left) { // that by a busy machine
				e.again = again || anew
				o.ended <- e
				return
			}
		}
	}()
	return o
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// socket does something on a socket of its own, until that is closed.
func (c *caller) socket(t *testing.T, do func(s gatewaytest.Socket, left <-chan struct{})) ongoing {
	t.Helper()
	s, err := c.client.Dial(t.Context(), nil, "graphql-transport-ws")
	if err != nil {
		t.Fatal(err)
	}
	payload := map[string]string{}
	for name := range c.header {
		payload[strings.ToLower(name)] = c.header.Get(name)
	}
	s.Says(t, gatewaytest.JSON(t, map[string]any{"type": "connection_init", "payload": payload}))
	s.Hears(t)
	left := make(chan struct{})
	o := ongoing{make(chan ending, 1), func() { close(left); _ = s.CloseNow() }}
	go func() {
		var told bytes.Buffer
		for {
			_, text, err := s.Read(t.Context())
			if err == nil {
				told.Write(text)
				continue
			}
			if isClosed(left) {
				o.ended <- ending{whole: true}
				return
			}
			e := ending{code: int(websocket.CloseStatus(err)), said: err.Error()}
			if strings.Contains(told.String(), `"complete"`) && strings.Contains(told.String(), `"id":"s"`) {
				e.code = 0 // a client would take it for the end, and not subscribe again
			}
			o.ended <- e
			return
		}
	}()
	go do(s, left)
	return o
}

// page is where the log ends for the caller.
func (c *caller) page(t *testing.T, r *http.Request) (latest string) {
	t.Helper()
	response := c.do(t, r)
	defer response.Body.Close()
	var page struct{ Latest string }
	if err := json.NewDecoder(response.Body).Decode(&page); err != nil {
		t.Fatal(err)
	}
	return page.Latest
}
