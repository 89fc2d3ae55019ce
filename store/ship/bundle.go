package ship

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
)

// A bundle has consecutive objects of a generation, with their names, each sealed as it was. So there are fewer, and a
// restore finds all that it found before.

const (
	bundleAfter = time.Hour
	mostBundled = 64 << 20 // bytes; larger objects stay as they are
)

// bundled leaves out what bundles have: a program that was killed has not deleted all of that.
func (c chain) bundled() chain {
	var by object // the last bundle
	return slices.DeleteFunc(c, func(o object) bool {
		has := o.generation == by.generation && max(o.first+1, o.after) <= by.after
		if !has && o.after > 0 {
			by = o
		}
		return has
	})
}

// bundle puts objects from before a time into bundles, and deletes what bundles have.
func (s *Shipper) bundle(ctx context.Context, before time.Time) error {
	if s.large == nil {
		s.large = map[object]bool{}
	}
	all, err := objects(ctx, s.To)
	errs := []error{err}
	for len(all) > 0 && ctx.Err() == nil {
		n := slices.IndexFunc(all, func(o object) bool { return o.generation != all[0].generation })
		if n < 0 {
			n = len(all)
		}
		errs = append(errs, s.bundleIn(ctx, all[:n], before))
		all = all[n:]
	}
	return errors.Join(errs...)
}

func (s *Shipper) bundleIn(ctx context.Context, all []object, before time.Time) error {
	there := map[string]bool{}
	for _, o := range all {
		there[o.String()] = true
	}
	var last object
	emptied := false
	for _, o := range all {
		switch {
		case o.after > 0:
			last, emptied = o, false
		case o.first < last.after && !emptied:
			names, err := s.packed(ctx, last)
			if err == nil {
				err = s.deleteAll(ctx, slices.DeleteFunc(names, func(name string) bool { return !there[name] }))
			}
			if err != nil {
				return err
			}
			emptied = true
		}
	}
	for c := chain(slices.Clone(all)).bundled(); len(c) > 0; {
		n := slices.IndexFunc(c, func(o object) bool {
			return o.first == 1 || o.after > 0 || !o.at.Before(before) || s.large[o]
		})
		if n < 0 {
			n = len(c)
		}
		if n < 2 {
			c = c[n+min(1, len(c)-n):]
			continue
		}
		packed, err := s.pack(ctx, c[:n])
		if err != nil {
			return err
		}
		c = c[max(packed, 1):]
	}
	return nil
}

// pack makes a bundle of the first ones of consecutive objects, as many as it may hold. It returns how many.
func (s *Shipper) pack(ctx context.Context, c chain) (packed int, err error) {
	to, err := newSpool()
	if err != nil {
		return 0, err
	}
	defer func() { _ = to.close() }()
	out, size, bundle := tar.NewWriter(to.file), 0, c[0]
	for _, o := range c {
		if packed > 0 && o.first != bundle.after { // something between is not listed yet
			break
		}
		sealed, err := readAtMost(ctx, s.To, o.String(), mostBundled-size)
		if errors.Is(err, errNoRoom) {
			if packed == 0 { // it is not read each hour
				s.large[o] = true
			}
			break
		}
		if err != nil {
			return 0, err
		}
		count, err := s.transactions(o, bytes.NewReader(sealed))
		if err == nil {
			err = out.WriteHeader(&tar.Header{Name: o.String(), Mode: 0o600, Size: int64(len(sealed)), ModTime: o.at})
		}
		if err == nil {
			_, err = out.Write(sealed)
		}
		if err != nil {
			return 0, err
		}
		packed, size = packed+1, size+len(sealed)
		bundle.after, bundle.to, bundle.at = o.first+count, o.to, o.at
	}
	if packed < 2 {
		return packed, nil
	}
	if err := out.Close(); err != nil {
		return 0, err
	}
	content, err := to.reader()
	if err == nil {
		err = s.To.Put(ctx, bundle.String(), content)
	}
	if err != nil {
		return 0, err
	}
	names, err := s.packed(ctx, bundle)
	if err != nil { // the objects themselves are all there still
		return 0, errors.Join(err, s.To.Delete(ctx, bundle.String()))
	}
	return packed, s.deleteAll(ctx, names)
}

func (s *Shipper) deleteAll(ctx context.Context, names []string) error {
	if err := s.owns(ctx); err != nil {
		return err
	}
	for _, name := range names {
		if err := s.To.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// packed returns the names of the objects that a bundle has. It reads all of them.
func (s *Shipper) packed(ctx context.Context, bundle object) (names []string, err error) {
	after := bundle.first
	_, err = eachPacked(ctx, s.To, bundle, func(o object, sealed io.Reader) (bool, error) {
		count, err := s.transactions(o, sealed)
		if err == nil && o.first != after {
			err = damaged(o, errors.New("the bundle has a hole"))
		}
		after += count
		names = append(names, o.String())
		return false, err
	})
	if err == nil && after != bundle.after {
		err = damaged(bundle, errors.New("the bundle ends elsewhere"))
	}
	return names, err
}

// eachPacked visits the objects of a bundle until a visit stops it.
func eachPacked(ctx context.Context, from backoffice.ObjectStore, bundle object,
	visit func(o object, sealed io.Reader) (stop bool, err error)) (stopped bool, err error) {
	reader, err := from.Get(ctx, bundle.String())
	if err != nil {
		return false, err
	}
	defer func() { _ = reader.Close() }()
	in := tar.NewReader(bufio.NewReaderSize(reader, frameSize))
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, damaged(bundle, err)
		}
		o, ok := parseObject(header.Name)
		if !ok || o.generation != bundle.generation || o.after > 0 {
			return false, damaged(bundle, errors.New("the bundle has what is not its own"))
		}
		if stopped, err := visit(o, in); stopped || err != nil {
			return stopped, err
		}
	}
}

// transactions counts the transactions of an object, all of which it reads.
func (s *Shipper) transactions(o object, sealed io.Reader) (count uint64, err error) {
	opened, err := s.Key.NewDecryptingReader(sealed, []byte(o.String()))
	if err != nil {
		return 0, damaged(o, err)
	}
	in := bufio.NewReaderSize(opened, frameSize)
	for {
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			return count, nil
		} else if err != nil {
			return 0, damaged(o, err)
		}
		if _, err := io.Copy(io.Discard, &frameReader{from: in}); err != nil {
			return 0, damaged(o, err)
		}
		count++
	}
}

var errNoRoom = errors.New("it is larger")

func readAtMost(ctx context.Context, from backoffice.ObjectStore, name string, most int) ([]byte, error) {
	reader, err := from.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(reader, int64(most)+1))
	if err = errors.Join(err, reader.Close()); err == nil && len(content) > most {
		err = errNoRoom
	}
	return content, err
}
