package execute

import (
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// plan is a compiled operation: fields merged, fragments and type conditions flattened, @skip and @include decided. It
// is immutable and shared by all requests with this operation.
type plan struct {
	root   *selection
	serial bool // a mutation
	bytes  int
	answer atomic.Int64 // the size of the last answer, in bytes
}

// selection is what is selected of objects of one type. Equal parts of a document share a selection, so a plan is no
// larger than its document times the number of types.
type selection struct {
	object  *Object
	fields  []field
	columns []*field // those that have a column, in order
	end     []byte
}

// field is a field of a selection: all its occurrences in the document, merged.
type field struct {
	def        *Field // nil for __typename
	object     *Object
	source     graphql.CollectedField
	places     []gqlerror.Location
	prefix     []byte // written before the value: `{"name":` or `,"name":`
	typename   []byte // the value of __typename
	column     int    // its index among the selection's columns
	below      []*selection
	prefetched []int // of a root field: the columns below that need only its object's identifier

	levelsBelow bool // resolvers below are called in later levels
	prepared    any
}

// Selection is a field as the loaders of its objects see it.
type Selection struct{ field *field }

func (s Selection) Name() string { return s.field.source.Name }

// Names are the names of all fields below that read from this field's result, each once: those of the next resolvers
// too, since they may start from a value of the object, and for a connection those under nodes, edges and node.
func (s Selection) Names() []string {
	var names []string
	seen := map[string]bool{}
	walked := map[*selection]bool{}
	var walk func(f *field)
	walk = func(f *field) {
		for _, below := range f.below {
			if walked[below] {
				continue
			}
			walked[below] = true
			for i := range below.fields {
				child := Selection{&below.fields[i]}
				if !seen[child.Name()] {
					seen[child.Name()] = true
					names = append(names, child.Name())
				}
				if child.field.def == nil || !child.field.def.Resolver {
					walk(child.field)
				}
			}
		}
	}
	walk(s.field)
	return names
}
