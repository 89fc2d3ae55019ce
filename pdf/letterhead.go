package pdf

import (
	"bytes"
	"fmt"
	"image"
	imagecolor "image/color"
	_ "image/jpeg" // a logo must be a PNG or a JPEG
	_ "image/png"
	"io"
	"strings"

	"golang.org/x/image/draw"

	"example.org/backoffice/backoffice"
)

// Letterhead is the sender of a document, as printed above the first page.
type Letterhead struct {
	Name    string
	Address []string // its lines
	Logo    *Logo    // nil for none
}

// Logo is a picture for a letterhead, read by ReadLogo.
type Logo struct {
	width, height int    // in pixels
	colors        []byte // packed, three for each pixel
	alphas        []byte // packed, one for each pixel; nil when all are opaque
}

const (
	// maxLogoFile and maxLogoSide bound what is read; a picture is scaled down, since every document holds it.
	maxLogoFile             = 4 << 20
	maxLogoSide             = 6000
	logoPixelsX, logoPixelY = 560, 180
	logoWidth, logoHeight   = 150.0, 48.0 // at most, in points
)

// ReadLogo reads a PNG or a JPEG of at most 4 MiB and 6000 pixels a side. Errors: BadInput, with the reason.
func ReadLogo(r io.Reader) (*Logo, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxLogoFile+1))
	if err != nil {
		return nil, backoffice.Fault(err, "reading a logo")
	}
	if len(data) > maxLogoFile {
		return nil, backoffice.Errorf(backoffice.BadInput, "a logo has at most %d MiB", maxLogoFile>>20)
	}
	shape, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, backoffice.Errorf(backoffice.BadInput, "a logo must be a PNG or a JPEG")
	}
	if shape.Width < 1 || shape.Height < 1 || shape.Width > maxLogoSide || shape.Height > maxLogoSide {
		return nil, backoffice.Errorf(backoffice.BadInput, "a logo must have 1 to %d pixels a side", maxLogoSide)
	}
	picture, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, backoffice.Errorf(backoffice.BadInput, "a logo must be a PNG or a JPEG")
	}
	return logoOf(picture), nil
}

func logoOf(picture image.Image) *Logo {
	bounds := picture.Bounds()
	shrink := min(1, float64(logoPixelsX)/float64(bounds.Dx()), float64(logoPixelY)/float64(bounds.Dy()))
	l := &Logo{width: max(1, int(float64(bounds.Dx())*shrink)), height: max(1, int(float64(bounds.Dy())*shrink))}
	small := image.NewNRGBA(image.Rect(0, 0, l.width, l.height))
	draw.CatmullRom.Scale(small, small.Bounds(), picture, bounds, draw.Src, nil)
	colors, alphas, opaque := make([]byte, 0, 3*l.width*l.height), make([]byte, 0, l.width*l.height), true
	for y := range l.height {
		for x := range l.width {
			pixel := small.At(x, y).(imagecolor.NRGBA)
			colors = append(colors, pixel.R, pixel.G, pixel.B)
			alphas = append(alphas, pixel.A)
			opaque = opaque && pixel.A == 255
		}
	}
	l.colors = deflate(colors)
	if !opaque {
		l.alphas = deflate(alphas)
	}
	return l
}

// size is that of the picture on a page, in points.
func (l *Logo) size() (width, height float64) {
	scale := min(logoWidth/float64(l.width), logoHeight/float64(l.height), 0.6)
	return float64(l.width) * scale, float64(l.height) * scale
}

// appendTo adds the picture and returns the number of its object.
func (l *Logo) appendTo(f *file) int {
	entries := fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace",
		l.width, l.height)
	mask := ""
	if l.alphas != nil {
		mask = "/SMask " + ref(f.packed(entries+"/DeviceGray", l.alphas))
	}
	return f.packed(entries+"/DeviceRGB"+mask, l.colors)
}

// letterhead sets the sender: the name and the address on the left, the logo on the right.
func (c *composer) letterhead(of Letterhead) {
	c.box(c.y-22, 34, 3.5, accent)
	top, width, foot := c.y-22, textWidth, c.y
	if of.Logo != nil {
		c.canvas.logo = of.Logo
		w, h := of.Logo.size()
		c.artifact(func() { c.canvas.picture(pageWidth-marginRight-w, top, w, h) }) // its owner's name is next to it
		width -= w + columnGap
		foot = top + h
	}
	name := style{10.5, true, accent}
	c.block(name, c.wrap(name, c.clean(of.Name), width))
	var address []string
	for _, line := range of.Address {
		for _, part := range c.wrap(smallStyle, c.clean(line), width) {
			address = append(address, strings.TrimSuffix(part, " ")+" ") // between the lines, for screen readers
		}
	}
	if len(address) > 0 {
		address[len(address)-1] = strings.TrimSuffix(address[len(address)-1], " ")
		c.block(smallStyle, address)
	}
	c.y = max(c.y, foot) + 18
}

// block sets lines that stay together as a paragraph.
func (c *composer) block(s style, lines []string) {
	c.tags.within("P", "", func() {
		c.tagged(func() { c.lines(s, marginLeft, c.y, false, lines) })
	})
	c.y += float64(len(lines)) * s.leading()
}
