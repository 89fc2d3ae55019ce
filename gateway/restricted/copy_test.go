package restricted

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/gateway/gatewaytest"
)

// held is a record as a copy keeps it: on what it hangs.
type held struct{ noun, id, on string }

// copied is a copy of what a credential sees, kept by the rules of docs/sync.md.
type copied struct {
	after   string
	records map[string]held // by noun and identifier
	told    map[string]int  // entries by action
}

// nounLists are the root fields by which a noun is read whole, and on what its records hang.
var nounLists = map[string][2]string{
	"CUSTOMER": {"customers", ""}, "TRANSCRIPT": {"transcripts", "customer { id }"},
	"CALCULATION": {"calculations", "transcript { id customer { id } }"}, "CUSTOMER_DOCUMENT": {"documents", "customer { id }"},
	"USER":            {"users", ""},
	"MINFIN_DOCUMENT": {"minfinDocuments", "of: customer { id }"}, "CUSTOMER_RELATION": {"relations", "customer { id } relatedCustomer { id }"},
}

// seenNow is what a credential sees of a noun now.
func seenNow(t testing.TB, o *gatewaytest.Office, credential [2]string, noun string) map[string]held {
	t.Helper()
	of := nounLists[noun]
	var answer struct {
		Data map[string]struct{ Nodes []json.RawMessage }
	}
	text := o.Answers(t, credential, "{ "+of[0]+"(first: 500) { nodes { id "+of[1]+" } } }")
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Data == nil {
		t.Fatal(text, err)
	}
	seen := map[string]held{}
	for _, node := range answer.Data[of[0]].Nodes {
		var record struct{ ID string }
		_ = json.Unmarshal(node, &record)
		seen[noun+" "+record.ID] = held{noun, record.ID, string(node)}
	}
	return seen
}

// copiedChange is a change with what a copy keeps of its object.
type copiedChange struct {
	Cursor, Noun, Action string
	ObjectID             *string
	Object               json.RawMessage
}

// key is that of the object in a copy; a RESET has none.
func (c copiedChange) key() []string {
	if c.ObjectID == nil {
		return nil
	}
	return []string{c.Noun + " " + *c.ObjectID}
}

// selectedOfChanges is what is asked of each change of copiedNouns.
var copiedNouns, selectedOfChanges = func() (nouns, selected string) {
	selected = " cursor noun action objectId object {"
	for _, noun := range slices.Sorted(maps.Keys(nounLists)) {
		var object string
		for word := range strings.SplitSeq(strings.ToLower(noun), "_") {
			object += strings.ToUpper(word[:1]) + word[1:]
		}
		nouns += noun + " "
		selected += " ... on " + object + " { id " + nounLists[noun][1] + " }"
	}
	return nouns, selected + " } "
}()

// obeys does what one change says.
func (c *copied) obeys(t testing.TB, o *gatewaytest.Office, credential [2]string, change copiedChange) {
	t.Helper()
	noun, action, id, object := change.Noun, change.Action, change.ObjectID, change.Object
	c.told[action]++
	if action == "RESET" {
		maps.DeleteFunc(c.records, func(_ string, h held) bool { return h.noun == noun })
		maps.Copy(c.records, seenNow(t, o, credential, noun))
		return
	}
	if action == "DELETED" || string(object) == "null" {
		delete(c.records, noun+" "+*id)
		if noun == "CUSTOMER" || noun == "TRANSCRIPT" { // with it goes what hangs on it
			maps.DeleteFunc(c.records, func(_ string, h held) bool { return h.noun != noun && strings.Contains(h.on, `{"id":"`+*id+`"`) })
		}
	}
	if action != "DELETED" && string(object) != "null" {
		c.records[noun+" "+*id] = held{noun, *id, string(object)}
	}
}

// follow reads pages of a size until nothing more is told, and returns the identifiers that were.
func (c *copied) follow(t testing.TB, o *gatewaytest.Office, credential [2]string, size int) (told []string) {
	t.Helper()
	for {
		var answer struct {
			Data struct {
				Changes struct {
					LatestCursor string
					PageInfo     struct {
						HasNextPage bool
						EndCursor   *string
					}
					Nodes []copiedChange
				}
			}
		}
		text := o.Answers(t, credential, fmt.Sprintf(`{ changes(after: %q, first: %d, nouns: [%s]) { latestCursor pageInfo { hasNextPage endCursor } nodes {%s} } }`,
			c.after, size, copiedNouns, selectedOfChanges))
		if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Data.Changes.LatestCursor == "" {
			t.Fatal(text, err)
		}
		page := answer.Data.Changes
		for _, n := range page.Nodes {
			c.obeys(t, o, credential, n)
			told = append(told, n.key()...)
		}
		if c.after = page.LatestCursor; !page.PageInfo.HasNextPage {
			return told
		}
		c.after = *page.PageInfo.EndCursor
	}
}

// endOfFeed is from where a copy goes on.
func endOfFeed(t testing.TB, o *gatewaytest.Office, credential [2]string) string {
	t.Helper()
	return strings.Split(o.Answers(t, credential, "{ changes(first: 0) { latestCursor } }"), `"`)[7]
}

// apart is what a has that b has not.
func apart(a, b map[string]held) (keys []string) {
	for key := range a {
		if _, has := b[key]; !has {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// streaming is a copy that follows the feed by a subscription, which is cut off now and then.
type streaming struct {
	*copied
	changes chan copiedChange
	cut     func()
}

// begin subscribes behind what the copy has.
func (s *streaming) begin(t testing.TB, f gatewaytest.Follower) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := f.Subscribe(ctx, "subscription($after: String) { changes(after: $after, nouns: ["+copiedNouns+"]) {"+selectedOfChanges+"} }",
		map[string]any{"after": s.after})
	if err != nil {
		t.Fatal(err)
	}
	changes, ended := make(chan copiedChange), make(chan struct{})
	s.changes, s.cut = changes, func() { cancel(); <-ended }
	t.Cleanup(s.cut)
	go func() {
		defer close(ended)
		defer close(changes)
		defer stream.Response.Body.Close()
		for e, ok := stream.Next(); ok; e, ok = stream.Next() {
			var told struct {
				Data struct{ Changes copiedChange }
			}
			if err := json.Unmarshal([]byte(e.Data), &told); err != nil || told.Data.Changes.Cursor == "" {
				if !strings.Contains(e.Data, "UNAVAILABLE") { // a busy machine
					t.Error(e, err)
				}
				return
			}
			select {
			case changes <- told.Data.Changes:
			case <-ctx.Done():
				return
			}
		}
	}()
}

// follow obeys what comes until the copy is as the credential sees its records, and returns the identifiers that were told.
func (s *streaming) follow(t testing.TB, o *gatewaytest.Office, credential [2]string, seen map[string]held) (told []string) {
	t.Helper()
	late := time.After(30 * time.Second)
	for apart(seen, s.records) != nil || apart(s.records, seen) != nil {
		select {
		case change, open := <-s.changes:
			if !open { // whatever ended the stream
				s.begin(t, o.Follower(t, credential))
				continue
			}
			s.obeys(t, o, credential, change)
			s.after, told = change.Cursor, append(told, change.key()...)
		case <-late:
			return told
		}
	}
	return told
}
