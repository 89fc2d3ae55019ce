package agents

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// How a caller goes on after an answer that was cut.

// variable is the variable that a list of the root takes as an argument; "" for none.
func (c *cut) variable(argument string) string {
	if c.root == nil {
		return ""
	}
	if given := c.root.source.Arguments.ForName(argument); given != nil && given.Value.Kind == ast.Variable {
		return given.Value.Raw
	}
	return ""
}

// reread takes what is said of a list from the answer to the query for as many rows as fit.
func (c *cut) reread(data []byte) {
	var whole, connection map[string]json.RawMessage
	if json.Unmarshal(data, &whole) != nil || json.Unmarshal(whole[c.root.alias], &connection) != nil {
		return
	}
	for _, f := range c.root.below {
		var rows []json.RawMessage
		var page map[string]any
		switch text := connection[f.alias]; {
		case strings.HasSuffix(c.List, "."+f.alias) && json.Unmarshal(text, &rows) == nil:
			c.Rows = len(rows)
		case f.source.Name == "pageInfo" && json.Unmarshal(text, &page) == nil:
			for _, of := range f.below {
				if of.source.Name == "endCursor" {
					c.Cursor, _ = page[of.alias].(string)
				}
			}
		}
	}
}

// sentence says which rows are missing, and how to ask for them.
func sentence(cuts []*cut) string {
	var said strings.Builder
	for i, c := range cuts {
		if i > 0 {
			said.WriteByte(' ')
		}
		all := *cmp.Or(c.Total, &c.Of)
		fmt.Fprintf(&said, "Only the first %d of %d rows of %s are shown: ", c.Rows, all, shortened(c.List))
		switch after := c.variable("after"); {
		case after != "" && c.Cursor != "":
			fmt.Fprintf(&said, "call again with the argument %s = %q for the next ones.", shortened(after), c.Cursor)
		case c.Rows == 0 && len(cuts) == 1:
			said.WriteString("the first one alone is larger than an answer may be.")
		default:
			said.WriteString("narrow the arguments to see the others.")
		}
	}
	return said.String()
}
