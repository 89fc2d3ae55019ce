package pdf

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
)

// Open Sans covers Latin, Greek and Cyrillic; for its source see fonts/README.md.
var (
	//go:embed fonts/OpenSans-Regular.ttf
	regularTTF []byte
	//go:embed fonts/OpenSans-Semibold.ttf
	strongTTF []byte

	regular = sync.OnceValue(func() *typeface { return readTypeface("BKOFCR+OpenSans", regularTTF, 80) })
	strong  = sync.OnceValue(func() *typeface { return readTypeface("BKOFCS+OpenSans-Semibold", strongTTF, 110) })
)

// typeface is an embedded font, read once. Lengths are in thousandths of the font's size, as PDF has them.
type typeface struct {
	name    string // with the six letters that mark a subset
	ttf     []byte
	stem    int
	bounds  [4]int
	ascent  int
	depth   int
	capital int
	// widths has the characters of the Basic Multilingual Plane; -1 for those that the font doesn't draw.
	widths [1 << 16]int16
}

// readTypeface panics when the font cannot be read: the program's own can.
func readTypeface(name string, ttf []byte, stem int) *typeface {
	parsed, err := sfnt.Parse(ttf)
	must(err)
	var buffer sfnt.Buffer
	const scale = fixed.Int26_6(1000 << 6)
	bounds, err := parsed.Bounds(&buffer, scale, font.HintingNone)
	must(err)
	metrics, err := parsed.Metrics(&buffer, scale, font.HintingNone)
	must(err)
	t := &typeface{
		name: name, ttf: ttf, stem: stem,
		bounds:  [4]int{bounds.Min.X.Floor(), -bounds.Max.Y.Ceil(), bounds.Max.X.Ceil(), -bounds.Min.Y.Floor()},
		ascent:  metrics.Ascent.Round(),
		depth:   -metrics.Descent.Round(),
		capital: metrics.CapHeight.Round(),
	}
	for r := range t.widths {
		t.widths[r] = -1
		glyph, err := parsed.GlyphIndex(&buffer, rune(r))
		if err != nil || glyph == 0 || !unicode.IsGraphic(rune(r)) {
			continue
		}
		width, err := parsed.GlyphAdvance(&buffer, glyph, scale, font.HintingNone)
		must(err)
		t.widths[r] = int16(width.Round())
	}
	return t
}

func must(err error) {
	if err != nil {
		panic("the font cannot be read: " + err.Error())
	}
}

func (t *typeface) draws(r rune) bool { return r < 1<<16 && t.widths[r] >= 0 }

// missing stands for a character that the fonts don't draw.
const missing = '◊'

// drawable keeps what can be drawn of a text: composed accents, line feeds, and spaces for other white space. It marks
// what the fonts lack and reports it to lacks, and drops what is invisible.
func drawable(text string, draws func(rune) bool, lacks func(rune)) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\u00a0':
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.C, unicode.M):
			return -1
		case draws(r):
			return r
		}
		lacks(r)
		return missing
	}, norm.NFC.String(strings.ToValidUTF8(text, "")))
}

// face is a typeface in one document, with the characters that are drawn.
type face struct {
	*typeface
	resource string // its name on the pages
	used     map[rune]bool
}

func (f *face) width(text string, size float64) float64 {
	sum := 0
	for _, r := range text {
		sum += int(max(f.widths[r], 0))
	}
	return float64(sum) * size / 1000
}

// appendText appends a text as a PDF string of character codes, which are its UTF-16 units.
func (f *face) appendText(b []byte, text string) []byte {
	b = append(b, '<')
	for _, r := range text {
		f.used[r] = true
		b = fmt.Appendf(b, "%04X", r)
	}
	return append(b, '>')
}

// appendTo adds the part of the font that the document uses, and returns the number of its object.
func (f *face) appendTo(file *file) (int, error) {
	f.used[' '] = true // a font is never empty
	characters := slices.Sorted(maps.Keys(f.used))
	subset := fpdf.UTF8CutFont(f.ttf, string(characters))
	parsed, err := sfnt.Parse(subset)
	if err != nil {
		return 0, fmt.Errorf("cutting a font: %w", err)
	}
	var buffer sfnt.Buffer
	glyphs := make([]byte, 2*(int(characters[len(characters)-1])+1)) // from codes to the subset's glyphs
	widths := []byte("[")
	var unicodes []string
	for _, r := range characters {
		glyph, err := parsed.GlyphIndex(&buffer, r)
		if err != nil || glyph == 0 {
			return 0, fmt.Errorf("cutting a font lost a character: %w", err)
		}
		glyphs[2*r], glyphs[2*r+1] = byte(glyph>>8), byte(glyph)
		widths = fmt.Appendf(widths, "%d[%d]", r, f.widths[r])
		unicodes = append(unicodes, fmt.Sprintf("<%04X><%s>\n", r, utf16Hex(cmp.Or(plainArabic[r], string(r)))))
	}
	program := file.stream(fmt.Sprintf("/Length1 %d", len(subset)), subset)
	descriptor := file.add(fmt.Sprintf("<</Type/FontDescriptor/FontName/%s/Flags 32/FontBBox[%d %d %d %d]"+
		"/ItalicAngle 0/Ascent %d/Descent %d/CapHeight %d/StemV %d/FontFile2 %s>>",
		f.name, f.bounds[0], f.bounds[1], f.bounds[2], f.bounds[3], f.ascent, f.depth, f.capital, f.stem, ref(program)))
	descendant := file.add(fmt.Sprintf("<</Type/Font/Subtype/CIDFontType2/BaseFont/%s"+
		"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor %s/W%s]/CIDToGIDMap %s>>",
		f.name, ref(descriptor), widths, ref(file.stream("", glyphs))))
	toUnicode := file.stream("", toUnicodeMap(unicodes))
	return file.add(fmt.Sprintf("<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[%s]"+
		"/ToUnicode %s>>", f.name, ref(descendant), ref(toUnicode))), nil
}

// toUnicodeMap maps codes to their text (ISO 32000-1, 9.10.3), at most 100 codes in a block.
func toUnicodeMap(lines []string) []byte {
	b := []byte("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n" +
		"/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n")
	for block := range slices.Chunk(lines, 100) {
		b = fmt.Appendf(b, "%d beginbfchar\n%sendbfchar\n", len(block), strings.Join(block, ""))
	}
	return append(b, "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"...)
}
