// Command stockgqlgen is a peer: gqlgen with its own executor, field resolvers and a dataloader per relation, as its
// guide writes it. It answers the reference queries over the store's tables, without authentication or limits.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/vektah/gqlparser/v2/ast"
)

//go:generate go tool gqlgen generate

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "where to listen")
	database := flag.String("database", "", "URL of the database")
	wait := flag.Duration("wait", 16*time.Millisecond, "how long a dataloader waits for more keys; the default is dataloader's own")
	flag.Parse()
	pool, err := pgxpool.New(context.Background(), *database)
	if err != nil {
		log.Fatal("the URL of the database is not one of PostgreSQL")
	}
	server := handler.New(NewExecutableSchema(Config{Resolvers: &root{pool}}))
	server.AddTransport(transport.POST{})
	server.SetQueryCache(lru.New[*ast.QueryDocument](1000))
	http.Handle("POST /graphql", withLoaders(pool, *wait, server))
	listener := http.Server{Addr: *listen, ReadHeaderTimeout: time.Minute}
	if err := listener.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
