package pdf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"

	"codeberg.org/go-pdf/fpdf"
)

// Fonts are an office's fonts for scripts that the embedded ones lack, in order, for any number of documents.
type Fonts []*typeface

// fallbackScripts are those that come out right letter by letter, once letters that join have their forms. Others, such
// as Devanagari and Thai, combine letters in ways that take more than a font.
var fallbackScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Hebrew, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Armenian, unicode.Georgian, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Common,
}

// maxFont is the most bytes of a font.
const maxFont = 32 << 20

// ReadFonts reads the TrueType fonts below a folder, by path. It fails when there are none or one cannot be embedded.
func ReadFonts(folder string) (Fonts, error) {
	var fonts Fonts
	root := os.DirFS(folder)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		extension := strings.ToLower(path.Ext(name))
		if err != nil || entry.IsDir() || extension != ".ttf" && extension != ".otf" {
			return err
		}
		file := filepath.Join(folder, filepath.FromSlash(name))
		if info, err := fs.Stat(root, name); err != nil || info.Size() > maxFont || !info.Mode().IsRegular() {
			return fmt.Errorf("the font %s cannot be read, or has more than %d MiB", file, maxFont>>20)
		}
		ttf, err := fs.ReadFile(root, name)
		if err != nil {
			return fmt.Errorf("the font %s cannot be read: %w", file, err)
		}
		n := len(fonts)
		read, err := readFallback(fmt.Sprintf("BKOF%c%c+Fallback%d", 'A'+n/26%26, 'A'+n%26, n), ttf)
		if err != nil {
			return fmt.Errorf("the font %s cannot be used: %w", file, err)
		}
		fonts = append(fonts, read)
		return nil
	})
	if err == nil && len(fonts) == 0 {
		err = fmt.Errorf("the folder %s has no fonts (.ttf)", folder)
	}
	return fonts, err
}

// readFallback reads a font and tests that a part of it can be embedded.
func readFallback(name string, ttf []byte) (read *typeface, err error) {
	defer func() {
		if recover() != nil { // the packages that read and cut fonts do not validate them
			read, err = nil, errors.New("it is damaged, or cannot be embedded")
		}
	}()
	if len(ttf) < 4 || string(ttf[:4]) == "OTTO" {
		return nil, errors.New("its outlines are not TrueType's")
	}
	read = readTypeface(name, ttf, 80)
	for r := range read.widths {
		if !unicode.In(rune(r), fallbackScripts...) {
			read.widths[r] = -1
		}
	}
	sample := strings.Map(func(r rune) rune {
		if read.draws(r) {
			return r
		}
		return -1
	}, " aאسﺳ中한")
	if sample == "" {
		return nil, errors.New("it has no characters of use here")
	}
	cut, err := sfnt.Parse(fpdf.UTF8CutFont(ttf, sample))
	if err != nil {
		return nil, err
	}
	var buffer sfnt.Buffer
	for _, r := range sample {
		if glyph, err := cut.GlyphIndex(&buffer, r); err != nil || glyph == 0 {
			return nil, errors.New("it cannot be subset to what a document uses")
		}
	}
	return read, nil
}

func (f Fonts) draw(r rune) bool {
	return slices.ContainsFunc(f, func(t *typeface) bool { return t.draws(r) })
}
