package files_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

func TestAFileThatIsDamagedIsNeverTakenForWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := openFolder(t, dir)
	for _, size := range []int{1, 20_000, 64 << 10, 64<<10 + 1, 1 << 20} {
		data := randomBytes(size)
		file := put(t, store, data)
		if _, body := mustServe(t, store, file, http.MethodGet); body != string(data) {
			t.Errorf("%d bytes are not served as they were stored", size)
		}
		data[size/2] ^= 1
		if err := os.WriteFile(filepath.Join(dir, file.Key), data, 0o600); err != nil {
			t.Fatal(err)
		}
		recorder := httptest.NewRecorder()
		broken := func() (broken bool) {
			defer func() { why, _ := recover().(error); broken = errors.Is(why, http.ErrAbortHandler) }()
			err := files.Serve(recorder, httptest.NewRequest(http.MethodGet, "/", nil), store, file, "a.pdf")
			if backoffice.KindOf(err) != backoffice.Unavailable {
				t.Errorf("%d bytes, one of them damaged: %v", size, err)
			}
			return false
		}()
		if large := size > 64<<10; broken != large || recorder.Body.Len() >= size {
			t.Errorf("%d bytes, one of them damaged: %d were sent, broken off: %v", size, recorder.Body.Len(), broken)
		}
	}
}
