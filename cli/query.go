package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/graphql/export"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/httpserver"
	"example.org/backoffice/privacy"
)

type queryCommand struct {
	File      string `arg:"" predictor:"path" help:"The file with the query, or - for standard input."`
	Variables string `placeholder:"JSON|@FILE" predictor:"path" help:"Its variables, a JSON object."`
	Operation string `placeholder:"NAME" help:"The operation to run, if there are several."`
	Format    string `default:"jsonl" enum:"jsonl,csv,xlsx" placeholder:"FORMAT" help:"The format: jsonl, csv or xlsx (${default})."`
	Output    string `short:"o" placeholder:"PATH" predictor:"path" help:"The file to write, or to replace once the export is complete. Without it, rows are printed."`
	Rows      string `placeholder:"LIST" help:"The list in each row to expand into rows of csv and xlsx."`
	After     string `placeholder:"CURSOR" help:"Start after this row."`
	Cursor    bool   `help:"Include the cursor of each row."`
	Excel     bool   `help:"Write csv that opens in Excel."`
	Purpose   string `placeholder:"TEXT" help:"Why registration numbers are read, for the register."`
	Server    string `placeholder:"URL" help:"Query a running server instead of the store, with the credential in BACKOFFICE_CLIENT_ID and BACKOFFICE_CLIENT_SECRET."`
}

// Validate checks what it can before anything is opened.
func (c *queryCommand) Validate() error {
	if c.Format == string(export.XLSX) && c.Output == "" {
		return errors.New("--format xlsx needs -o PATH")
	}
	if _, err := privacy.ParsePurpose(c.Purpose); err != nil {
		return errPurpose
	}
	if server, err := url.Parse(c.Server); c.Server != "" &&
		(err != nil || server.Scheme != "http" && server.Scheme != "https" || server.Host == "") {
		return errors.New("--server must be an address such as https://office.example")
	}
	return nil
}

func (c *queryCommand) Run(ctx context.Context, s *settings, t terminal) (err error) {
	request, err := c.request(ctx)
	if err != nil {
		return err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if c.Server == "" {
		b, err := s.OpenExisting(ctx)
		if err != nil {
			return err
		}
		defer b.Close()
		log := httpserver.Settings{LogLevel: "warn", LogFormat: "text"}.NewLog(t.err)
		operator, err := b.Operator(gateway.Config{Limits: limits.Defaults(), Log: log})
		if err != nil {
			return err
		}
		defer operator.Close()
		defer func() { err = errors.Join(err, b.Vault.WriteReceipts(context.WithoutCancel(ctx), b.Receipts)) }()
		client.Transport = operator
	}
	if c.Output == "" {
		return c.write(t.out, t, client, request)
	}
	// An unwritable file fails before anything is read.
	return writeFile(c.Output, true, func(to io.Writer) error { return c.write(to, t, client, request) })
}

func (c *queryCommand) write(to io.Writer, t terminal, client *http.Client, request *http.Request) error {
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("the server cannot be reached: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Header.Get(export.ChangesAfter) == "" {
		return refusalOf(response)
	}
	if err := whole(to, response); err != nil {
		return err
	}
	rows, _ := strconv.Atoi(response.Trailer.Get(export.ExportRows)) // of a complete answer
	return printed(fmt.Fprintf(t.err, "%s; changes after %s in the change feed are not in the export\n",
		backoffice.Plural(rows, "row", "rows"), response.Header.Get(export.ChangesAfter)))
}

func (c *queryCommand) request(ctx context.Context) (*http.Request, error) {
	document, err := readFile(c.File)
	if err != nil {
		return nil, err
	}
	asked := map[string]any{"query": string(document)}
	if c.Operation != "" {
		asked["operationName"] = c.Operation
	}
	if c.Variables != "" {
		variables := []byte(c.Variables)
		if path, isFile := strings.CutPrefix(c.Variables, "@"); isFile {
			if variables, err = readFile(path); err != nil {
				return nil, err
			}
		}
		if !json.Valid(variables) {
			return nil, errors.New("--variables must be a JSON object, or @FILE")
		}
		asked["variables"] = json.RawMessage(variables)
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	options := url.Values{"format": {c.Format}}
	on := map[bool]string{true: "on"}
	given := map[string]string{"rows": c.Rows, "after": c.After, "cursor": on[c.Cursor], "excel": on[c.Excel]}
	for name, value := range given {
		if value != "" {
			options.Set(name, value)
		}
	}
	address := strings.TrimSuffix(c.Server, "/") + "/graphql/export?" + options.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.Purpose != "" {
		r.Header.Set(privacy.PurposeHeader, c.Purpose)
	}
	if c.Server != "" {
		r.Header.Set(auth.ClientIDHeader, os.Getenv("BACKOFFICE_CLIENT_ID"))
		r.Header.Set(auth.ClientSecretHeader, os.Getenv("BACKOFFICE_CLIENT_SECRET"))
	}
	return r, nil
}

// readFile reads a file named by the operator, or standard input for "-".
func readFile(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(path)
}

// whole copies an export, and fails when it is incomplete.
func whole(to io.Writer, response *http.Response) error {
	if _, err := io.Copy(to, response.Body); err != nil {
		return fmt.Errorf("the export is not complete: %w", err)
	}
	if response.Trailer.Get(export.ExportStatus) != export.Complete {
		return errors.New("the export is not complete: " +
			"its trailer is missing (proxies must forward trailers)")
	}
	return nil
}

// refusalOf is the error that a server sent instead of an export.
func refusalOf(response *http.Response) error {
	var refused struct{ Errors []struct{ Message string } }
	const most = 1 << 20
	if json.NewDecoder(io.LimitReader(response.Body, most)).Decode(&refused) != nil || len(refused.Errors) == 0 {
		return fmt.Errorf("the server answered %d, and not like a Backoffice server", response.StatusCode)
	}
	messages := backoffice.Map(refused.Errors, func(one struct{ Message string }) string { return one.Message })
	given := strings.NewReplacer( // clients have headers, the operator has not
		"in the header "+strings.ToLower(privacy.PurposeHeader), "by --purpose TEXT",
		"in the headers x-client-id and x-client-secret", "in BACKOFFICE_CLIENT_ID and BACKOFFICE_CLIENT_SECRET")
	return errors.New(given.Replace(strings.Join(messages, "; ")))
}
