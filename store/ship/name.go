package ship

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	ownerName   = "owner"       // whose store it is, and the key that seals
	generations = "generations" // the folder of the generations
	shipped     = "files"       // the folder of stored files
)

// object is the name of a snapshot, of transactions, or of a bundle of such: which they are, and where they lead.
type object struct {
	generation string
	first      uint64    // its first transaction within the generation; a snapshot is the first one
	after      uint64    // of a bundle, the first transaction after it; 0 for others
	from, to   int64     // the number of the last entry of the change log before and after it
	at         time.Time // everything committed before is in it, or in an earlier one
}

func (o object) String() string {
	after, kind := "", "ltx"
	if o.after > 0 {
		after, kind = fmt.Sprintf("-%012d", o.after), "tar"
	}
	return path.Join(generations, o.generation, fmt.Sprintf("%012d%s-%010d-%010d-%d.%s", o.first, after, o.from, o.to,
		o.at.UnixMilli(), kind))
}

var objectName = regexp.MustCompile(`^` + generations +
	`/(\d{8}-[0-9a-f]{8})/(\d{12})(?:-(\d{12}))?-(\d{10,})-(\d{10,})-(\d+)\.(?:ltx|tar)$`)

func parseObject(name string) (o object, ok bool) {
	parts := objectName.FindStringSubmatch(name)
	if parts == nil {
		return o, false
	}
	var errs [4]error
	var at int64
	o.generation = parts[1]
	o.first, errs[0] = strconv.ParseUint(parts[2], 10, 64)
	o.after, _ = strconv.ParseUint(parts[3], 10, 64)
	o.from, errs[1] = strconv.ParseInt(parts[4], 10, 64)
	o.to, errs[2] = strconv.ParseInt(parts[5], 10, 64)
	at, errs[3] = strconv.ParseInt(parts[6], 10, 64)
	o.at = time.UnixMilli(at)
	return o, errs == [4]error{} && o.String() == name
}

// objects returns what was shipped in the order in which it is applied.
func objects(ctx context.Context, from backoffice.ObjectStore) (all []object, err error) {
	err = from.List(ctx, generations, "", func(name string) error {
		if o, ok := parseObject(name); ok {
			all = append(all, o)
		}
		return nil
	})
	sortObjects(all)
	return all, err
}

func sortObjects(all []object) {
	slices.SortFunc(all, func(a, b object) int {
		return cmp.Or(cmp.Compare(a.generation, b.generation), cmp.Compare(a.first, b.first),
			cmp.Compare(b.after, a.after))
	})
}

// chain is a generation: a snapshot, and what was committed after it, in order.
type chain []object

// list returns the generations that have a snapshot, the oldest first, and a name for a new one.
func list(ctx context.Context, from backoffice.ObjectStore) (all []chain, next string, err error) {
	found, last := map[string]chain{}, 0
	each, err := objects(ctx, from)
	if err != nil {
		return nil, "", err
	}
	for _, o := range each {
		found[o.generation] = append(found[o.generation], o)
	}
	for name, c := range found {
		number, _, _ := strings.Cut(name, "-")
		n, _ := strconv.Atoi(number)
		last = max(last, n)
		if c[0].first == 1 {
			all = append(all, c.bundled())
		}
	}
	slices.SortFunc(all, func(a, b chain) int { return strings.Compare(a[0].generation, b[0].generation) })
	id := strings.ReplaceAll(backoffice.NewID(), "-", "")
	return all, fmt.Sprintf("%08d-%s", last+1, id[len(id)-8:]), nil
}
