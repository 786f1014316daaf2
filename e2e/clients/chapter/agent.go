// An agent of 60 steps with the chapter's Checkpoint: it saves after each tool call, and a new process continues from the
// last checkpoint. Its tool records the executed steps in a file outside the memory.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

const steps = 60

type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type ToolCall struct {
	ID       string            `json:"id"`
	Type     string            `json:"type"`
	Function map[string]string `json:"function"`
}

type Checkpoint struct {
	Step      int            `json:"step"`
	Messages  []Message      `json:"messages"`
	Memory    map[string]any `json:"memory"`
	ToolState map[string]any `json:"tool_state"`
	TTL       string         `json:"ttl,omitempty"`
}

// agent runs from its checkpoint to the end, and prints each saved step. With a step as the fourth argument it hangs
// after that step, like an agent whose model does not answer.
func agent(memory *ServedMemory) {
	const path = "/conversations/long-task/checkpoint"
	world, hangs := os.Args[3], ""
	if len(os.Args) > 4 {
		hangs = os.Args[4]
	}
	state := Checkpoint{Messages: []Message{{Role: "user", Content: "migrate 60 tables"}}, Memory: map[string]any{}}
	if err := memory.call("GET", path, nil, &state); err != nil && !strings.Contains(err.Error(), "404") {
		panic(err)
	}
	tell("resumed", state.Step)
	tell("messages", len(state.Messages))
	for state.Step < steps {
		next := state.Step + 1
		file, err := os.OpenFile(world, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		must(err)
		_, err = fmt.Fprintln(file, next)
		must(err)
		must(file.Close())
		id := fmt.Sprintf("call_%d", next)
		state.Messages = append(state.Messages,
			Message{Role: "assistant", ToolCalls: []ToolCall{{ID: id, Type: "function", Function: map[string]string{
				"name": "migrate", "arguments": fmt.Sprintf(`{"table": %d}`, next)}}}},
			Message{Role: "tool", ToolCallID: id, Content: fmt.Sprintf("table %d is migrated", next)})
		state.Step, state.TTL = next, "24h"
		state.Memory["last table"] = next
		state.ToolState = map[string]any{"cursor": next}
		must(memory.call("PUT", path, state, nil))
		tell("step", next)
		if fmt.Sprint(next) == hangs {
			bufio.NewReader(os.Stdin).ReadByte()
		}
	}
	tell("memory", state.Memory["last table"])
}

func tell(what string, value any) {
	line, _ := json.Marshal(map[string]any{what: value})
	fmt.Println(string(line))
}
