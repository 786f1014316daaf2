#!/usr/bin/env python3
"""A chat model with a shell, and memory by hook events: `MODEL_URL=http://…/v1/chat/completions python_loop.py [SESSION]`
reads a prompt a line. Without its sidecar it goes on and answers, but runs no tool that nobody judged."""
import http.client, json, os, subprocess, sys, urllib.error, urllib.request, uuid  # noqa: E401

MEMORY, SESSION = os.environ.get("AGENT_MEMORY_URL", "http://127.0.0.1:7437"), (sys.argv[1:] or [str(uuid.uuid4())])[0]
MODEL = os.environ.get("MODEL_URL") or sys.exit("MODEL_URL is not set: give the model's endpoint, http://HOST:PORT/v1/chat/completions")
SHELL = {"type": "function", "function": {"name": "bash", "description": "Runs a shell command.", "parameters": {
    "type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}}

def post(url, body, timeout=60):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=timeout))

def hook(event, **fields):
    try:
        body = {"hook_event_name": event, "session_id": SESSION, **fields}
        return post(MEMORY + "/v1/hooks", body, 5).get("hookSpecificOutput", {})
    except urllib.error.HTTPError as refused:
        why = f"returned HTTP {refused.code} ({refused.read(500).decode(errors='replace')})"
    except (OSError, ValueError, AttributeError, http.client.HTTPException) as failure:
        why = f"gave no answer ({failure})"
    # Only PreToolUse is a question: a tool that nobody judged does not run, the rest goes on without memory.
    return {"permissionDecision": "deny", "permissionDecisionReason":
            f"tool blocked: the memory sidecar at {MEMORY} {why}. Policy could not be checked."} if event == "PreToolUse" else {}

def run(call):
    command = json.loads(call["function"]["arguments"])["command"]
    tool = {"tool_name": "bash", "tool_input": {"command": command}, "tool_use_id": call["id"], "cwd": os.getcwd()}
    before = hook("PreToolUse", **tool)
    if before.get("permissionDecision") == "deny":
        return before["permissionDecisionReason"]
    try:
        done = subprocess.run(command, shell=True, capture_output=True, encoding="utf-8", errors="replace", timeout=600, check=False)
        code, output = done.returncode, done.stdout + done.stderr
    except (OSError, ValueError, subprocess.TimeoutExpired) as failure:  # too long, holds a NUL, does not end
        code, output = failure, ""
    if code == 0:
        hook("PostToolUse", **tool, tool_response={"stdout": output})
    else:
        output = f"Exit code {code}\n{output}"
        hook("PostToolUseFailure", **tool, error=output)
    return "\n\n".join(filter(None, [before.get("additionalContext"), output]))

messages = []
for prompt in filter(str.strip, sys.stdin):
    memory = hook("UserPromptSubmit", prompt=prompt.strip()).get("additionalContext")
    messages.append({"role": "user", "content": "\n\n".join(filter(None, [memory, prompt.strip()]))})
    while (reply := post(MODEL, {"messages": messages, "tools": [SHELL]})["choices"][0]["message"]).get("tool_calls"):
        messages += [reply, *({"role": "tool", "tool_call_id": c["id"], "content": run(c)} for c in reply["tool_calls"])]
    messages.append(reply)
    hook("Stop", last_assistant_message=reply["content"])
    print(reply["content"], flush=True)
hook("SessionEnd", reason="exit")
