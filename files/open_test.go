package files_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/files"
	"example.org/backoffice/files/s3test"
)

func TestAFolderIsNamedByAnyFormOfFileURL(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"file:%s", "file://%s", "file://localhost%s", "FILE:%s"} {
		dir := filepath.Join(t.TempDir(), "a b%c")
		escaped := strings.ReplaceAll(dir, "%", "%25")
		openStore(t, strings.Replace(form, "%s", escaped, 1))
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("%s: %v", form, err)
		}
	}
}

func TestAnAddressThatNamesNoStoreIsRefusedWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	for name, location := range map[string]string{
		"empty":                  "",
		"a path alone":           "hunter2/files",
		"another scheme":         "ftp://hunter2@host/files",
		"no path":                "file:",
		"another machine":        "file://hunter2/files",
		"settings of a folder":   "file:files?hunter2=1",
		"a broken escape":        "file:hunter2%zz",
		"no bucket":              "s3://?region=hunter2",
		"a path in a bucket":     "s3://bucket/hunter2",
		"credentials":            "s3://AKIA:hunter2@bucket?region=eu-west-1",
		"a secret with a slash":  "s3://AKIA:hunter2/x@bucket?region=eu-west-1",
		"a user's name":          "s3://hunter2@bucket?region=eu-west-1",
		"an endpoint's user":     "s3://bucket?region=eu&endpoint=http://AKIA:hunter2@127.0.0.1:1",
		"an unknown setting":     "s3://bucket?hunter2=1",
		"a secret as a setting":  "s3://bucket?secret_access_key=hunter2",
		"a setting twice":        "s3://bucket?region=hunter2&region=eu",
		"a value that is none":   "s3://bucket?use_path_style=hunter2",
		"a broken URL":           "s3://bucket\x7f?hunter2",
		"broken settings":        "s3://bucket?region=%zzhunter2",
		"a value of the library": "s3://bucket?rate_limiter_capacity=hunter2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := files.Open(t.Context(), location)
			if err == nil {
				_ = store.Close()
				t.Fatal("it was opened")
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error repeats the address: %v", err)
			}
		})
	}
}

func TestAFolderThatCannotBeWrittenIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	notAFolder := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(notAFolder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	noPart := t.TempDir()
	if err := os.WriteFile(filepath.Join(noPart, ".part"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{notAFolder, filepath.Join(notAFolder, "below"), noPart} {
		if folder, err := files.OpenFolder(dir); err == nil {
			_ = folder.Close()
			t.Errorf("%s was opened", dir)
		}
	}
}

func TestABucketThatIsNotThereIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	there := s3test.Start(t, "files").URL("")
	absent := strings.Replace(there, "s3://files", "s3://absent", 1)
	if store, err := files.Open(t.Context(), absent); err == nil {
		_ = store.Close()
		t.Error("an absent bucket was opened")
	}
	away := "s3://files?" + url.Values{"region": {"eu"}, "endpoint": {"http://hunter2.invalid"}, "use_path_style": {"true"}, "anonymous": {"true"}}.Encode()
	store, err := files.Open(t.Context(), away)
	if err == nil {
		_ = store.Close()
		t.Fatal("a bucket that is away was opened")
	}
	t.Log(err)
}
