package gateway

import (
	"cmp"
	"fmt"
	"os"

	"example.org/backoffice/pdf"
)

type letterheadSettings struct {
	OfficeName    string   `env:"BACKOFFICE_OFFICE_NAME" placeholder:"NAME" help:"The firm's name in generated documents (Backoffice)."`
	OfficeAddress []string `sep:";" env:"BACKOFFICE_OFFICE_ADDRESS" placeholder:"LINE;LINE" help:"The firm's address in generated documents, lines separated by semicolons."`
	Fonts         string   `env:"BACKOFFICE_FONTS" placeholder:"FOLDER" predictor:"path" help:"A folder of TrueType fonts for scripts that the built-in fonts of generated documents lack, such as Arabic, Hebrew and Chinese."`
	OfficeLogo    string   `env:"BACKOFFICE_OFFICE_LOGO" placeholder:"PATH" predictor:"path" help:"The firm's logo in generated documents: a PNG or JPEG file of at most 4 MiB."`
}

func (s *letterheadSettings) letterhead() (pdf.Letterhead, error) {
	of := pdf.Letterhead{Name: cmp.Or(s.OfficeName, "Backoffice"), Address: s.OfficeAddress}
	if s.OfficeLogo == "" {
		return of, nil
	}
	file, err := os.Open(s.OfficeLogo)
	if err != nil {
		return of, fmt.Errorf("cannot read the logo: %w", err)
	}
	defer file.Close()
	if of.Logo, err = pdf.ReadLogo(file); err != nil {
		return of, fmt.Errorf("cannot use the logo %s: %w", s.OfficeLogo, err)
	}
	return of, nil
}

func (s *letterheadSettings) fonts() (pdf.Fonts, error) {
	if s.Fonts == "" {
		return nil, nil
	}
	return pdf.ReadFonts(s.Fonts)
}
