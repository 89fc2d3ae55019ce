package ship

import (
	"context"
	"io"
	"time"

	"github.com/superfly/ltx"

	"example.org/backoffice/store/sqlite"
)

// writer writes LTX files of one database, each after the one before.
type writer struct {
	from  *sqlite.Follower
	pages *pages
	last  uint64    // the last transaction
	since time.Time // everything committed before is in what was shipped before
}

func (w *writer) header(count uint32) ltx.Header {
	w.last++
	return ltx.Header{
		Version: ltx.Version, PageSize: uint32(w.from.PageSize()), Commit: count,
		MinTXID: ltx.TXID(w.last), MaxTXID: ltx.TXID(w.last), Timestamp: w.since.UnixMilli(),
	}
}

// snapshot writes the whole database as the first transaction.
func (w *writer) snapshot(ctx context.Context, to io.Writer) error {
	framed := &frameWriter{to: to}
	file, err := ltx.NewEncoder(framed)
	if err != nil {
		return err
	}
	lock := ltx.LockPgno(uint32(w.from.PageSize()))
	err = w.from.Pages(ctx, func(count uint32) error { return file.EncodeHeader(w.header(count)) },
		func(page uint32, data []byte) error {
			if page == lock { // SQLite never uses it
				return nil
			}
			w.pages.put(page, data)
			return file.EncodePage(ltx.PageHeader{Pgno: page}, data)
		})
	if err != nil {
		return err
	}
	return w.close(file, framed)
}

func (w *writer) transactions(batch *sqlite.Batch, to io.Writer) error {
	page := make([]byte, w.from.PageSize())
	for _, tx := range batch.Transactions {
		framed := &frameWriter{to: to}
		file, err := ltx.NewEncoder(framed)
		if err != nil {
			return err
		}
		header := w.header(tx.Pages)
		header.PreApplyChecksum = w.pages.total
		if err := file.EncodeHeader(header); err != nil {
			return err
		}
		for _, frame := range tx.Frames {
			if err := batch.Read(frame, page); err != nil {
				return err
			}
			w.pages.put(frame.Page, page)
			if err := file.EncodePage(ltx.PageHeader{Pgno: frame.Page}, page); err != nil {
				return err
			}
		}
		w.pages.resize(tx.Pages)
		if err := w.close(file, framed); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) close(file *ltx.Encoder, framed *frameWriter) error {
	file.SetPostApplyChecksum(w.pages.total)
	if err := file.Close(); err != nil {
		return err
	}
	return framed.Close()
}
