package cli

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"

	"example.org/backoffice/gateway"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object with version, commit and schema, and nothing else."`
}

func (c *versionCommand) Run(t terminal) error {
	made, schema := built(), gateway.SchemaVersion()
	if c.JSON {
		return json.NewEncoder(t.out).Encode(struct {
			build
			Schema int64 `json:"schema"`
		}{made, schema})
	}
	return printed(fmt.Fprintf(t.out, "version %s\ncommit %s\nschema %d\n", made.Version, made.Commit, schema))
}

type build gateway.Build

func built() build {
	info, known := debug.ReadBuildInfo()
	if !known {
		return build{Version: "unknown", Commit: "unknown"}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) build {
	b := build{Version: info.Main.Version, Commit: "unknown"}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			b.Commit = setting.Value
		}
	}
	return b
}

// String is the version, with the commit unless the version has it.
func (b build) String() string {
	if b.Commit == "unknown" || strings.Contains(b.Version, b.Commit[:min(12, len(b.Commit))]) {
		return b.Version
	}
	return b.Version + " " + b.Commit
}
