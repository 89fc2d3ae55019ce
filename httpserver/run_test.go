package httpserver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"go.uber.org/goleak"
)

func TestAStopTurnsReadinessOffAndFinishesRequestsInFlight(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	begun, release := make(chan struct{}), make(chan struct{})
	settings := Settings{Metrics: "127.0.0.1:0", StopDelay: 3 * time.Second, StopTime: 15 * time.Second}
	handler, p, _ := mounted(settings, Options{}, func(r chi.Router, _ *Server) {
		r.Get("/slow", func(w http.ResponseWriter, _ *http.Request) {
			close(begun)
			<-release
			_, _ = io.WriteString(w, "finished")
		})
	})
	listener := listen(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, listener, handler) }()

	client := &http.Client{}
	defer client.CloseIdleConnections()
	answer := make(chan string, 1)
	go func() {
		response, err := client.Get("http://" + listener.Addr().String() + "/slow")
		if err != nil {
			answer <- err.Error()
			return
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		answer <- string(text)
	}()
	<-begun
	stop()
	// Readiness is off while requests are still taken.
	for ready := true; ready; {
		response, err := client.Get("http://" + listener.Addr().String() + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		ready = response.StatusCode == http.StatusOK
		response.Body.Close()
	}
	select {
	case err := <-ended:
		t.Fatalf("ended with a request in flight: %v", err)
	default:
	}
	close(release)
	if text := <-answer; text != "finished" {
		t.Errorf("the request in flight got %q", text)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", listener.Addr().String()); err == nil {
		t.Error("still listening")
	}
}

func TestAStopFinishesWhatASocketDoes(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	handler, p, _ := mounted(Settings{StopTime: 15 * time.Second}, Options{}, func(r chi.Router, _ *Server) {
		r.Get("/socket", func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			close(begun)
			select {
			case <-release:
			case <-r.Context().Done():
				t.Error("aborted")
			}
		})
	})
	listener := listen(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, listener, handler) }()
	go func() { _, _ = http.Get("http://" + listener.Addr().String() + "/socket") }()
	<-begun
	stop()
	select {
	case err := <-ended:
		t.Errorf("ended with a socket at work: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAStopDoesNotWaitForeverForARequest(t *testing.T) {
	t.Parallel()
	begun, left := make(chan struct{}), make(chan struct{})
	handler, p, _ := mounted(Settings{StopTime: 50 * time.Millisecond}, Options{}, func(r chi.Router, _ *Server) {
		r.Get("/stuck", func(_ http.ResponseWriter, r *http.Request) {
			begun <- struct{}{}
			<-r.Context().Done() // ends when the connection is cut
		})
		r.Get("/socket", func(w http.ResponseWriter, r *http.Request) {
			defer close(left)
			conn, _, err := http.NewResponseController(w).Hijack()
			begun <- struct{}{}
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			<-r.Context().Done()
		})
	})
	listener := listen(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, listener, handler) }()
	for _, path := range []string{"/stuck", "/socket"} {
		go func() {
			if response, err := http.Get("http://" + listener.Addr().String() + path); err == nil {
				response.Body.Close()
			}
		}()
		<-begun
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-left
}

func TestASecondServerServesThoughTheAddressOfTheMetricsIsTaken(t *testing.T) {
	t.Parallel()
	taken := listen(t)
	defer taken.Close()
	handler, p, log := mounted(Settings{Metrics: taken.Addr().String(), StopTime: time.Second}, Options{}, nil)
	listener := listen(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, listener, handler) }()
	response, err := http.Get("http://" + listener.Addr().String() + "/livez")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("%v %v", response, err)
	}
	stop()
	if err := <-ended; err != nil || !strings.Contains(log.String(), "cannot serve metrics") {
		t.Errorf("%v %s", err, log)
	}
}

func TestACertificateIsServedAndARenewedOneIsNoticed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	settings := Settings{
		Certificate: filepath.Join(folder, "chain.pem"), Key: filepath.Join(folder, "key.pem"), StopTime: time.Second,
	}
	write(t, settings, 1, time.Now().Add(-time.Hour))
	handler, p, log := mounted(settings, Options{}, nil)
	listener := listen(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, listener, handler) }()

	serial := func() int64 {
		t.Helper()
		connection, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		return connection.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Errorf("certificate %d", got)
	}
	write(t, settings, 2, time.Now())
	if got := serial(); got != 2 {
		t.Errorf("certificate %d after the renewal", got)
	}
	if err := os.WriteFile(settings.Key, []byte("half a fi"), 0o600); err != nil {
		t.Fatal(err)
	}
	if later := time.Now().Add(time.Second); os.Chtimes(settings.Key, later, later) != nil { // however coarse times are
		t.Fatal("the time of the key is not set")
	}
	for range 3 {
		if got := serial(); got != 2 {
			t.Errorf("certificate %d while the files do not fit", got)
		}
	}
	if err := os.Remove(settings.Key); err != nil || serial() != 2 || serial() != 2 {
		t.Errorf("another certificate while there is no key, %v", err)
	}
	if told := strings.Count(log.String(), "cannot load the renewed certificate"); told != 2 {
		t.Errorf("two failures are logged %d times", told)
	}
	if connection, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
		connection.Close()
		t.Error("TLS 1.1 is spoken")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestACertificateThatIsNotThereIsToldAtTheStart(t *testing.T) {
	t.Parallel()
	settings := Settings{Certificate: filepath.Join(t.TempDir(), "none.pem"), Key: "none.pem", StopTime: time.Second}
	handler, p, _ := mounted(settings, Options{}, nil)
	if err := p.Run(t.Context(), listen(t), handler); err == nil {
		t.Error("served")
	}
}

func TestASlowOrEndlessHeaderIsCutOff(t *testing.T) {
	t.Parallel()
	_, p, _ := mounted(Settings{}, Options{}, nil)
	server := p.server(http.NotFoundHandler())
	if server.ReadHeaderTimeout <= 0 || server.ReadTimeout <= 0 || server.IdleTimeout <= 0 || server.MaxHeaderBytes <= 0 {
		t.Errorf("a client may take as long as it likes: %+v", server)
	}
	listener := listen(t)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
	connection, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	_, _ = io.WriteString(connection, "GET / HTTP/1.1\r\nHost: a\r\nX: "+strings.Repeat("x", headerBytes+8_192))
	answer, _ := io.ReadAll(connection)
	if !strings.HasPrefix(string(answer), "HTTP/1.1 431") {
		t.Errorf("%.60s", answer)
	}
}

// write makes a certificate of its own with a serial number.
func write(t *testing.T, settings Settings, serial int64, changed time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour)}
	chain, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{
		settings.Certificate: {Type: "CERTIFICATE", Bytes: chain},
		settings.Key:         {Type: "EC PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
}
