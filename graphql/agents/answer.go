package agents

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answer is what a tool answers.
type answer struct {
	data   []byte   // JSON; nil when the call failed
	notes  []string // what is said of it
	meta   mcp.Meta
	failed bool
}

func (a *answer) say(note string) { a.notes = append(a.notes, note) }

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
