// The chapter's SharedMemoryStore over the routes of shared memory. `as` names the caller, which the chapter's code does not
// have. A second URL is that of the worker's sidecar, which knows its Agent.
package main

import (
	"net/url"
	"os"
	"reflect"
)

type SharedMemoryStore struct {
	memory *ServedMemory
	as     string
}

func (s *SharedMemoryStore) path(agentID, key string) string {
	return "/shared/" + url.PathEscape(agentID) + "/" + url.PathEscape(key) + "?as=" + url.QueryEscape(s.as)
}

func (s *SharedMemoryStore) Put(agentID, key string, value any) error {
	return s.memory.call("PUT", s.path(agentID, key), value, nil)
}

func (s *SharedMemoryStore) Get(agentID, key string) (any, error) {
	var value any
	err := s.memory.call("GET", s.path(agentID, key), nil, &value)
	return value, err
}

// Lists the values of all agents, for a supervisor.
func (s *SharedMemoryStore) ListAll() (map[string]any, error) {
	all := map[string]any{}
	err := s.memory.call("GET", "/shared", nil, &all)
	return all, err
}

func shared(memory *ServedMemory) {
	worker, supervisor := memory, ""
	if len(os.Args) > 3 {
		worker, supervisor = &ServedMemory{os.Args[3], memory.client}, "worker"
	}
	as := func(name string) *SharedMemoryStore {
		if name == "worker" {
			return &SharedMemoryStore{worker, name}
		}
		return &SharedMemoryStore{memory, name}
	}
	plan := map[string]any{"steps": []any{"measure", "cut"}}
	must(as("planner").Put("planner", "plan", plan))
	must(as("worker").Put("worker", "state of/it", "cutting"))
	value, err := as("worker").Get("planner", "plan")
	must(err)
	check(reflect.DeepEqual(value, plan), "an agent that was granted it reads another's value", value)
	_, err = as("planner").Get("worker", "state of/it")
	check(err != nil, "one that was not does not")
	check(as("worker").Put("planner", "plan", 1) != nil, "nobody writes under another's name with a grant to read")
	value, err = as("worker").Get("worker", "state of/it")
	must(err)
	check(value == "cutting", "a key is any text", value)
	all, err := as(supervisor).ListAll()
	must(err)
	check(reflect.DeepEqual(all, map[string]any{"shared:planner:plan": plan, "shared:worker:state of/it": "cutting"}),
		"the supervisor lists all by shared:<agent>:<key>", all)
}
