package evidence

import (
	"archive/zip"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"example.org/backoffice/backoffice"
)

// Verified is what Verify found.
type Verified struct {
	Manifest Manifest
	Key      ed25519.PublicKey // by which the signature was checked
	Problems []string          // nil for an authentic pack
}

// mostOfManifest bounds a manifest that Verify reads; it is enough for a million entries.
const mostOfManifest = 256 << 20

// Verify checks a pack: the signature by a public key (nil: the one in the pack, whose fingerprint the reader must
// compare), that each entry has its digest, and that none is missing or was added. It reports each problem. Errors:
// BadInput when the file is no pack; those of r.
func Verify(r io.ReaderAt, size int64, key ed25519.PublicKey) (*Verified, error) {
	pack, err := zip.NewReader(r, size)
	if err != nil {
		return nil, notPack("it is not a zip, or it is cut off")
	}
	v := &Verified{Key: key}
	entries := map[string]*zip.File{}
	for _, entry := range pack.File {
		if entries[entry.Name] != nil {
			v.problemf("%q is in the pack twice", entry.Name)
		}
		entries[entry.Name] = entry
	}
	text, err := small(entries, ManifestName, mostOfManifest)
	if err != nil {
		return nil, err
	}
	signature, err := small(entries, SignatureName, ed25519.SignatureSize)
	if err != nil {
		return nil, err
	}
	if v.Key == nil {
		shown, err := small(entries, KeyName, 10<<10)
		if err != nil {
			return nil, err
		}
		if v.Key, err = ParseKey(shown); err != nil {
			return nil, err
		}
	}
	if !ed25519.Verify(v.Key, text, signature) {
		v.problemf("the manifest is not signed by this key")
	}
	if err := json.Unmarshal(text, &v.Manifest); err != nil || v.Manifest.Format != Format {
		return nil, notPack("its manifest is not one of " + Format)
	}
	if fingerprint := Fingerprint(v.Key); v.Manifest.Key != fingerprint {
		v.problemf("the manifest names another key")
	}
	v.compare(entries)
	return v, nil
}

func (v *Verified) problemf(format string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

func (v *Verified) compare(entries map[string]*zip.File) {
	listed := map[string]bool{ManifestName: true, SignatureName: true}
	for _, want := range v.Manifest.Entries {
		if listed[want.Name] {
			v.problemf("the manifest lists %q twice", want.Name)
			continue
		}
		listed[want.Name] = true
		entry := entries[want.Name]
		if entry == nil {
			v.problemf("%q is missing", want.Name)
			continue
		}
		size, digest, err := digestOf(entry)
		if err != nil || size != want.Size || digest != want.SHA256 {
			v.problemf("%q was changed", want.Name)
		}
	}
	var added []string
	for name := range entries {
		if !listed[name] {
			added = append(added, name)
		}
	}
	slices.Sort(added)
	for _, name := range added {
		v.problemf("%q was added", name)
	}
}

func digestOf(entry *zip.File) (size int64, digest string, err error) {
	content, err := entry.Open()
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = content.Close() }()
	sum := sha256.New()
	size, err = io.Copy(sum, content)
	return size, hex.EncodeToString(sum.Sum(nil)), err
}

// small reads an entry that a pack must have.
func small(entries map[string]*zip.File, name string, most int64) ([]byte, error) {
	entry := entries[name]
	if entry == nil {
		return nil, notPack("it has no " + name)
	}
	content, err := entry.Open()
	if err != nil {
		return nil, notPack(name + " is damaged")
	}
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(io.LimitReader(content, most+1))
	if err != nil || int64(len(text)) > most {
		return nil, notPack(name + " is damaged")
	}
	return text, nil
}

func notPack(why string) error {
	return backoffice.Errorf(backoffice.BadInput, "this is not a whole pack of evidence: %s", why)
}
