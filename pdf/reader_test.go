package pdf_test

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

func TestMain(m *testing.M) {
	api.DisableConfigDir() // nothing of these tests is written outside of them
	m.Run()
}

// reading is a document as a screen reader finds it.
type reading struct {
	*model.Context
	catalog   types.Dict
	elements  []readElement // in reading order, parents before their children
	artifacts [][]string    // for each page, what is drawn and not read
	pages     int
}

type readElement struct {
	role, scope, text string
	depth             int
	pages             map[int]bool
}

// read checks a file strictly and reads it through its structure tree. It fails when marked content belongs to no
// element or to two, or when anything is drawn that is neither marked nor an artifact.
func read(t *testing.T, data []byte) *reading {
	t.Helper()
	conf := model.NewDefaultConfiguration()
	conf.ValidationMode = model.ValidationStrict
	if err := api.Validate(bytes.NewReader(data), conf); err != nil {
		t.Fatalf("not a valid PDF: %v", err)
	}
	ctx, err := api.ReadContext(bytes.NewReader(data), model.NewDefaultConfiguration())
	must(t, err)
	must(t, ctx.EnsurePageCount())
	r := &reading{Context: ctx, pages: ctx.PageCount}
	r.catalog, err = ctx.Catalog()
	must(t, err)
	content := make([]map[int]string, r.pages)
	numbers := map[int]int{} // of page objects
	for i := range r.pages {
		page, reference, _, err := ctx.PageDict(i+1, false)
		must(t, err)
		numbers[reference.ObjectNumber.Value()] = i
		if *page.IntEntry("StructParents") != i || *page.NameEntry("Tabs") != "S" {
			t.Errorf("page %d isn't tied to the structure", i+1)
		}
		drawn, err := ctx.PageContent(page, i+1)
		must(t, err)
		var artifacts []string
		content[i], artifacts = r.readPage(t, drawn)
		r.artifacts = append(r.artifacts, artifacts)
	}
	root, err := ctx.DereferenceDict(r.catalog["StructTreeRoot"])
	must(t, err)
	owners := make([]map[int]int, r.pages)
	for i := range owners {
		owners[i] = map[int]int{}
	}
	r.walk(t, root["K"], *r.catalog.IndirectRefEntry("StructTreeRoot"), 0, content, numbers, owners)
	r.checkParentTree(t, root, content, owners)
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var (
	opening = regexp.MustCompile(`^/([A-Z][A-Za-z0-9]*) <</MCID ([0-9]+)>> BDC$`)
	shown   = regexp.MustCompile(`^BT .*> Tj ET$`)
	pieces  = regexp.MustCompile(`<([0-9A-F]*)> Tj`)
)

// readPage returns the text of each marked content, and of each artifact that has some.
func (r *reading) readPage(t *testing.T, drawn []byte) (marked map[int]string, artifacts []string) {
	t.Helper()
	marked = map[int]string{}
	current, inArtifact := -1, false
	for _, line := range strings.Split(strings.TrimSpace(string(drawn)), "\n") {
		switch match := opening.FindStringSubmatch(line); {
		case match != nil:
			current, _ = strconv.Atoi(match[2])
			if _, twice := marked[current]; twice {
				t.Errorf("content %d occurs twice", current)
			}
			marked[current] = ""
		case line == "/Artifact BMC":
			inArtifact = true
		case line == "EMC":
			current, inArtifact = -1, false
		case current < 0 && !inArtifact:
			t.Errorf("drawn outside of the structure: %s", line)
		default:
			text := shown.FindStringSubmatch(line)
			if text == nil {
				continue
			}
			decoded := ""
			for _, piece := range pieces.FindAllStringSubmatch(line, -1) { // one for each font
				decoded += decode(t, piece[1])
			}
			if inArtifact {
				artifacts = append(artifacts, decoded)
			} else {
				marked[current] += decoded
			}
		}
	}
	return marked, artifacts
}

func decode(t *testing.T, codes string) string {
	t.Helper()
	raw, err := hex.DecodeString(codes)
	must(t, err)
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	return string(utf16.Decode(units))
}

func (r *reading) walk(t *testing.T, o types.Object, parent types.IndirectRef, depth int, content []map[int]string, pages map[int]int, owners []map[int]int) {
	t.Helper()
	reference := o.(types.IndirectRef)
	dict, err := r.DereferenceDict(o)
	must(t, err)
	if *dict.IndirectRefEntry("P") != parent {
		t.Errorf("an element names another parent")
	}
	element := readElement{role: *dict.NameEntry("S"), depth: depth, pages: map[int]bool{}}
	if attributes := dict.DictEntry("A"); attributes != nil {
		element.scope = *attributes.NameEntry("Scope")
	}
	at := len(r.elements)
	r.elements = append(r.elements, element)
	own := func(page int, mcid int) {
		if _, taken := owners[page][mcid]; taken {
			t.Errorf("content %d of page %d belongs to two elements", mcid, page+1)
		}
		text, there := content[page][mcid]
		if !there {
			t.Errorf("content %d of page %d is nowhere", mcid, page+1)
		}
		owners[page][mcid] = reference.ObjectNumber.Value()
		element.text += text
		element.pages[page] = true
	}
	for _, k := range dict.ArrayEntry("K") {
		switch k := k.(type) {
		case types.Integer:
			own(pages[dict.IndirectRefEntry("Pg").ObjectNumber.Value()], k.Value())
		case types.Dict:
			own(pages[k.IndirectRefEntry("Pg").ObjectNumber.Value()], *k.IntEntry("MCID"))
		default:
			r.walk(t, k, reference, depth+1, content, pages, owners)
		}
	}
	r.elements[at] = element
}

func (r *reading) checkParentTree(t *testing.T, root types.Dict, content []map[int]string, owners []map[int]int) {
	t.Helper()
	tree, err := r.DereferenceDict(root["ParentTree"])
	must(t, err)
	entries := tree.ArrayEntry("Nums")
	if len(entries) != 2*r.pages {
		t.Fatalf("the parent tree has %d entries for %d pages", len(entries), r.pages)
	}
	for page := range r.pages {
		list := entries[2*page+1].(types.Array)
		if len(list) != len(content[page]) || len(owners[page]) != len(content[page]) {
			t.Errorf("page %d has %d contents, %d owned, %d in the parent tree", page+1, len(content[page]), len(owners[page]), len(list))
		}
		for mcid, owner := range list {
			if owner.(types.IndirectRef).ObjectNumber.Value() != owners[page][mcid] {
				t.Errorf("the parent tree names another owner of content %d", mcid)
			}
		}
	}
}

// texts are those of all elements of a role, in reading order.
func (r *reading) texts(role string) []string {
	var texts []string
	for _, e := range r.elements {
		if e.role == role {
			texts = append(texts, e.text)
		}
	}
	return texts
}

// text is everything that is read, an element a line.
func (r *reading) text() string {
	var b strings.Builder
	for _, e := range r.elements {
		if e.text != "" {
			b.WriteString(e.text + "\n")
		}
	}
	return b.String()
}
