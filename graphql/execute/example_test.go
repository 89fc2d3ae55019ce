package execute_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/execute"
	"example.org/backoffice/loaders"
	"example.org/backoffice/resolvers"
	"example.org/backoffice/store/sqlite"
)

// The generated code makes an executable schema whose Exec works a level at a time. Everything before and behind it is
// gqlgen's; the loaders send what the resolvers of a level ask as one batch.
func Example() {
	folder, err := os.MkdirTemp("", "execute")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	store, err := sqlite.Open(context.Background(), "sqlite:"+filepath.Join(folder, "backoffice.db"), sqlite.Options{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = store.Close() }()
	err = store.Write(context.Background(), func(ctx context.Context, tx backoffice.Tx) error {
		if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: "tax", Name: "Tax", CreatedAt: 1}); err != nil {
			return err
		}
		return tx.Users().Insert(ctx,
			&backoffice.User{ID: "an", FirstName: "An", LabelIDs: []string{"tax"}, Version: 1},
			&backoffice.User{ID: "bo", FirstName: "Bo", LabelIDs: []string{"tax"}, Version: 1})
	})
	if err != nil {
		panic(err)
	}

	schema := graph.NewBreadthFirst(graph.Config{
		Resolvers:  &resolvers.Root{},
		Directives: graph.DirectiveRoot{HasScope: resolvers.HasScope},
	}, execute.Options{Runner: loaders.Level})
	server := executor.New(schema)

	ctx, statements := backoffice.WithStatementCount(context.Background())
	ctx = loaders.With(ctx, store) // those of one request
	defer loaders.From(ctx).Close()
	ctx = graphql.StartOperationTrace(ctx)
	operation, refused := server.CreateOperationContext(ctx, &graphql.RawParams{
		Query: `{ users { nodes { firstName labels { name } } totalCount } }`,
	})
	if refused != nil {
		panic(refused)
	}
	answer, ctx := server.DispatchOperation(ctx, operation)
	fmt.Println(string(answer(ctx).Data))
	fmt.Println(statements.Count(), "statements")
	// Output:
	// {"users":{"nodes":[{"firstName":"An","labels":[{"name":"Tax"}]},{"firstName":"Bo","labels":[{"name":"Tax"}]}],"totalCount":2}}
	// 3 statements
}
