#!/usr/bin/env python3
"""A chat model with a shell, and memory by hook events: `MODEL_URL=http://…/v1/chat/completions python_loop.py [SESSION]`
reads a prompt a line. Memory never stops it: when the sidecar is away it goes on without."""
import json, os, subprocess, sys, urllib.request, uuid  # noqa: E401

MEMORY, SESSION = os.environ.get("AGENT_MEMORY_URL", "http://127.0.0.1:7437"), (sys.argv[1:] or [str(uuid.uuid4())])[0]
SHELL = {"type": "function", "function": {"name": "bash", "description": "Runs a shell command.", "parameters": {
    "type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}}

def post(url, body, timeout=60):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=timeout))

def hook(event, **fields):
    try:
        body = {"hook_event_name": event, "session_id": SESSION, **fields}
        return post(MEMORY + "/v1/hooks", body, 5).get("hookSpecificOutput", {})
    except (OSError, ValueError):
        return {}

def run(call):
    command = json.loads(call["function"]["arguments"])["command"]
    tool = {"tool_name": "bash", "tool_input": {"command": command}, "tool_use_id": call["id"], "cwd": os.getcwd()}
    before = hook("PreToolUse", **tool)
    if before.get("permissionDecision") == "deny":
        return before["permissionDecisionReason"]
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=600, check=False)
    output = done.stdout + done.stderr
    if done.returncode == 0:
        hook("PostToolUse", **tool, tool_response={"stdout": output})
    else:
        hook("PostToolUseFailure", **tool, error=f"Exit code {done.returncode}\n{output}")
    return "\n\n".join(filter(None, [before.get("additionalContext"), output]))

messages = []
for prompt in filter(str.strip, sys.stdin):
    memory = hook("UserPromptSubmit", prompt=prompt.strip()).get("additionalContext")
    messages.append({"role": "user", "content": "\n\n".join(filter(None, [memory, prompt.strip()]))})
    while (reply := post(os.environ["MODEL_URL"], {"messages": messages, "tools": [SHELL]})["choices"][0]["message"]).get("tool_calls"):
        messages += [reply, *({"role": "tool", "tool_call_id": c["id"], "content": run(c)} for c in reply["tool_calls"])]
    messages.append(reply)
    hook("Stop", last_assistant_message=reply["content"])
    print(reply["content"], flush=True)
hook("SessionEnd", reason="exit")
