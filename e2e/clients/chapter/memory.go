// A client written from the chapter alone: its Memory interface and its MemoryItem, unchanged, over the routes of
// items. Standard library only.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

type Memory interface {
	Store(key string, value any, metadata map[string]any) error
	Retrieve(query string, limit int) ([]MemoryItem, error)
	Forget(key string) error
	Update(key string, value any) error
}

type MemoryItem struct {
	Key      string
	Value    any
	Metadata map[string]any
	Created  time.Time
	Accessed time.Time
	TTL      time.Duration // Time to live
}

// ServedMemory keeps items on a memory server, reached directly or through a sidecar.
type ServedMemory struct {
	base   string
	client *http.Client
}

func (m *ServedMemory) call(method, path string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, m.base+path, sent)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := m.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	if answer == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, answer)
}

func itemPath(key string) string { return "/items/" + url.PathEscape(key) }

func (m *ServedMemory) Store(key string, value any, metadata map[string]any) error {
	return m.call("PUT", itemPath(key), map[string]any{"value": value, "metadata": metadata}, nil)
}

func (m *ServedMemory) StoreFor(key string, value any, ttl time.Duration) error {
	return m.call("PUT", itemPath(key), map[string]any{"value": value, "ttl": ttl}, nil)
}

func (m *ServedMemory) Retrieve(query string, limit int) ([]MemoryItem, error) {
	var found struct{ Items []MemoryItem }
	err := m.call("GET", "/items?query="+url.QueryEscape(query)+"&limit="+strconv.Itoa(limit), nil, &found)
	return found.Items, err
}

func (m *ServedMemory) Get(key string) (MemoryItem, error) {
	var item MemoryItem
	err := m.call("GET", itemPath(key), nil, &item)
	return item, err
}

func (m *ServedMemory) Forget(key string) error { return m.call("DELETE", itemPath(key), nil, nil) }

func (m *ServedMemory) Update(key string, value any) error {
	return m.call("PATCH", itemPath(key), map[string]any{"value": value}, nil)
}

var _ Memory = (*ServedMemory)(nil)
