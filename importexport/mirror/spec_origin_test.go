package mirror

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// specOrigin is an origin that has the requests of the specification, and nothing else.
type specOrigin struct {
	year      string // "" for year
	mu        sync.Mutex
	customers []record
	relations map[string][]record // by customer
	documents map[string][]record
	minfin    []record
	lists     map[string][]record // further lists, by path
	asked     map[string]int      // by the pattern of the path
	fault     string
	at        *regexp.Regexp // paths with the fault
	revised   map[string]int // contents of files, by record
	chance    func() string  // a fault for a request, of any history; nil for none
}

// specPaths are what a pull reads of it, each with one address to which a fault is confined.
var specPaths = map[string]string{
	"/financialyears/current":           "/financialyears/current",
	"/checklists":                       "/checklists",
	"/transcripts":                      "/transcripts",
	"/transcripts/download/ID/file":     "/transcripts/download/t1/file",
	"/transcripts/download/ID/metadata": "/transcripts/download/t1/metadata",
	"/customers":                        "/customers",
	"/customers/ID":                     "/customers/c01",
	"/customers/ID/relations":           "/customers/c01/relations",
	"/customers/ID/documents":           "/customers/c01/documents",
	"/customers/documents/ID/download":  "/customers/documents/d01/download",
	"/minfin":                           "/minfin",
	"/minfin/download/ID":               "/minfin/download/m1",
	"/minfin/metadata/ID":               "/minfin/metadata/m1",
}

var identifier = regexp.MustCompile(`/(c\d+|d\d+|m\d+|t\d+)(/|$)`)

const htmlPage = "<html><body>login</body></html>"

func (o *specOrigin) bytesOf(id string) []byte {
	return fmt.Appendf(nil, "%%PDF-1.4 %s %d", id, o.revised[id])
}

func (o *specOrigin) metadataOf(id string) record {
	content := o.bytesOf(id)
	sum := md5.Sum(content)
	return record{
		"contentType": textOf("application/pdf"), "size": json.RawMessage(fmt.Sprint(len(content))), "md5Hash": textOf(base64.StdEncoding.EncodeToString(sum[:])),
	}
}

func newSpecOrigin(customers int) *specOrigin {
	o := &specOrigin{
		relations: map[string][]record{}, documents: map[string][]record{}, lists: map[string][]record{}, asked: map[string]int{}, revised: map[string]int{},
	}
	for i := range customers {
		id := fmt.Sprintf("c%02d", i)
		o.customers = append(o.customers, record{"_id": textOf(id), "type": textOf("Company"), "name": textOf("Klant " + id)})
		next := textOf(fmt.Sprintf("c%02d", (i+1)%customers))
		o.relations[id] = []record{{"_id": textOf("r" + id), "kind": textOf("director"), "customer": textOf(id), "relatedCustomer": next}}
		o.documents[id] = []record{{"_id": textOf(fmt.Sprintf("d%02d", i)), "name": textOf("Brief " + id + ".pdf")}}
	}
	for i := range 3 {
		o.minfin = append(o.minfin, record{"_id": textOf(fmt.Sprintf("m%d", i)), "name": textOf("Aanslag.pdf"), "documentType": textOf("Aanslag"), "customer": textOf("c00")})
	}
	o.lists["/checklists"] = []record{{"_id": textOf("list"), "name": textOf("Vragen"), "language": textOf("dutch")}}
	o.lists["/transcripts"] = []record{}
	for i := range 2 {
		o.lists["/transcripts"] = append(o.lists["/transcripts"], record{
			"_id": textOf(fmt.Sprintf("t%d", i)), "customer": textOf("c00"), "financialYear": textOf("year"), "status": textOf("Sent"),
			"isCompleted": json.RawMessage("true"), "documentGenerated": json.RawMessage("true"), "updatedAt": textOf("2026-01-02T03:04:05.000Z"),
		})
	}
	return o
}

func recordOf(records []record, id string) record {
	if at := slices.IndexFunc(records, func(r record) bool { return r.id() == id }); at >= 0 {
		return records[at]
	}
	return nil
}

func (o *specOrigin) set(fault, path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fault, o.at = fault, regexp.MustCompile("^"+path+"$")
}

