package resolvers

import (
	"context"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

const downloadPeriod = 5 * time.Minute

// DownloadPath signs the path of each file for the viewer's credential.
func (r file) DownloadPath(ctx context.Context, files []*backoffice.File) ([]string, error) {
	viewer := auth.From(ctx)
	if viewer == nil {
		return nil, backoffice.Errorf(backoffice.Unauthenticated, "no valid credentials")
	}
	until := time.Now().Add(downloadPeriod)
	paths := make([]string, len(files))
	for i, f := range files {
		if f == nil {
			continue
		}
		signature, err := r.Keys.SignDownload(viewer.Link(), string(f.Owner.Kind), f.Owner.ID, until)
		if err != nil {
			return nil, backoffice.Fault(err, "signing a download path")
		}
		paths[i] = backoffice.DownloadPath(f.Owner, signature)
	}
	return paths, nil
}
