package agents

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK makes a connection for each message, and reads it ten times: a call took as long again as its query. So a
// plain call is answered here. Whatever is not plainly right, errors for one, is left to the SDK.

// plainCall is a message of JSON-RPC that calls a tool.
type plainCall struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  struct {
		Name      string                    `json:"name"`
		Arguments jsontext.Value            `json:"arguments"`
		Meta      map[string]jsontext.Value `json:"_meta"`
	} `json:"params"`
}

const stateless = "2026-07-28" // the revision of the protocol whose messages say for themselves who sends them

// quick answers a plain call of a tool. It reports false, and has done nothing, when the message is another.
func (h *Handler) quick(w http.ResponseWriter, r *http.Request, body []byte) bool {
	var call plainCall
	if !isPlain(r.Header) || json.Unmarshal(body, &call) != nil || call.Method != "tools/call" ||
		call.Version != "2.0" || !isIdentifier(call.ID) {
		return false
	}
	var self *mcp.Implementation
	switch r.Header.Get("Mcp-Protocol-Version") {
	case "2025-06-18", "2025-11-25":
		if call.Params.Meta[mcp.MetaKeyProtocolVersion] != nil {
			return false
		}
	case stateless:
		if string(call.Params.Meta[mcp.MetaKeyProtocolVersion]) != `"`+stateless+`"` || !call.fits(r.Header) {
			return false
		}
		self = h.self
	default:
		return false
	}
	a, err := h.safely(r.Context(), r.Header, call.Params.Name, []byte(call.Params.Arguments))
	if err != nil {
		return false // nothing was read yet
	}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	b := slices.Grow((*buffer)[:0], 5*len(a.data)/2+notesRoom) // the text has escapes
	b = append(append(append(b, `{"jsonrpc":"2.0","id":`...), call.ID...), `,"result":{`...)
	if b, err = a.append(b, self); err != nil {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	b = append(b, "}}"...)
	*buffer = b
	_, _ = w.Write(b)
	return true
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// isIdentifier reports whether an identifier is one of a call: a text or a number.
func isIdentifier(id jsontext.Value) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

// isPlain reports whether a message is JSON, and its sender takes the answers that the protocol requires.
func isPlain(header http.Header) bool {
	accepted := strings.Join(header["Accept"], ",")
	return header.Get("Content-Type") == "application/json" &&
		strings.Contains(accepted, "application/json") && strings.Contains(accepted, "text/event-stream")
}

// fits reports whether a message of the stateless revision has all that it must have, and its headers say the same.
func (c *plainCall) fits(header http.Header) bool {
	var capabilities map[string]jsontext.Value
	return header.Get("Mcp-Method") == "tools/call" && header.Get("Mcp-Name") == c.Params.Name &&
		json.Unmarshal(c.Params.Meta[mcp.MetaKeyClientCapabilities], &capabilities) == nil && capabilities != nil
}
