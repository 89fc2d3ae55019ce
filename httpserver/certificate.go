package httpserver

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate serves a certificate from files and picks up a renewed one without a restart.
type certificate struct {
	chain, key string
	log        *slog.Logger
	mu         sync.Mutex
	loaded     *tls.Certificate
	changed    time.Time // of the newer file
	failure    string    // the last one that was logged
}

func (c *certificate) configuration() (*tls.Config, error) {
	if _, err := c.current(nil); err != nil {
		return nil, fmt.Errorf("cannot use the certificate: %w", err)
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, GetCertificate: c.current, NextProtos: []string{"h2", "http/1.1"}}, nil
}

// current returns the certificate of the files, or the previous one while new files do not match during a renewal.
func (c *certificate) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed, err := newest(c.chain, c.key)
	if c.loaded != nil && err == nil && changed.Equal(c.changed) {
		c.failure = ""
		return c.loaded, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.LoadX509KeyPair(c.chain, c.key)
	}
	switch {
	case err == nil:
		c.loaded, c.changed, c.failure = &pair, changed, ""
	case c.loaded == nil:
		return nil, err
	case err.Error() != c.failure:
		c.log.Warn("cannot load the renewed certificate; the previous one is served", "cause", err)
		c.failure = err.Error()
	}
	return c.loaded, nil
}

func newest(paths ...string) (time.Time, error) {
	var latest time.Time
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return latest, err
		}
		if info.ModTime().After(latest) {
			latest = info.ModTime()
		}
	}
	return latest, nil
}
