package privacy

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/streamingaead"
	"github.com/tink-crypto/tink-go/v2/tink"
)

const shippingFormat = "backoffice shipping keyset 1"

// ShippingKey seals what a store ships. It opens no registration number, so that a copy of it reads none.
type ShippingKey struct {
	tink.StreamingAEAD
	ID string // names the key without revealing it
}

// CreateShipping makes a shipping key and writes it to a new file, as Create does.
func (f KeysetFile) CreateShipping() (*ShippingKey, error) {
	handle, err := keyset.NewHandle(streamingaead.AES256GCMHKDF4KBKeyTemplate())
	if err != nil {
		return nil, fmt.Errorf("creating the shipping key: %w", err)
	}
	var objects bytes.Buffer
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&objects)); err != nil {
		return nil, fmt.Errorf("writing the shipping key: %w", err)
	}
	text, err := json.MarshalIndent(shippingFile{shippingFormat, objects.Bytes()}, "", "  ")
	if err == nil {
		text, err = f.wrap(append(text, '\n'))
	}
	if err == nil {
		err = writeNew(f.Path, text)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot create the shipping keyset file: %w", err)
	}
	return shippingKey(handle)
}

// LoadShipping reads a shipping key; a missing file is fs.ErrNotExist.
func (f KeysetFile) LoadShipping() (*ShippingKey, error) {
	text, err := f.text()
	if err != nil {
		return nil, err
	}
	var file shippingFile
	if err = json.Unmarshal(text, &file); err == nil && file.Format == shippingFormat {
		var handle *keyset.Handle
		if handle, err = insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(file.Objects))); err == nil {
			return shippingKey(handle)
		}
	}
	return nil, fmt.Errorf("%s is no shipping keyset, or damaged: restore it from your copy", f.Path)
}

type shippingFile struct {
	Format  string          `json:"format"`
	Objects json.RawMessage `json:"objects"`
}

func shippingKey(handle *keyset.Handle) (*ShippingKey, error) {
	seals, err := streamingaead.New(handle)
	if err != nil {
		return nil, fmt.Errorf("the shipping key is of the wrong kind: %w", err)
	}
	return &ShippingKey{seals, nameOfKey(material(handle).GetPrimaryKeyId())}, nil
}
