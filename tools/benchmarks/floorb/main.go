// Command floorb answers the reference queries as one would write them by hand for these queries alone: one batch of
// SQL a level, rows as structs, JSON appended to a buffer. It is the floor that a GraphQL server is measured against
// and knows no GraphQL: the path names the query.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "where to listen")
	database := flag.String("database", "", "URL of the database")
	flag.Parse()
	pool, err := pgxpool.New(context.Background(), *database)
	if err != nil {
		log.Fatal("the URL of the database is not one of PostgreSQL")
	}
	mux := http.NewServeMux()
	for path, answer := range map[string]func(*request, context.Context, string) error{
		"/Q1": func(r *request, ctx context.Context, _ string) error { return r.q1(ctx, 50) },
		"/Q2": (*request).q2,
		"/Q3": func(r *request, ctx context.Context, _ string) error { return r.q3(ctx, true) },
		"/Q4": func(r *request, ctx context.Context, _ string) error { return r.q4(ctx) },
		"/Q5": func(r *request, ctx context.Context, _ string) error { return r.q3(ctx, false) },
	} {
		mux.Handle("POST "+path, handler(pool, answer))
	}
	server := http.Server{Addr: *listen, Handler: mux, ReadHeaderTimeout: time.Minute}
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}

var requests = sync.Pool{New: func() any { return newRequest() }}

func handler(pool *pgxpool.Pool, answer func(r *request, ctx context.Context, id string) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
		body, err := io.ReadAll(io.LimitReader(h.Body, 64<<10))
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		var asked struct{ Variables struct{ ID string } }
		if err := json.Unmarshal(body, &asked); err != nil {
			http.Error(w, "the body is not JSON", http.StatusBadRequest)
			return
		}
		r := requests.Get().(*request)
		defer requests.Put(r)
		r.reset(pool)
		if err := answer(r, h.Context(), asked.Variables.ID); err != nil {
			log.Print(err)
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(r.out)))
		_, _ = w.Write(r.out)
	})
}
