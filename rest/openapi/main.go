// Command openapi writes the OpenAPI document of the REST interface to standard output: what the server has at
// /openapi.json, for linters and generators of clients.
package main

import (
	"fmt"
	"os"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/rest"
)

func main() {
	// Describing the interface needs none of its dependencies.
	api := rest.Mount(chi.NewRouter(), rest.Config{})
	if _, err := os.Stdout.Write(append(api.Document(), '\n')); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
