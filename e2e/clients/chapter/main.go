// Checks the chapter's promises about its memory on a server: chapter URL PART. Prints a JSON line per check:
// {"ok": bool, "what": string}.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"
)

func check(ok bool, what string, seen ...any) {
	if !ok {
		what += fmt.Sprintf(": %+v", seen)
	}
	line, _ := json.Marshal(map[string]any{"ok": ok, "what": what})
	fmt.Println(string(line))
}

func must(err error) {
	if err != nil {
		check(false, "a call failed", err.Error())
		os.Exit(0)
	}
}

func keys(items []MemoryItem) []string {
	found := []string{}
	for _, item := range items {
		found = append(found, item.Key)
	}
	return found
}

// Builds the context of the chapter's agent.
func contextOf(memories []MemoryItem) string {
	text := "Relevant past information:\n"
	for _, mem := range memories {
		text += fmt.Sprintf("- %s: %v\n", mem.Key, mem.Value)
	}
	return text
}

func operations(memory *ServedMemory) {
	began := time.Now().Add(-time.Minute)
	must(memory.Store("db-problem", "last week the database was slow since its disk was full",
		map[string]any{"user_input": "the database is slow", "timestamp": time.Now()}))
	must(memory.Store("format", map[string]any{"responses": "JSON"}, nil))
	must(memory.Store("lunch", "pizza on fridays", map[string]any{}))
	found, err := memory.Retrieve("What was the database problem we fixed last week?", 5)
	must(err)
	check(len(found) > 0 && found[0].Key == "db-problem", "the case study: the question finds what was stored", keys(found))
	item := found[0]
	check(item.TTL == 24*time.Hour, "the default TTL is 24 h", item.TTL)
	check(item.Created.After(began) && !item.Accessed.Before(item.Created), "Created and Accessed are times", item)
	check(item.Metadata["user_input"] == "the database is slow", "metadata comes back", item.Metadata)
	check(strings.Contains(contextOf(found), "- db-problem: last week"), "it is the chapter's context", contextOf(found))
	var rendered struct{ Text string }
	must(memory.call("GET", "/items/render?query=database&limit=1", nil, &rendered))
	check(rendered.Text == contextOf(found[:1]), "render is the same text", rendered.Text)
	must(memory.Update("format", map[string]any{"responses": "YAML"}))
	format, err := memory.Get("format")
	must(err)
	check(reflect.DeepEqual(format.Value, map[string]any{"responses": "YAML"}), "Update changes the value", format.Value)
	must(memory.Forget("lunch"))
	found, err = memory.Retrieve("pizza", 5)
	must(err)
	// With a model the others are the nearest; without one nothing is found.
	check(!slices.Contains(keys(found), "lunch"), "what was forgotten is not found", keys(found))
	check(memory.Forget("lunch") != nil, "forgetting it again is an error")
	_, err = memory.Get("format")
	must(err)
	found, err = memory.Retrieve("", 1)
	must(err)
	check(reflect.DeepEqual(keys(found), []string{"format"}), "the last accessed comes first", keys(found))
	must(memory.StoreFor("fleeting", "gone", time.Nanosecond))
	deadline := time.Now().Add(5 * time.Second)
	for err = nil; err == nil && time.Now().Before(deadline); {
		_, err = memory.Get("fleeting")
	}
	check(err != nil, "an expired item is skipped")
	must(memory.StoreFor("for-ever", "stays", 0))
	item, err = memory.Get("for-ever")
	must(err)
	check(item.TTL == 0, "TTL 0 is for ever", item.TTL)
	var verdict struct {
		Store     bool
		Rule, Key string
	}
	consider := func(input, answer string) {
		must(memory.call("POST", "/items/consider", map[string]any{"user_input": input, "answer": answer}, &verdict))
	}
	consider("I prefer JSON responses", "I will answer in JSON.")
	check(verdict.Store, "shouldStore keeps a preference", verdict)
	item, err = memory.Get(verdict.Key)
	must(err)
	check(item.Value == "I will answer in JSON." && item.Metadata["user_input"] == "I prefer JSON responses" &&
		item.Metadata["timestamp"] != nil, "with user_input and timestamp", item)
	consider("hello", "hi")
	check(!verdict.Store, "and not every turn", verdict)
}

// Exercise 1: the memory persists between restarts.
func exercise1(memory *ServedMemory) {
	item, err := memory.Get("db-problem")
	must(err)
	check(item.Value == "last week the database was slow since its disk was full", "an item survived the kill", item)
	check(item.Metadata["user_input"] == "the database is slow", "so did its metadata", item)
	found, err := memory.Retrieve("database disk", 5)
	must(err)
	check(len(found) > 0 && found[0].Key == "db-problem", "and it is found", keys(found))
}

func main() {
	memory := &ServedMemory{os.Args[1], &http.Client{Timeout: 20 * time.Second}}
	parts := map[string]func(*ServedMemory){"operations": operations, "exercise1": exercise1, "shared": shared, "agent": agent}
	parts[os.Args[2]](memory)
}
