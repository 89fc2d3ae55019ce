package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// patience is how long a server that others start is waited for.
const patience = 15 * time.Minute

func isURL(text string) bool { return strings.Contains(text, "://") }

// elsewhere is a peer that others start, in their words for the queries. Its own CPU and memory are not measured.
func elsewhere(address, words, database string) (server, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return server{}, fmt.Errorf("--beside: %w", err)
	}
	text, err := os.ReadFile(words)
	if err != nil {
		return server{}, err
	}
	var in map[string]string
	if err := json.Unmarshal(text, &in); err != nil {
		return server{}, fmt.Errorf("--words: %w", err)
	}
	names := slices.Sorted(maps.Keys(in))
	if _, err := queriesNamed(names); err != nil {
		return server{}, fmt.Errorf("--words: %w", err)
	}
	tellf("start the server of %s over %s", address, database)
	return server{
		name: "elsewhere", title: parsed.Host, peer: true, at: address, only: names,
		in: func(q query) string { return in[q.name] },
	}, nil
}
