package cli

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/web/static/webtest"
)

// The receiver that docs/webhooks.md shows gets what the program sends, and refuses what another one does.
func TestTheReceiverOfThePageTakesWhatIsSentAndNothingElse(t *testing.T) {
	t.Parallel()
	node := webtest.Tool(t, "node")
	page, err := os.ReadFile("../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```js receiver.mjs\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("the page shows no receiver")
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "receiver.mjs")
	if err := os.WriteFile(file, block[1], 0o600); err != nil {
		t.Fatal(err)
	}
	certificate, key := certificateIn(t, folder)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()

	s := newShell(t)
	s.must(t, "migrate")
	by := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "writer", "--scope", "settings.write"))
	hook := hookOf(t, s.must(t, "webhooks", "create", "--json", "--url", "https://"+address+"/changes"))

	receiver := exec.CommandContext(t.Context(), node, file)
	receiver.Env = append(os.Environ(), "WEBHOOK_SECRET="+hook.Secret, "TLS_CERT="+certificate, "TLS_KEY="+key, "PORT="+address[strings.LastIndex(address, ":")+1:])
	said, err := receiver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	receiver.Stderr = os.Stderr
	if err := receiver.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = receiver.Process.Kill(); _ = receiver.Wait() }()
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			break
		}
		if time.Now().After(until) {
			t.Fatal("the receiver does not start")
		}
	}

	text, err := os.ReadFile(certificate)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	if status := forged(t, "https://"+address, roots); status != http.StatusUnauthorized {
		t.Errorf("a message of somebody else is answered with %d", status)
	}
	server := s.start(t, exec.Command("env", "SSL_CERT_FILE="+certificate), "--webhook-network=127.0.0.1")
	var want []string
	for i := range 3 {
		want = append(want, "CREATED LABEL "+createLabel(t.Context(), server.address, by, fmt.Sprint("label ", i)))
	}
	lines := bufio.NewScanner(said)
	for _, line := range want {
		if !lines.Scan() || lines.Text() != line {
			t.Errorf("the receiver says %q, want %q", lines.Text(), line)
		}
	}
}

// certificateIn makes a certificate of 127.0.0.1 that vouches for itself.
func certificateIn(t *testing.T, folder string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "receiver"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: signed}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
}

// forged sends a message that nobody has signed with the secret.
func forged(t *testing.T, url string, roots *x509.CertPool) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"type":"changes","data":{"changes":[{"action":"DELETED","noun":"LABEL","id":"x"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Webhook-Id": {"a_1"}, "Webhook-Timestamp": {fmt.Sprint(time.Now().Unix())}, "Webhook-Signature": {"v1,AAAA v1, v2,x"}}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: tlsWith(roots)}}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func tlsWith(roots *x509.CertPool) *tls.Config {
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}
}
