package gatewaytest

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/graphql/trusted"
)

// Tool has an operator make a query a tool of agents, and returns the identifier of the document.
func (o *Office) Tool(t testing.TB, tool backoffice.Tool, text string) string {
	t.Helper()
	checked, err := trusted.Check(gateway.NewDocumentChecker(Limits()), []*trusted.Document{{Place: tool.Name, Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	act := backoffice.Trusting{Set: "tool-" + tool.Name, Documents: checked, Now: backoffice.InstantOf(time.Now()), Mark: &tool}
	if _, err := act.Trust(t.Context(), o.Store); err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	return checked[0].ID
}

// DescribedTool is a tool as an agent sees it.
type DescribedTool struct {
	Name, Description         string
	InputSchema, OutputSchema json.RawMessage
}

// ToolAnswer is an answer to an agent.
type ToolAnswer struct {
	Tools             []DescribedTool // of a list
	StructuredContent json.RawMessage
	Content           []struct{ Text string }
	IsError           bool
	Meta              struct {
		Withheld []string `json:"backoffice/withheld"`
		Cut      []struct {
			List     string
			Rows, Of int
			Total    *int
			Cursor   string
		} `json:"backoffice/cut"`
		Code string `json:"backoffice/code"`
	} `json:"_meta"`

	Status int    // of HTTP
	Error  string // of the protocol
	Whole  string // all of it
}

// CredentialHeader are the headers of a credential.
func CredentialHeader(credential [2]string) http.Header {
	return http.Header{auth.ClientIDHeader: {credential[0]}, auth.ClientSecretHeader: {credential[1]}}
}

// MessageOf is a request of an agent, in a revision of the protocol before the present one.
func MessageOf(t testing.TB, header http.Header, method string, params any) *http.Request {
	t.Helper()
	r := NewRequest(t, [2]string{}, http.MethodPost, "/mcp", JSON(t, map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
	r.Header.Del(auth.ClientIDHeader)
	r.Header.Del(auth.ClientSecretHeader)
	maps.Copy(r.Header, header)
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	return r
}

// Agent sends a message of an agent.
func (o *Office) Agent(t testing.TB, header http.Header, method string, params any) (answer ToolAnswer) {
	t.Helper()
	w := o.Serve(MessageOf(t, header, method, params))
	var message struct {
		Result *ToolAnswer
		Error  struct{ Message string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &message); err != nil && w.Code < 300 {
		t.Fatalf("%s: %d %v %s", method, w.Code, err, w.Body)
	}
	if message.Result != nil {
		answer = *message.Result
	}
	answer.StructuredContent = unescaped(answer.StructuredContent)
	answer.Status, answer.Error, answer.Whole = w.Code, message.Error.Message, w.Body.String()
	return answer
}

// unescaped is what the SDK was given: it escapes three signs that HTML knows.
func unescaped(text json.RawMessage) json.RawMessage {
	for sign, escape := range map[string]string{"&": `\u0026`, "<": `\u003c`, ">": `\u003e`} {
		text = bytes.ReplaceAll(text, []byte(escape), []byte(sign))
	}
	return text
}

// Calls calls a tool.
func (o *Office) Calls(t testing.TB, header http.Header, tool, arguments string) ToolAnswer {
	t.Helper()
	params := map[string]any{"name": tool}
	if arguments != "" {
		params["arguments"] = json.RawMessage(arguments)
	}
	return o.Agent(t, header, "tools/call", params)
}

// ToolsOf are the names of the tools that a caller is shown.
func (o *Office) ToolsOf(t testing.TB, header http.Header) (names []string) {
	t.Helper()
	for _, tool := range o.Agent(t, header, "tools/list", map[string]any{}).Tools {
		names = append(names, tool.Name)
	}
	return names
}

// Said is the text of an answer to an agent.
func (a ToolAnswer) Said() string {
	var texts []string
	for _, c := range a.Content {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n")
}
