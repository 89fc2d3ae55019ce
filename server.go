// Command backoffice is a self-hosted GraphQL gateway over the data of an accounting office, with the REST interface
// that it mirrors. Its commands are in cli, and what it serves is put together in gateway.
package main

import (
	"os"

	"example.org/backoffice/cli"
)

func main() { os.Exit(cli.Main()) }
