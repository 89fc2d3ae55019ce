package demo

import (
	"embed"
	"io/fs"
)

//go:embed queries
var queries embed.FS

// Queries are the saved queries of a demo, a folder of GraphQL.
func Queries() fs.FS {
	folder, err := fs.Sub(queries, "queries")
	if err != nil {
		panic(err) // the name is wrong
	}
	return folder
}
