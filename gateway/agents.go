package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/agents"
	"example.org/backoffice/graphql/graphqlhttp"
	"example.org/backoffice/httpserver"
)

type AgentSettings struct {
	MCP    bool   `name:"mcp" env:"BACKOFFICE_MCP" help:"Serve agents at POST /mcp with the Model Context Protocol. Their tools are trusted documents: see documents trust --tool."`
	Ask    bool   `name:"mcp-ask" env:"BACKOFFICE_MCP_ASK" help:"Let agents run any read-only query, with a credential that may send any document."`
	Answer Size   `name:"mcp-answer" default:"32KiB" env:"BACKOFFICE_MCP_ANSWER" placeholder:"SIZE" help:"Maximum size of a tool's answer. Longer lists are cut after a row, with how to continue (${default})."`
	URL    string `name:"mcp-url" env:"BACKOFFICE_MCP_URL" placeholder:"URL" help:"The public address of /mcp, such as https://office.example/mcp. With it, agents find where people sign in."`
}

const (
	agentsPath = "/mcp"
	// resourcePath is where RFC 9728 looks for the description of a resource, with the resource's own path.
	resourcePath = "/.well-known/oauth-protected-resource" + agentsPath
	leastAnswer  = 8 << 10
)

func (s *AgentSettings) Check() error {
	switch {
	case s.MCP && s.Answer < leastAnswer:
		return errors.New("--mcp-answer must be 8KiB or more")
	case s.URL == "":
		return nil
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Path != agentsPath || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" {
		return errors.New("--mcp-url must be an address such as https://office.example/mcp")
	}
	return nil
}

// mountAgents serves /mcp: a tool executes a trusted document, as /graphql does.
func (s server) mountAgents(r chi.Router, signIn func(refuse auth.Refuse) func(http.Handler) http.Handler,
	graphql *graphqlhttp.GraphQL) {
	if !s.agents.MCP {
		return
	}
	endpoint := agents.New(agents.Config{
		GraphQL: graphql, Tools: s.trusted.Tools, Begin: s.beginTool, Called: func(ctx context.Context, tool string) {
			httpserver.NoteTool(ctx, tool)
			s.toolCalls.note(auth.From(ctx), tool)
		},
		Answer: int(s.agents.Answer), Body: s.limits.Body, Ask: s.agents.Ask, Version: s.build.Version,
	})
	refuse := func(w http.ResponseWriter, r *http.Request, err error) {
		s.describeResource(w.Header())
		graphql.Refuse(w, r, err)
	}
	answered := s.http.Deadline(signIn(refuse)(endpoint))
	r.HandleFunc(agentsPath, func(w http.ResponseWriter, r *http.Request) {
		if !s.http.MayConnect(r) {
			graphql.Refuse(w, r, backoffice.Errorf(backoffice.Forbidden,
				"pages of this origin may not connect: allow it with --cors-origin"))
			return
		}
		answered.ServeHTTP(w, r)
	})
	if s.agents.URL != "" && s.people.IsSet() {
		r.With(s.http.Deadline).Get(resourcePath, s.resource)
	}
}

// beginTool makes a tool's disclosures those of its purpose. Without numbers the caller may not see them.
func (s server) beginTool(ctx context.Context, tool string, numbers bool) context.Context {
	by := auth.From(ctx)
	if !numbers && by.Has(backoffice.PrivacyRead) {
		fewer := *by
		fewer.Scopes = slices.DeleteFunc(slices.Clone(by.Scopes),
			func(scope backoffice.Scope) bool { return scope == backoffice.PrivacyRead })
		by = &fewer
		ctx = auth.WithPrincipal(ctx, by)
	}
	return s.backend.Vault.WithLedger(ctx, by, new(backoffice.ToolPurpose+tool))
}

// describeResource adds to a challenge where the description of the resource is (RFC 9728).
func (s server) describeResource(header http.Header) {
	challenge := header.Get("WWW-Authenticate")
	if challenge == "" || s.agents.URL == "" || !s.people.IsSet() {
		return
	}
	at := `resource_metadata="` + strings.TrimSuffix(s.agents.URL, agentsPath) + resourcePath + `"`
	if s.people.Scope != "" {
		at += `, scope="` + s.people.Scope + `"`
	}
	if challenge != "Bearer" {
		at = strings.TrimPrefix(challenge, "Bearer ") + ", " + at
	}
	header.Set("WWW-Authenticate", "Bearer "+at)
}

// resource describes /mcp to clients of people: which provider issues tokens for it.
func (s server) resource(w http.ResponseWriter, _ *http.Request) {
	described := struct {
		Resource string   `json:"resource"`
		Name     string   `json:"resource_name"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported,omitempty"`
		Methods  []string `json:"bearer_methods_supported"`
	}{s.agents.URL, "Backoffice", []string{s.people.Issuer}, strings.Fields(s.people.Scope), []string{"header"}}
	text, err := json.Marshal(described)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}
