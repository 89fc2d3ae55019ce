package cli

import (
	"context"
	"errors"
	"fmt"
	"net"

	"example.org/backoffice/files"
	"example.org/backoffice/gateway"
)

type standByCommand struct {
	URL string `arg:"" help:"Where the other server ships to, as for its --ship."`
	serveCommand
}

// Run follows until it is promoted, and then serves at the same address, and ships to the same place.
func (c *standByCommand) Run(ctx context.Context, s *settings, t terminal) error {
	listened, err := c.listen(t)
	if err != nil {
		return err
	}
	defer listened.Close()
	listener, ok := listened.(*net.TCPListener)
	if !ok {
		return errors.New("a stand-by listens on an address of TCP")
	}
	if s.Ship != "" && s.Ship != c.URL {
		return errors.New("a stand-by that is promoted ships to the place it has followed: leave out --ship")
	}
	follower, err := s.StandBy(c.URL)
	if err != nil {
		return err
	}
	files.ClearTemp()
	var promoted *gateway.Promotion
	err = c.configured(ctx, t, func(config gateway.Config) error {
		promoted, err = follower.Run(ctx, listener, config, func() {
			fmt.Fprintf(t.err, "Backoffice stands by, and serves on %s\n", c.baseURL(listener.Addr()))
		})
		return err
	})
	if err != nil || promoted == nil {
		return err
	}
	s.Ship = c.URL
	h, err := s.Open(ctx)
	if err != nil {
		promoted.Done(err)
		return err
	}
	defer h.Close()
	err = c.serve(ctx, s, h, t, listener, func(address string) {
		fmt.Fprintf(t.err, "Backoffice serves on %s: it was promoted\n", address)
		promoted.Done(nil)
	})
	promoted.Done(err) // unless it has served
	return err
}

type promoteCommand struct {
	PlaceLost bool `help:"Promote a stand-by that was stopped, because the place it followed is lost as well."`
}

func (c *promoteCommand) Run(ctx context.Context, s *settings, t terminal) error {
	text, err := s.Promote(ctx, c.PlaceLost)
	if err != nil {
		return err
	}
	return printed(fmt.Fprintln(t.out, text))
}
