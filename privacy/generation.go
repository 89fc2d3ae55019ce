package privacy

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/daead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/mac"
	"github.com/tink-crypto/tink-go/v2/prf"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"google.golang.org/protobuf/proto"

	"example.org/backoffice/backoffice"
)

// generation is what an operator calls a key: one Tink key per purpose. It is named after the one that seals
// registration numbers. Later keys have the same Tink identifier for each purpose; those of a first generation do not.
type generation struct {
	id          string
	ids         map[string]uint32 // by purpose
	fingerprint string
	made        *primitives // with this key as the primary; all open
}

// prefix is what its values of a purpose start with (Tink's output prefix).
func (g *generation) prefix(purpose string) []byte {
	return binary.BigEndian.AppendUint32([]byte{1}, g.ids[purpose])
}

func nameOfKey(id uint32) string { return hex.EncodeToString(binary.BigEndian.AppendUint32(nil, id)) }

type tinkKey = tinkpb.Keyset_Key

const sealing = "numbers" // the purpose whose key names a generation

func material(h *keyset.Handle) *tinkpb.Keyset { return insecurecleartextkeyset.KeysetMaterial(h) }

func handleOf(material *tinkpb.Keyset) (*keyset.Handle, error) {
	text, err := proto.Marshal(material)
	if err != nil {
		return nil, err
	}
	return insecurecleartextkeyset.Read(keyset.NewBinaryReader(bytes.NewReader(text)))
}

// generations returns the keys of a file, in order, and which of them is the file's primary.
func (h handles) generations() (all []*generation, primary *generation, err error) {
	numbers := material(h[sealing])
	ids := backoffice.Map(numbers.GetKey(), (*tinkKey).GetKeyId)
	for _, id := range ids {
		g := &generation{id: nameOfKey(id), ids: map[string]uint32{}}
		for _, t := range templates {
			keys := material(h[t.name]).GetKey()
			at := slices.IndexFunc(keys, func(key *tinkKey) bool { return key.GetKeyId() == id })
			if at < 0 { // of a first generation
				at = slices.IndexFunc(keys, func(key *tinkKey) bool { return !slices.Contains(ids, key.GetKeyId()) })
			}
			if at < 0 {
				return nil, nil, fmt.Errorf("its key %q has no part %s", t.name, g.id)
			}
			g.ids[t.name] = keys[at].GetKeyId()
		}
		if g.made, err = h.primitives(g.ids); err != nil {
			return nil, nil, err
		}
		print, err := g.indexOf(parts("fingerprint"))
		if err != nil {
			return nil, nil, err
		}
		g.fingerprint = hex.EncodeToString(print)
		all = append(all, g)
		if id == numbers.GetPrimaryKeyId() {
			primary = g
		}
	}
	return all, primary, nil
}

func (g *generation) indexOf(content []byte) ([]byte, error) {
	return g.made.index.ComputePrimaryPRF(content, backoffice.IndexSize)
}

func (h handles) primitives(primary map[string]uint32) (*primitives, error) {
	turned := handles{}
	for _, t := range templates {
		of := material(h[t.name])
		of.PrimaryKeyId = primary[t.name]
		var err error
		if turned[t.name], err = handleOf(of); err != nil {
			return nil, fmt.Errorf("its key %q is damaged", t.name)
		}
	}
	var p primitives
	var errs [6]error
	p.numbers, errs[0] = aead.New(turned["numbers"])
	p.index, errs[1] = prf.NewPRFSet(turned["index"])
	p.cursors, errs[2] = daead.New(turned["cursors"])
	p.register, errs[3] = mac.New(turned["register"])
	p.paths, errs[4] = mac.New(turned["paths"])
	p.contents, errs[5] = mac.New(turned["contents"])
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("the key %q is of the wrong kind", templates[i].name)
		}
	}
	return &p, nil
}

// keyset makes the Keyset of a file, which seals by the file's own primary.
func (h handles) keyset(of KeysetFile) (*Keyset, error) {
	all, primary, err := h.generations()
	if err != nil {
		return nil, err
	}
	if primary == nil {
		return nil, errors.New("the keyset has no primary key")
	}
	signer, err := signerOf(h[signing])
	if err != nil {
		return nil, err
	}
	k := &Keyset{file: of}
	k.signer.Store(signer)
	in := &keysInUse{primitives: primary.made, all: all, primary: primary, taken: time.Now()}
	in.alias = in.find(func(g *generation) bool { return g != primary })
	k.current.Store(in)
	return k, nil
}

func (in *keysInUse) generation(id string) *generation {
	return in.find(func(g *generation) bool { return g.id == id })
}

// find returns the first generation that is so, nil for none.
func (in *keysInUse) find(is func(*generation) bool) *generation {
	at := slices.IndexFunc(in.all, is)
	if at < 0 {
		return nil
	}
	return in.all[at]
}

// add adds one key to every purpose, with one new identifier, which is not the primary yet.
func (h handles) add() (id uint32, err error) {
	fresh, err := newHandles()
	if err != nil {
		return 0, err
	}
	id = material(fresh[sealing]).GetPrimaryKeyId()
	for _, t := range templates {
		of, one := material(h[t.name]), material(fresh[t.name]).GetKey()[0]
		if slices.ContainsFunc(of.GetKey(), func(key *tinkKey) bool { return key.GetKeyId() == id }) {
			return h.add() // taken: another one
		}
		one.KeyId = id
		of.Key = append(of.GetKey(), one)
		if h[t.name], err = handleOf(of); err != nil {
			return 0, fmt.Errorf("adding to the key %q: %w", t.name, err)
		}
	}
	return id, nil
}

func (h handles) setPrimary(g *generation) (err error) {
	for _, t := range templates {
		of := material(h[t.name])
		of.PrimaryKeyId = g.ids[t.name]
		if h[t.name], err = handleOf(of); err != nil {
			return fmt.Errorf("rotating the key %q: %w", t.name, err)
		}
	}
	return nil
}

// remove deletes a generation, except for what it has signed for good: the register's key stays, to verify. A copy of
// the file may be of before the rotation: the primary key becomes its own.
func (h handles) remove(g, primary *generation) (err error) {
	if err := h.setPrimary(primary); err != nil {
		return err
	}
	for _, t := range templates {
		if t.name == "register" {
			continue
		}
		of := material(h[t.name])
		of.Key = slices.DeleteFunc(of.GetKey(), func(key *tinkKey) bool { return key.GetKeyId() == g.ids[t.name] })
		if h[t.name], err = handleOf(of); err != nil {
			return fmt.Errorf("removing from the key %q: %w", t.name, err)
		}
	}
	return nil
}
