package main

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"

	"example.org/backoffice/tools/rig"
)

// What a program has in use is known after a collection alone, and nobody can ask a server for one. So the server that
// is watched is built with a file that collects when it is asked, and tells what was left. What is shipped has nothing
// of it.

// liveVariable is where such a program listens.
const liveVariable = "BACKOFFICE_SOAK_LIVE"

const liveSource = `package main

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/metrics"
)

func init() {
	address := os.Getenv("` + liveVariable + `")
	if address == "" {
		return
	}
	go http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		runtime.GC() // what pools keep is gone with the second
		runtime.GC()
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		fmt.Fprint(w, live[0].Value.Uint64())
	}))
}
`

// build builds the program with it.
func (s *soak) build() error {
	root, err := rig.Root()
	if err != nil {
		return err
	}
	return rig.BuildReplacing(s.binary, s.folder, map[string]string{filepath.Join(root, "live.go"): liveSource})
}

// liveHeap asks for the MB that are in use.
func (s *soak) liveHeap() (float64, error) {
	response, err := http.Get("http://" + s.live)
	if err != nil {
		return 0, fmt.Errorf("a program that soak has not built tells no live heap: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	live, err := strconv.ParseFloat(string(text), 64)
	return live / (1 << 20), err
}
