#!/usr/bin/env python3
"""A chat with memory, from Python's standard library: answers a prompt a line. OPENAI_BASE_URL and OPENAI_API_KEY name an
endpoint with OpenAI's chat API, MODEL its model."""
import json
import os
import subprocess
import sys
import urllib.request
import uuid

BASE = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
KEY, MODEL = os.environ.get("OPENAI_API_KEY", ""), os.environ.get("MODEL", "gpt-4.1-mini")
SESSION = str(uuid.uuid4())  # each conversation has one of its own


def hook(event, **fields):
    """→ what memory adds to the event; nothing if memory does not answer, and then stderr says why."""
    body = json.dumps({"hook_event_name": event, "session_id": SESSION, **fields})
    done = subprocess.run(["agent-memory", "hook", event], input=body, stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(done.stdout or "{}").get("hookSpecificOutput", {}).get("additionalContext", "")


def ask(messages):
    request = urllib.request.Request(BASE + "/chat/completions", json.dumps({"model": MODEL, "messages": messages}).encode(),
                                     {"Content-Type": "application/json", "Authorization": "Bearer " + KEY})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


messages = []
for prompt in filter(None, map(str.strip, sys.stdin)):
    memory = hook("UserPromptSubmit", prompt=prompt)
    messages.append({"role": "user", "content": f"{memory}\n\n{prompt}".strip()})
    said = ask(messages)
    messages.append({"role": "assistant", "content": said})
    hook("Stop", last_assistant_message=said)
    print(said, flush=True)
hook("SessionEnd", reason="exit")
