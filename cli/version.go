package cli

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"example.org/backoffice/gateway"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Print only a JSON object with version, commit and schema."`
}

func (c *versionCommand) Run(t terminal) error {
	made, schema := built(), gateway.SchemaVersion()
	if c.JSON {
		return json.NewEncoder(t.out).Encode(struct {
			gateway.Build
			Schema int64 `json:"schema"`
		}{made, schema})
	}
	return printed(fmt.Fprintf(t.out, "version %s\ncommit %s\nschema %d\n", made.Version, made.Commit, schema))
}

func built() gateway.Build {
	info, known := debug.ReadBuildInfo()
	if !known {
		return gateway.Build{Version: "unknown", Commit: "unknown"}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) gateway.Build {
	b := gateway.Build{Version: info.Main.Version, Commit: "unknown"}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			b.Commit = setting.Value
		}
	}
	return b
}
