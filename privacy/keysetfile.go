package privacy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// KeysetFile is where a keyset is kept. Its keys are in clear, or wrapped: encrypted by a key that a key management
// service does not give out.
type KeysetFile struct {
	Path string
	KEK  tink.AEAD // encrypts and decrypts the keys; nil for none
}

// Create makes new keys and writes them, atomically and durably, to a new file with mode 0600. It never replaces a
// file: an existing one is fs.ErrExist.
func (f KeysetFile) Create() (*Keyset, error) {
	made, err := newHandles()
	if err != nil {
		return nil, err
	}
	text, err := f.encode(made)
	if err != nil {
		return nil, err
	}
	if err := writeNew(f.Path, text); err != nil {
		return nil, fmt.Errorf("cannot create the keyset file: %w", err)
	}
	return made.keyset(f)
}

// Load reads a keyset file; a missing one is fs.ErrNotExist. It only warns in the log about a file that others than its
// owner can read, since mounted secrets often are such, and about one in clear although there is a key to wrap it, as
// every file is before it is wrapped.
func (f KeysetFile) Load() (*Keyset, error) {
	read, err := f.read()
	if err != nil {
		return nil, err
	}
	return read.keyset(f)
}

func (f KeysetFile) Wrapped() (bool, error) {
	text, err := os.ReadFile(f.Path)
	if err != nil {
		return false, fmt.Errorf("cannot read the keyset file: %w", err)
	}
	_, wrapped := unwrapped(text)
	return wrapped, nil
}

func (f KeysetFile) read() (handles, error) {
	text, err := f.text()
	if err != nil {
		return nil, err
	}
	read, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("cannot use the keyset file %s: %w; restore it from your copy; without it the registration numbers cannot be read", f.Path, err)
	}
	return read, nil
}

// text reads the file and unwraps it.
func (f KeysetFile) text() ([]byte, error) {
	info, err := os.Stat(f.Path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the keyset file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the keyset %s is not a file", f.Path)
	}
	text, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the keyset file: %w", err)
	}
	sealed, wrapped := unwrapped(text)
	switch {
	case wrapped && f.KEK == nil:
		return nil, fmt.Errorf(
			"the keyset file %s is wrapped by a key of a key management service: pass it with --keyset-kms", f.Path)
	case wrapped:
		if text, err = envelope(f.KEK).Decrypt(sealed, []byte(wrappedFormat)); err != nil {
			return nil, fmt.Errorf("cannot unwrap the keyset file %s: the key management service is unavailable or refuses, its key is a different one, or the file is damaged: %w", f.Path, err)
		}
	case info.Mode().Perm()&0o077 != 0:
		slog.Warn("users other than its owner can read the keyset file; fix that with chmod 600", "path", f.Path)
	}
	if !wrapped && f.KEK != nil {
		slog.Warn("the keyset file is not wrapped; wrap it with backoffice keys wrap", "path", f.Path)
	}
	return text, nil
}

const wrappedFormat = "backoffice wrapped keyset 1"

type wrappedFile struct {
	Format string `json:"format"`
	Keyset []byte `json:"keyset"`
}

func unwrapped(text []byte) (sealed []byte, wrapped bool) {
	var file wrappedFile
	err := json.Unmarshal(text, &file)
	return file.Keyset, err == nil && file.Format == wrappedFormat
}

// envelope encrypts by a new key that the service encrypts: one request, and nothing of the keyset leaves. A keyset may
// be longer than what services encrypt themselves.
func envelope(kek tink.AEAD) tink.AEAD {
	return aead.NewKMSEnvelopeAEAD2(aead.AES256GCMKeyTemplate(), kek)
}

func (f KeysetFile) encode(h handles) ([]byte, error) {
	text, err := h.encode()
	if err != nil {
		return nil, err
	}
	return f.wrap(text)
}

func (f KeysetFile) wrap(text []byte) ([]byte, error) {
	if f.KEK == nil {
		return text, nil
	}
	sealed, err := envelope(f.KEK).Encrypt(text, []byte(wrappedFormat))
	if err != nil {
		return nil, fmt.Errorf("the key management service cannot encrypt: %w", err)
	}
	text, err = json.MarshalIndent(wrappedFile{wrappedFormat, sealed}, "", "  ")
	return append(text, '\n'), err
}

// rewrap leaves a file as it is that only by opens: a command that was interrupted has rewritten it.
func (f KeysetFile) rewrap(by tink.AEAD) error {
	into := KeysetFile{f.Path, by}
	text, err := f.text()
	if err != nil {
		if _, other := into.text(); by != nil && other == nil {
			return nil
		}
		return err
	}
	if text, err = into.wrap(text); err != nil {
		return err
	}
	return replaceFile(f.Path, text)
}

// writeNew writes a durable file atomically; a hard link, unlike a rename, fails when the name is taken.
func writeNew(path string, text []byte) error {
	return writeWhole(path, text, func(draft string) error {
		err := os.Link(draft, path)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: %w", path, fs.ErrExist)
		}
		return err
	})
}

// replaceFile replaces a durable file atomically, behind a symbolic link its target: other programs read it there.
func replaceFile(path string, text []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err == nil {
		err = writeWhole(path, text, func(draft string) error {
			if err := keepOwner(path, draft); err != nil {
				return err
			}
			return os.Rename(draft, path)
		})
	}
	if err != nil {
		return fmt.Errorf("cannot write the keyset file: %w", err)
	}
	return nil
}

func writeWhole(path string, text []byte, put func(draft string) error) error {
	dir := filepath.Dir(path)
	draft, err := os.CreateTemp(dir, ".keyset-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	_, err = draft.Write(text)
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := put(draft.Name()); err != nil {
		return err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" { // see files.SyncFolder
		err = folder.Sync()
	}
	return errors.Join(err, folder.Close())
}
