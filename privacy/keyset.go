package privacy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/daead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/mac"
	"github.com/tink-crypto/tink-go/v2/prf"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"github.com/tink-crypto/tink-go/v2/tink"

	"example.org/backoffice/backoffice"
)

const keysetFormat = "backoffice keyset 1"

// Keyset holds every key of an installation, one per purpose, so that nothing made for one purpose is valid for
// another. Safe for concurrent use.
//
// What an operator calls a key is one of each purpose: see generation. There are at most two, during a key rotation.
// The store decides which of them seals when the keyset is bound to one (Bind), else the file.
type Keyset struct {
	file    KeysetFile // no path for one in memory
	current atomic.Pointer[keysInUse]
	bound   *binding // nil until Bind
	signer  atomic.Pointer[Signer]
}

// keysInUse is an immutable snapshot of a keyset.
type keysInUse struct {
	*primitives
	all     []*generation
	primary *generation
	alias   *generation // also finds numbers; usually nil
	listed  []backoffice.Key
	taken   time.Time // read from the store at
}

// primitives make values by the primary key, and open those of all keys.
type primitives struct {
	numbers  tink.AEAD              // encrypts registration numbers: AES-256-GCM
	index    *prf.Set               // finds them again: HMAC-SHA-256 as a PRF
	cursors  tink.DeterministicAEAD // seals cursors: AES-SIV
	register tink.MAC               // chains the register of consultations: HMAC-SHA-256
	paths    tink.MAC               // signs download paths: HMAC-SHA-256, 128 bits
	contents tink.MAC               // digests what idempotency keys stand for: HMAC-SHA-256
}

// handles are the Tink keysets of a Keyset, by name. The primary key of one makes new values; the others open old ones.
type handles map[string]*keyset.Handle

type template struct {
	name     string
	template func() *tinkpb.KeyTemplate
}

var templates = []template{
	{"numbers", aead.AES256GCMKeyTemplate},
	{"index", prf.HMACSHA256PRFKeyTemplate},
	{"cursors", daead.AESSIVKeyTemplate},
	{"register", mac.HMACSHA256Tag256KeyTemplate},
	{"paths", mac.HMACSHA256Tag128KeyTemplate},
	{"contents", mac.HMACSHA256Tag256KeyTemplate},
}

// NewKeyset makes new keys, in memory only.
func NewKeyset() (*Keyset, error) {
	made, err := newHandles()
	if err != nil {
		return nil, err
	}
	return made.keyset(KeysetFile{})
}

// Fingerprint identifies a keyset without revealing it, for a store to reject another. It is that of the sealing key.
func (k *Keyset) Fingerprint() string { return k.use().primary.fingerprint }

func newHandles() (handles, error) {
	made := handles{}
	for _, t := range templates {
		handle, err := keyset.NewHandle(t.template())
		if err != nil {
			return nil, fmt.Errorf("creating the key %q: %w", t.name, err)
		}
		made[t.name] = handle
	}
	return made, nil
}

func (h handles) encode() ([]byte, error) {
	file := map[string]any{"format": keysetFormat}
	for name, handle := range h {
		var text bytes.Buffer
		if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&text)); err != nil {
			return nil, fmt.Errorf("writing the key %q: %w", name, err)
		}
		file[name] = json.RawMessage(text.Bytes())
	}
	text, err := json.MarshalIndent(file, "", "  ")
	return append(text, '\n'), err
}

// decode never quotes the file in an error: it holds the keys.
func decode(text []byte) (handles, error) {
	var file map[string]json.RawMessage
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, errors.New("it is not JSON, or cut off")
	}
	var format string
	if err := json.Unmarshal(file["format"], &format); err != nil || format != keysetFormat {
		return nil, fmt.Errorf("it is not of the format %q", keysetFormat)
	}
	read := handles{}
	for _, t := range templates {
		if _, ok := file[t.name]; !ok {
			return nil, fmt.Errorf("it lacks the key %q", t.name)
		}
	}
	for name, raw := range file {
		if name != signing && !slices.ContainsFunc(templates, func(t template) bool { return t.name == name }) {
			continue
		}
		handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(raw)))
		if err != nil {
			return nil, fmt.Errorf("its key %q is damaged", name)
		}
		read[name] = handle
	}
	return read, nil
}
