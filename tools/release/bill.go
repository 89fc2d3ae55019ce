package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// bill is the bill of materials of a program, as CycloneDX: the modules that its build names, Go itself, and the npm
// packages in the two embedded pages, which no tool finds that looks at a program alone.
func (r release) bill(info *debug.BuildInfo) (func(w io.Writer) error, error) {
	parts := []cyclonedx.Component{part("golang", "std", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		parts = append(parts, part("golang", module.Path, module.Version, module.Sum))
	}
	packages, err := r.packages()
	if err != nil {
		return nil, err
	}
	parts = append(parts, packages...)
	program := part("golang", info.Main.Path, info.Main.Version, "")
	program.Type = cyclonedx.ComponentTypeApplication
	needs := make([]string, len(parts))
	for i := range parts {
		needs[i] = parts[i].BOMRef
	}
	document := cyclonedx.NewBOM()
	document.Metadata = &cyclonedx.Metadata{Component: &program}
	document.Components = &parts
	document.Dependencies = &[]cyclonedx.Dependency{{Ref: program.BOMRef, Dependencies: &needs}}
	return func(w io.Writer) error {
		return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(document, cyclonedx.SpecVersion1_6)
	}, nil
}

// part is a component. sum is what go.sum says of a module: h1: and a SHA-256 in base64.
func part(kind, name, version, sum string) cyclonedx.Component {
	escaped := strings.ReplaceAll(url.PathEscape(name), "%2F", "/")
	if scope, rest, scoped := strings.Cut(name, "/"); kind == "npm" && scoped {
		escaped = "%40" + strings.TrimPrefix(scope, "@") + "/" + rest
	}
	address := fmt.Sprintf("pkg:%s/%s@%s", kind, escaped, url.PathEscape(version))
	c := cyclonedx.Component{BOMRef: address, Type: cyclonedx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: address}
	if digest, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:")); err == nil && len(digest) > 0 {
		c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(digest)}}
	}
	return c
}

// listed is a package's line in the list that the build of the page /graphiql makes: its name, version and license.
var listed = regexp.MustCompile(`(?m)^## (\S+) - (\S+) \(([^)]*)\)$`)

// unlisted are the packages that are copied into the pages as they are, by the page.
var unlisted = map[string]string{"web/graphiql": "@fontsource/fira-code", "web/apidocs": "swagger-ui-dist"}

// packages are the npm packages in the embedded pages.
func (r release) packages() (found []cyclonedx.Component, err error) {
	text, err := os.ReadFile(filepath.Join(r.root, "web/graphiql/dist/licenses.md"))
	if err != nil {
		return nil, err
	}
	for _, line := range listed.FindAllStringSubmatch(string(text), -1) {
		c := part("npm", line[1], line[2], "")
		c.Licenses = &cyclonedx.Licenses{{Expression: line[3]}}
		found = append(found, c)
	}
	for page, name := range unlisted {
		text, err := os.ReadFile(filepath.Join(r.root, page, "page/package-lock.json"))
		if err != nil {
			return nil, err
		}
		var lock struct {
			Packages map[string]struct{ Version, License string }
		}
		if err := json.Unmarshal(text, &lock); err != nil {
			return nil, err
		}
		locked := lock.Packages["node_modules/"+name]
		c := part("npm", name, locked.Version, "")
		c.Licenses = &cyclonedx.Licenses{{Expression: locked.License}}
		found = append(found, c)
	}
	slices.SortFunc(found, func(a, b cyclonedx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	return found, nil
}
