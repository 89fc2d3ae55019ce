package gateway

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/graphqlhttp"
)

// A client that has an answer can wait for another one: with Prefer: wait=30 a 304 is held back until the log grows,
// and the query is then answered anew, like a new request. A poll without intervals, which misses no change.

const (
	mostWait       = 30 * time.Second
	betweenAnswers = 40 * time.Millisecond // to a client that waits
)

// waitOf is how long a client would wait for an answer other than the one it has (RFC 7240); 0 for not at all.
func waitOf(r *http.Request) time.Duration {
	if r.Method != graphqlhttp.MethodQuery && r.Method != http.MethodGet || r.Header.Get("If-None-Match") == "" {
		return 0
	}
	for _, line := range r.Header["Prefer"] {
		for preference := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
			seconds, err := strconv.Atoi(strings.Trim(value, `"`))
			if strings.EqualFold(name, "wait") && err == nil && seconds > 0 {
				return min(time.Duration(min(seconds, 3600))*time.Second, mostWait)
			}
		}
	}
	return 0
}

// await answers a signed-in caller's request once its answer is another one, at the latest when the wait is over or the
// caller's rights change. answered answers it each time as it came, sign-in included.
func (s server) await(asked *http.Request, answered http.Handler, refuse auth.Refuse) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, int64(s.limits.Body)+1)) // which is too long, if so
		if err != nil {
			refuse(w, r, backoffice.Errorf(backoffice.BadInput, "the body could not be read"))
			return
		}
		own, leave, err := s.feed.Enter(r.Context(), auth.From(r.Context()))
		if err != nil {
			refuse(w, r, err)
			return
		}
		defer leave()
		own, cancel := context.WithTimeout(own, waitOf(asked))
		defer cancel()
		for last := false; ; {
			grown, err := s.feed.Growth(own) // before the answer is read
			answer := &unlessSame{ResponseWriter: w, header: http.Header{}, last: last || err != nil}
			again := asked.WithContext(asked.Context())
			again.Body = io.NopCloser(bytes.NewReader(body))
			began := time.Now()
			answered.ServeHTTP(answer, again)
			if !answer.same {
				return
			}
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(2 * mostWait))
			last = grown(own) != nil || backoffice.Sleep(own, time.Until(began.Add(betweenAnswers))) != nil
		}
	}
}

// unlessSame sends an answer, but for a 304 only the last one.
type unlessSame struct {
	http.ResponseWriter
	header http.Header
	last   bool
	same   bool // and not sent
	sent   bool
}

func (u *unlessSame) Header() http.Header { return u.header }

func (u *unlessSame) WriteHeader(status int) {
	if u.same = status == http.StatusNotModified && !u.last; u.same {
		return
	}
	u.sent = true
	u.header.Set("Preference-Applied", "wait")
	outer := u.ResponseWriter.Header()
	u.header["Vary"] = slices.Concat(outer["Vary"], u.header["Vary"]) // also by the origin
	maps.Copy(outer, u.header)
	u.ResponseWriter.WriteHeader(status)
}

func (u *unlessSame) Write(b []byte) (int, error) {
	if !u.sent {
		u.WriteHeader(http.StatusOK)
	}
	return u.ResponseWriter.Write(b)
}

func (u *unlessSame) Unwrap() http.ResponseWriter { return u.ResponseWriter }
