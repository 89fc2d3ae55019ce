package execute

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

var errNull = errors.New("the requested element is null which the schema does not allow")

// recovered has the handler's RecoverFunc make an error of a panic. Call it where it was recovered, to show its stack.
func recovered(ctx context.Context, fault any) error {
	return graphql.GetOperationContext(ctx).RecoverFunc(ctx, fault)
}

func (r *run) context() context.Context {
	return graphql.WithFieldContext(r.ctx, &graphql.FieldContext{Object: r.plan.root.object.Name})
}

// groupContext is the context in which gqlgen would report errors of g's object: it has the object's path.
func groupContext(root context.Context, g *group) context.Context {
	if g.from == nil {
		return root
	}
	ctx := graphql.WithFieldContext(groupContext(root, g.from.group), fieldContext(g.from.field))
	if !g.from.field.def.List {
		return ctx
	}
	index := g.from.index
	return graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: &index})
}

func (w *Writer) contextOf(g *group, f *field) context.Context {
	return graphql.WithFieldContext(groupContext(w.run.context(), g), fieldContext(f))
}

// full counts an error and reports whether it exceeds the limit.
func (w *Writer) full() bool {
	if w.errors++; w.errors <= w.run.executor.options.MaxErrors {
		return false
	}
	w.omitted++
	return true
}

// addError adds an error of field f of the object of g that is being written.
func (w *Writer) addError(g *group, f *field, err error) {
	if !w.full() {
		add(w.contextOf(g, f), f, err)
	}
}

// add adds an error with the path and the locations of a field instead of its own path: one error may belong to many
// objects, and that of an argument has a path into the arguments.
func add(ctx context.Context, f *field, err error) {
	located := &gqlerror.Error{Err: err, Message: err.Error()}
	if known, ok := errors.AsType[*gqlerror.Error](err); ok {
		located.Message, located.Rule, located.Extensions = known.Message, known.Rule, known.Extensions
	}
	located.Path, located.Locations = graphql.GetPath(ctx), f.places
	graphql.AddError(ctx, located)
}

// addNullError reports that a field is null and must not be, unless a resolver at the root has reported why already.
func (w *Writer) addNullError(g *group, f *field) {
	if w.full() {
		return
	}
	ctx := w.contextOf(g, f)
	if g.from == nil && graphql.HasFieldError(ctx, graphql.GetFieldContext(ctx)) {
		return
	}
	add(ctx, f, errNull)
}

func (w *Writer) addElementError(fr *frame) {
	if !w.full() {
		add(groupContext(w.run.context(), &group{from: fr}), fr.field, errNull)
	}
}
