package agents

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answer is what a tool answers.
type answer struct {
	data   []byte   // JSON; nil when the call failed
	quoted []byte   // data as a string of JSON; nil when it is still to be made
	notes  []string // what is said of it
	meta   mcp.Meta
	failed bool
}

func (a *answer) say(note string) { a.notes = append(a.notes, note) }

// result is the answer for the SDK.
func (a *answer) result() *mcp.CallToolResult {
	result := &mcp.CallToolResult{Meta: a.meta, IsError: a.failed}
	if a.data != nil {
		result.StructuredContent = json.RawMessage(a.data)
		result.Content = append(result.Content, &mcp.TextContent{Text: string(a.data)})
	}
	for _, note := range a.notes {
		result.Content = append(result.Content, &mcp.TextContent{Text: note})
	}
	return result
}

// append writes the answer as the SDK would, without reading it several times. self is nil before revision 2026-07-28.
func (a *answer) append(b []byte, self *mcp.Implementation) ([]byte, error) {
	meta := a.meta
	if self != nil {
		if meta == nil {
			meta = mcp.Meta{}
		}
		meta[mcp.MetaKeyServerInfo] = self
		b = append(b, `"resultType":"complete",`...)
	}
	if len(meta) > 0 {
		text, err := json.Marshal(meta)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, `"_meta":`...), text...), ',')
	}
	b = append(b, `"content":[`...)
	const text = `{"type":"text","text":`
	texts := a.notes
	switch {
	case a.quoted != nil:
		b = append(append(append(b, text...), a.quoted...), '}')
	case a.data != nil:
		texts = append([]string{string(a.data)}, texts...)
	}
	for i, said := range texts {
		if i > 0 || a.quoted != nil {
			b = append(b, ',')
		}
		var err error
		if b, err = jsontext.AppendQuote(append(b, text...), said); err != nil {
			return nil, err
		}
		b = append(b, '}')
	}
	b = append(b, ']')
	if a.data != nil {
		b = append(append(b, `,"structuredContent":`...), a.data...)
	}
	if a.failed {
		b = append(b, `,"isError":true`...)
	}
	return b, nil
}
