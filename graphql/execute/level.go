package execute

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
)

// Runner runs the calls of one level and returns when all have returned. It gets all of them at once, so that loaders
// can be flushed when the last has asked. last means that no level follows.
type Runner func(ctx context.Context, calls []func(context.Context), last bool)

// Concurrently is the plain Runner: one goroutine per call.
func Concurrently(ctx context.Context, calls []func(context.Context), _ bool) {
	var all sync.WaitGroup
	for _, call := range calls[1:] {
		all.Go(func() { call(ctx) })
	}
	calls[0](ctx)
	all.Wait()
}

// group is the objects of one type at one path of the answer.
type group struct {
	selection *selection
	from      *frame // the field that returned them; nil at the root
	objects   List
	frames    []frame // the selection's columns
	next      int     // which object is written next
}

// frame is a column of a group: a call, and later its results.
type frame struct {
	field *field
	group *group
	args  map[string]any // when they are decoded already

	// The outcome of the call: err for all objects, or errs, if not nil, for some.
	err  error
	errs []error

	// The results: a field of leaves sets the column itself; one of objects sets which rows have one.
	leaves     putter
	counts     []int32  // of lists: how many elements each has, -1 for none
	kinds      []uint16 // of each element: its group, from 1; 0 for null; nil when all are in the first
	below      []List
	groups     []group
	prefetched bool // called before its object was there
	next       int  // which element is written next
	index      int  // its index in the list that is being written
}

type run struct {
	ctx       context.Context
	executor  *Executor
	operation *graphql.OperationContext
	plan      *plan
	pending   []*frame // the resolvers of the next level
	level     []*frame
	calls     []func(context.Context)
}

