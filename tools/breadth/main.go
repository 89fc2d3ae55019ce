// Command breadth is gqlgen with a plugin: beside what gqlgen writes into package graph it writes breadth.go, the
// tables by which package execute runs operations a level at a time. It reads the nearest gqlgen.yml.
package main

import (
	"fmt"
	"os"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate() error {
	cfg, err := config.LoadConfigFromDefaultLocations()
	if err != nil {
		return err
	}
	return api.Generate(cfg, api.AddPlugin(&breadth{executor: "example.org/backoffice/graphql/execute"}))
}
