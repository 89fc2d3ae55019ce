package evidence_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"example.org/backoffice/web/static/webtest"
)

// script is the page's script; a run of it checks every pack of a folder.
func script(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("verify.html")
	check(t, err)
	_, from, _ := strings.Cut(string(page), "<script>")
	text, _, _ := strings.Cut(from, "</script>")
	return text
}

const checkAll = `
const { readdirSync, readFileSync } = require('node:fs');
(async () => {
  const folder = process.argv[2], seen = { good: 0, bad: 0 };
  for (const name of readdirSync(folder)) {
    let wrong;
    try {
      const found = await verifyPack(new Blob([readFileSync(folder + '/' + name)]));
      if (found.signed === null) throw new Error('signatures are not checked here');
      wrong = found.problems.length > 0;
    } catch (error) {
      wrong = /^this is not a/.test(error.message) || error.message === 'the key in the pack is damaged';
      if (!wrong) throw error;
    }
    const kind = name.split('-')[0];
    seen[kind]++;
    if (wrong !== (kind === 'bad')) throw new Error(name + ' is taken for ' + (wrong ? 'bad' : 'good'));
  }
  if (seen.good !== 2 || seen.bad < 50) throw new Error(JSON.stringify(seen));
})().catch((error) => { console.error(error); process.exit(1); });
`

func TestThePageTakesNoChangedPackForAWholeOne(t *testing.T) {
	t.Parallel()
	node := webtest.Tool(t, "node")
	program := filepath.Join(t.TempDir(), "check.cjs")
	check(t, os.WriteFile(program, []byte(script(t)+checkAll), 0o600))
	webtest.Run(t, ".", nil, node, "--no-warnings", program, written(t))
}

// browser speaks the DevTools protocol with a page in Chromium.
type browser struct {
	socket *websocket.Conn
	calls  int
}

func openBrowser(t *testing.T, address string) *browser {
	t.Helper()
	profile, err := os.MkdirTemp("", "browser") // t.TempDir fails when a child writes after its removal
	check(t, err)
	command := exec.CommandContext(t.Context(), webtest.Tool(t, "chromium-headless-shell"), "--no-sandbox", "--disable-gpu",
		"--no-first-run", "--disable-background-networking", "--remote-debugging-port=0", "--window-size=900,1400", "--user-data-dir="+profile, address)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Debian's command is a script that starts it
	check(t, command.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGTERM)
		_ = command.Wait()
		for tries := 0; os.RemoveAll(profile) != nil && tries < 200; tries++ { // its children still write
			time.Sleep(50 * time.Millisecond)
		}
	})
	type target struct{ Type, URL, WebSocketDebuggerURL string }
	var pages []target
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the browser does not start")
		}
		port, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		if err != nil {
			continue
		}
		number, _, _ := strings.Cut(string(port), "\n")
		answer, err := http.Get("http://127.0.0.1:" + number + "/json/list")
		if err != nil {
			continue
		}
		err = json.NewDecoder(answer.Body).Decode(&pages)
		_ = answer.Body.Close()
		check(t, err)
		pages = slices.DeleteFunc(pages, func(p target) bool { return p.URL != address })
		if len(pages) == 1 {
			break
		}
	}
	socket, _, err := websocket.Dial(t.Context(), pages[0].WebSocketDebuggerURL, nil)
	check(t, err)
	socket.SetReadLimit(16 << 20)
	t.Cleanup(func() { _ = socket.CloseNow() })
	return &browser{socket: socket}
}

func (b *browser) call(t *testing.T, method string, parameters map[string]any, into any) {
	t.Helper()
	b.calls++
	check(t, wsjson.Write(t.Context(), b.socket, map[string]any{"id": b.calls, "method": method, "params": parameters}))
	for {
		var answer struct {
			ID            int
			Result, Error json.RawMessage
		}
		check(t, wsjson.Read(t.Context(), b.socket, &answer))
		if answer.ID != b.calls { // an event
			continue
		}
		if answer.Error != nil {
			t.Fatalf("%s: %s", method, answer.Error)
		}
		check(t, json.Unmarshal(answer.Result, into))
		return
	}
}

func (b *browser) evaluate(t *testing.T, script string) string {
	t.Helper()
	var answer struct {
		Result struct{ Value string }
	}
	b.call(t, "Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &answer)
	return answer.Result.Value
}

// choose chooses a file as a user does, and returns what the page shows of it.
func (b *browser) choose(t *testing.T, path string) string {
	t.Helper()
	for b.evaluate(t, "document.readyState + (document.querySelector('#file') ? '' : ' elsewhere')") != "complete" {
		time.Sleep(20 * time.Millisecond)
	}
	var input struct{ Result struct{ ObjectID string } }
	b.call(t, "Runtime.evaluate", map[string]any{"expression": "document.querySelector('#file')"}, &input)
	b.evaluate(t, "document.querySelector('#verdict').replaceChildren()")
	b.call(t, "DOM.setFileInputFiles", map[string]any{"objectId": input.Result.ObjectID, "files": []string{path}}, &struct{}{})
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		verdict := b.evaluate(t, "document.querySelector('#verdict h2')?.textContent ?? ''")
		shown := b.evaluate(t, "document.querySelector('main').innerText")
		if verdict != "" && !strings.HasPrefix(verdict, "Checking") {
			return shown
		}
		if time.Now().After(until) {
			t.Fatalf("%s: %s", path, shown)
		}
	}
}

func TestThePageInABrowserShowsWhatItFinds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	page, err := filepath.Abs("verify.html")
	check(t, err)
	folder := written(t)
	added, err := filepath.Glob(filepath.Join(folder, "bad-* added.zip"))
	check(t, err)
	b := openBrowser(t, "file://"+page)
	for path, sentences := range map[string][]string{
		filepath.Join(folder, "good-0.zip"): {"This pack is as it was signed", "All 7 entries have their digests", "<Auditor> (auditor)", "documents/d-1/Één.pdf"},
		added[0]:                            {"This pack is not as it was signed", "“documents/d-2/b.pdf”: added."},
		page:                                {"Not verified", "This is not a zip, or it is cut off."},
	} {
		shown := b.choose(t, path)
		for _, sentence := range sentences {
			if !strings.Contains(shown, sentence) {
				t.Errorf("%s: the page does not show %q:\n%s", filepath.Base(path), sentence, shown)
			}
		}
	}
}