// execute calls all resolvers, level by level. It fails when a query's request ends before they all were called. A
// mutation stops calling resolvers then, but reports what it has done.
func (r *run) execute(root *group) error {
	if !r.plan.serial {
		r.open(root)
		return r.levels()
	}
	root.frames = r.frames(root)
	for i := range root.frames {
		r.pending = append(r.pending, &root.frames[i])
		if err := r.levels(); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) levels() error {
	for len(r.pending) > 0 {
		r.level, r.pending = r.pending, r.level[:0]
		if err := r.ctx.Err(); err != nil {
			if !r.plan.serial {
				return err
			}
			for _, f := range r.level {
				f.err = err
			}
			continue
		}
		for _, f := range r.level { // those added by prefetch have none of their own
			r.prefetch(f)
		}
		r.calls = r.calls[:0]
		for _, f := range r.level {
			r.calls = append(r.calls, func(ctx context.Context) { r.call(ctx, f) })
		}
		r.executor.options.Runner(r.ctx, r.calls, !r.plan.serial && !slices.ContainsFunc(r.level, (*frame).leadsOn))
		for _, f := range r.level {
			if !f.prefetched {
				r.spread(f)
			}
		}
	}
	return nil
}

// leadsOn reports whether resolvers below the field will be called in a later level.
func (f *frame) leadsOn() bool {
	return f.field.levelsBelow || len(f.field.prefetched) > 0 && f.groups == nil
}

// prefetch adds to a level the calls that do not need the object of a root field.
func (r *run) prefetch(f *frame) {
	if len(f.field.prefetched) == 0 {
		return
	}
	args, err := arguments(r.ctx, f.field, r.operation)
	if err != nil {
		return // the call reports it
	}
	f.args = args
	f.groups = []group{{selection: f.field.below[0], from: f, objects: f.field.def.Identified(args)}}
	g := &f.groups[0]
	g.frames = r.frames(g)
	for _, at := range f.field.prefetched {
		g.frames[at].prefetched = true
		r.level = append(r.level, &g.frames[at])
	}
}

// open opens a group's selections. Resolvers wait for the next level; everything else is read from the objects now, so
// that resolvers at different depths run together.
func (r *run) open(g *group) {
	if g.frames == nil {
		g.frames = r.frames(g)
	}
	for i := range g.frames {
		f := &g.frames[i]
		if f.prefetched {
			r.spread(f)
			continue
		}
		if f.field.def.Resolver {
			r.pending = append(r.pending, f)
			continue
		}
		r.call(r.ctx, f)
		r.spread(f)
	}
}

func (r *run) frames(g *group) []frame {
	frames := make([]frame, len(g.selection.columns))
	for i, f := range g.selection.columns {
		frames[i].field, frames[i].group = f, g
	}
	return frames
}

// call runs a field for all objects of its group and stores the outcome in the frame.
func (r *run) call(ctx context.Context, f *frame) {
	defer func() {
		if fault := recover(); fault != nil {
			f.below, f.leaves = nil, nil
			f.err = recovered(ctx, fault)
		}
	}()
	def := f.field.def
	if f.group.selection == r.plan.root {
		ctx = rootContext(ctx, f.field)
	}
	args := f.args
	if args == nil {
		var err error
		if args, err = arguments(ctx, f.field, r.operation); err != nil {
			f.err = err
			return
		}
	}
	if fc := graphql.GetFieldContext(ctx); fc != nil {
		fc.Args = args
	}
	if def.Guard == nil {
		r.ask(ctx, f, args)
		return
	}
	asked := new(int)
	result, err := def.Guard(ctx, func(ctx context.Context) (any, error) {
		r.ask(ctx, f, args)
		return asked, nil
	})
	if err == nil && result != asked {
		err = fmt.Errorf("a directive of %s has a result of its own", f.name())
	}
	if err != nil {
		*f = frame{field: f.field, group: f.group, prefetched: f.prefetched, err: err}
	}
}

// ask calls the resolver and checks that it returns one result per object.
func (r *run) ask(ctx context.Context, f *frame, args map[string]any) {
	def, objects := f.field.def, f.group.objects
	if r.executor.options.Attach != nil && def.Resolver {
		ctx = r.executor.options.Attach(ctx, f.field.prepared)
	}
	column, err := def.Call(ctx, objects, args)
	if each, ok := err.(graphql.BatchErrors); ok {
		f.errs = each.Errors()
		if len(f.errs) != objects.Len() {
			f.err = fmt.Errorf("the resolver of %s returned %d errors for %d objects",
				f.name(), len(f.errs), objects.Len())
			return
		}
	} else if err != nil {
		f.err = err
		return
	}
	if column.rows() != objects.Len() {
		f.err = fmt.Errorf("the resolver of %s returned %d results for %d objects",
			f.name(), column.rows(), objects.Len())
		return
	}
	if f.errs != nil {
		column = column.without(f.errs)
	}
	column.spread(f)
}

func (f *frame) name() string { return f.field.object.Name + "." + f.field.def.Name }

// spread opens the groups of objects that a field has returned.
func (r *run) spread(f *frame) {
	if f.groups == nil {
		f.groups = make([]group, len(f.below))
	}
	for i, objects := range f.below {
		g := &f.groups[i]
		g.selection, g.from, g.objects = f.field.below[i], f, objects
		if objects.Len() > 0 {
			r.open(g)
		}
	}
}

func arguments(ctx context.Context, f *field, operation *graphql.OperationContext) (map[string]any, error) {
	if f.def.Args == nil {
		return nil, nil
	}
	return f.def.Args(ctx, f.source.ArgumentMap(operation.Variables))
}

// rootContext is what gqlgen passes to the resolver of a root field.
func rootContext(ctx context.Context, f *field) context.Context {
	ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: f.object.Name})
	ctx = graphql.WithRootFieldContext(ctx, &graphql.RootFieldContext{Object: f.source.Name, Field: f.source})
	return graphql.WithFieldContext(ctx, fieldContext(f))
}

func fieldContext(f *field) *graphql.FieldContext {
	return &graphql.FieldContext{Object: f.object.Name, Field: f.source, IsMethod: f.def != nil && f.def.Call != nil,
		IsResolver: f.def != nil && f.def.Resolver}
}
