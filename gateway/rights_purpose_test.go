package gateway_test

import (
	"strings"
	"testing"

	"example.org/backoffice/privacy"
)

// A purpose is asked for by a server that is started anew: what was open ends with the one before, and what is used
// again is answered as a first request is.
func TestAPurposeThatIsAskedForFromNowOn(t *testing.T) {
	t.Parallel()
	s := openStage(t, "SQLite")
	name := "credentials rotate"
	c := &cell{caller: s.callerOf(t, name, columns[name], 0), column: columns[name]}
	c.known(t)
	uses := c.caller.uses(t)
	open := map[string]ongoing{}
	for _, row := range []string{
		"a subscription over GraphQL SSE", "a stream of REST", "a long poll", "queries on a socket", "a subscription on a socket", "an export",
	} {
		open[row] = lasting[row](t, c.caller)
	}
	s.Stop()
	for row, of := range open {
		if e := <-of.ended; e.whole || row != "an export" && !strings.Contains(e.said, "the server is stopping") {
			t.Errorf("%s: %+v", row, e)
		}
	}
	s.config.Privacy.RequirePurpose = true
	anew := s.fresh(t)
	showing := map[string]bool{"a saved query's address": true, "a kept answer": true, "a kept answer of REST": true, "a replay in REST": true, "a replay in GraphQL": true}
	for row, of := range uses {
		code, said := answers(anew, of())
		if refused := strings.Contains(said, "only for a stated purpose"); refused != showing[row] || !refused && code >= 300 {
			t.Errorf("%s: %.300s", row, said)
		}
		stating := of()
		stating.Header.Set(privacy.PurposeHeader, "annual accounts")
		if code, said := answers(anew, stating); code >= 300 {
			t.Errorf("%s, for a purpose: %.300s", row, said)
		}
	}
}
