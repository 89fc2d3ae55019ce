package rig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Client asks a server as one credential.
type Client struct {
	Address    string
	Credential Credential
	HTTP       *http.Client
}

// NewClient makes a client that keeps so many connections and waits so long for an answer.
func NewClient(address string, credential Credential, connections int, patience time.Duration) *Client {
	return &Client{address, credential, &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxIdleConns: connections}, Timeout: patience,
	}}
}

// Answer is what came, and when.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Took   time.Duration
}

// Ask sends an operation and reads all of the answer.
func (c *Client) Ask(query string, variables any) (Answer, error) {
	sent, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return Answer{}, err
	}
	request, err := http.NewRequest(http.MethodPost, "http://"+c.Address+"/graphql", bytes.NewReader(sent))
	if err != nil {
		return Answer{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/graphql-response+json")
	return c.Do(request)
}

// Get asks for a path of REST.
func (c *Client) Get(path string) (Answer, error) {
	request, err := http.NewRequest(http.MethodGet, "http://"+c.Address+path, nil)
	if err != nil {
		return Answer{}, err
	}
	return c.Do(request)
}

// Do sends a request as the credential.
func (c *Client) Do(request *http.Request) (Answer, error) {
	request.Header.Set("X-Client-Id", c.Credential.ClientID)
	request.Header.Set("X-Client-Secret", c.Credential.ClientSecret)
	began := time.Now()
	response, err := c.HTTP.Do(request)
	if err != nil {
		return Answer{Took: time.Since(began)}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return Answer{response.StatusCode, response.Header, body, time.Since(began)}, err
}

// Decode asks and reads the data of an answer that has no errors.
func (c *Client) Decode(into any, query string, variables any) error {
	a, err := c.Ask(query, variables)
	if err != nil {
		return err
	}
	var answer struct {
		Data   json.RawMessage
		Errors json.RawMessage
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil || a.Status != http.StatusOK || answer.Errors != nil {
		return fmt.Errorf("status %d: %.300s", a.Status, a.Body)
	}
	return json.Unmarshal(answer.Data, into)
}

// Fill makes so many customers, by a hundred, and returns their identifiers.
func (c *Client) Fill(customers int) (ids []string, err error) {
	for len(ids) < customers {
		inputs := []map[string]any{}
		for i := range min(100, customers-len(ids)) {
			number := len(ids) + i
			inputs = append(inputs, map[string]any{
				"type": "COMPANY", "name": fmt.Sprintf("Company %06d", number), "customerCode": fmt.Sprintf("R%06d", number),
				"email": fmt.Sprintf("office%d@example.org", number), "language": "dutch",
				"address": map[string]any{"city": "Gent", "street": fmt.Sprintf("Street %d", number)},
			})
		}
		var made struct {
			CreateCustomers struct {
				Results []struct{ Customer struct{ ID string } }
			}
		}
		if err := c.Decode(&made, `mutation($inputs: [CreateCustomerInput!]!) { createCustomers(inputs: $inputs) { results { customer { id } } } }`, map[string]any{"inputs": inputs}); err != nil {
			return nil, err
		}
		for _, item := range made.CreateCustomers.Results {
			ids = append(ids, item.Customer.ID)
		}
	}
	return ids, nil
}