func (o *specOrigin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	path := r.URL.Path
	parts := strings.Split(path, "/")
	last := parts[len(parts)-1]
	var list []record
	var content []byte
	switch {
	case path == "/financialyears/current":
		content, _ = json.Marshal(record{"_id": textOf(cmp.Or(o.year, "year")), "startDate": textOf("2026"), "endDate": textOf("2026"), "isCurrentYear": json.RawMessage("true")})
	case path == "/customers":
		list = o.customers
	case len(parts) == 3 && parts[1] == "customers" && recordOf(o.customers, last) != nil:
		content, _ = json.Marshal(recordOf(o.customers, last))
	case o.lists[path] != nil:
		list = o.lists[path]
	case path == "/minfin":
		list = o.minfin
	case len(parts) == 4 && last == "relations":
		list = []record{}
		for _, of := range o.customers {
			for _, r := range o.relations[of.id()] {
				if r.text("customer") == parts[2] || r.text("relatedCustomer") == parts[2] {
					list = append(list, r)
				}
			}
		}
	case len(parts) == 4 && last == "documents":
		list = append([]record{}, o.documents[parts[2]]...)
	case strings.HasPrefix(path, "/minfin/") && recordOf(o.minfin, last) == nil,
		strings.HasPrefix(path, "/customers/documents/") && recordOf(slices.Concat(slices.Collect(maps.Values(o.documents))...), parts[3]) == nil:
		http.NotFound(w, r)
		return
	case strings.HasPrefix(path, "/minfin/metadata/"):
		content, _ = json.Marshal(o.metadataOf(last))
	case strings.HasPrefix(path, "/transcripts/download/") && last == "metadata":
		content, _ = json.Marshal(o.metadataOf(parts[3]))
	case strings.HasPrefix(path, "/minfin/download/"):
		content = o.bytesOf(last)
	case strings.HasPrefix(path, "/transcripts/download/") && last == "file", strings.HasPrefix(path, "/customers/documents/"):
		content = o.bytesOf(parts[3])
	default:
		http.NotFound(w, r)
		return
	}
	o.asked[identifier.ReplaceAllString(path, "/ID$2")]++
	fault := ""
	if o.chance != nil {
		fault = o.chance()
	}
	if o.at != nil && o.at.MatchString(path) {
		fault = o.fault
	}
	w.Header().Set("Content-Type", "application/json")
	if bytes.HasPrefix(content, []byte("%PDF")) {
		w.Header().Set("Content-Type", "application/pdf")
	}
	if list != nil {
		list = slices.Clone(list)
		total := len(list)
		switch {
		case fault == "a record without an identifier" && total > 0:
			list[0] = record{"name": textOf("nobody")}
		case fault == "null as a record" && total > 0:
			list[0] = nil
		case fault == "a number as an identifier" && total > 0:
			list[0] = record{"_id": json.RawMessage("4711")}
		case fault == "an empty list":
			list, total = []record{}, 0
		case fault == "a wrong total":
			total += 3
		}
		page, size := 1, 100
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
		_, _ = fmt.Sscan(r.URL.Query().Get("pageSize"), &size)
		switch {
		case fault == "all at once":
			size = len(list)
		case fault == "422 for a large page" && size > 100:
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		case fault == "404 behind the last page" && page > 1 && (page-1)*size >= len(list):
			w.WriteHeader(http.StatusNotFound)
			return
		}
		from := min(len(list), (page-1)*size)
		list = list[from:min(len(list), from+size)]
		content, _ = json.Marshal(map[string]any{"total": total, "count": len(list), "data": list})
	}
	switch fault {
	case "an HTML page with 200":
		w.Header().Set("Content-Type", "text/html")
		content = []byte(htmlPage)
	case "a JSON error with 200":
		w.Header().Set("Content-Type", "application/json")
		content = []byte(`{"error":"expired"}`)
	case "a text with 200":
		w.Header().Set("Content-Type", "text/plain")
		content = []byte("down for maintenance")
	case "an HTML page of no type":
		w.Header().Set("Content-Type", "application/octet-stream")
		content = []byte(htmlPage)
	case "too many requests":
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case "status 500", "status 403", "status 404":
		status, _ := strconv.Atoi(strings.TrimPrefix(fault, "status "))
		w.WriteHeader(status)
		return
	case "a connection that is cut":
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		content = content[:len(content)/2]
	case "a slow answer":
		time.Sleep(5 * time.Millisecond)
	}
	_, _ = w.Write(content)
}
