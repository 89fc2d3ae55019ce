package auth

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// actsAs are the product's calls that make a context somebody's, each with the reason why it is not Begin that does.
var actsAs = map[string]string{
	"auth/inflight.go begin":       "it is Begin",
	"gateway/agents.go beginTool":  "the caller that Begin put there, without privacy.read",
	"gateway/admission.go part":    "a part of what was begun, for the same principal with a session of its own",
	"gateway/operator.go Operator": "the operator's own process: nobody can take their rights away",
}

// actors finds the functions of Go sources that put a principal into a context.
func actors(t *testing.T, house fs.FS) (found []string) {
	t.Helper()
	err := fs.WalkDir(house, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != "." || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(house, path)
		if err != nil || !strings.Contains(string(text), "Principal") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if !ok || path == "auth/principal.go" || strings.HasPrefix(path, "backoffice/") {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if puts(n) {
					found = append(found, path+" "+f.Name.Name)
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// puts reports whether a node names what puts a principal into a context, or gives a request one.
func puts(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident:
		return n.Name == "WithPrincipal"
	case *ast.AssignStmt:
		return slices.ContainsFunc(n.Lhs, func(to ast.Expr) bool {
			field, ok := to.(*ast.SelectorExpr)
			return ok && field.Sel.Name == "Principal"
		})
	}
	return false
}

// A transport that lives longer than one answer has its caller by Begin, or nobody: there is no other way to a principal.
func TestWhoeverActsAsSomebodyHasBegun(t *testing.T) {
	t.Parallel()
	found := actors(t, os.DirFS(".."))
	for _, of := range found {
		if actsAs[of] == "" {
			t.Errorf("%s puts a principal into a context: Begin does, so that what it does ends with their rights", of)
		}
	}
	for of := range actsAs {
		if !slices.Contains(found, of) {
			t.Errorf("%s does it no more", of)
		}
	}
}

func TestATransportThatDoesNotBeginIsFound(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, does := range []string{"ctx = auth.WithPrincipal(ctx, principal)", "request.Principal = principal"} {
		text := "package newcomer\n\nfunc carrier() { " + does + " }\n"
		if err := os.WriteFile(folder+"/carrier.go", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if found := actors(t, os.DirFS(folder)); !slices.Equal(found, []string{"carrier.go carrier"}) || actsAs[found[0]] != "" {
			t.Errorf("%s is found: %q", does, found)
		}
	}
}
