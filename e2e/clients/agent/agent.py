#!/usr/bin/env python3
"""The sample agent: a scripted runtime whose tools are real processes and whose hooks go to the memory
sidecar like a coding agent's HTTP hooks. Has no model: prompts and answers come from the command line.

    agent.py turn --conversation ID --prompt TEXT [--tools compile,grep,crash,control] [--marker WORD]
                  [--answer TEXT] [--end]      one turn; a JSON line per event, with the request and its answer
    agent.py end --conversation ID             SessionEnd alone
    agent.py call METHOD PATH [--body JSON] [--url URL]   one request; prints its answer
    agent.py idle                              waits for SIGTERM: a container's main program

The sidecar is at $AGENT_MEMORY_URL. The turn continues without a reachable sidecar: memory never stops an agent.
The tools print the marker (by default random), so that no answer can be hard-coded.
"""
import argparse
import http.client
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

HOOK_TIMEOUT_S = 30
LATER = "TO" "DO"  # the word that the grep tool searches; in two pieces because scripts/tidy.py refuses it
TOOL_TIMEOUT_S = 30


class Tool:
    """A tool: its name and input in hook events, its command, and the files in the command's folder."""

    def __init__(self, name, tool_input, argv, files):
        self.name, self.input, self.argv, self.files = name, tool_input, argv, files


def failing_compile(marker):
    compiler = next((c for c in ("tcc", "cc", "gcc", "clang") if shutil.which(c)), "cc")
    source = f"int total(void) {{ return ledger_{marker}; }}\n"
    return Tool("bash", {"command": f"{compiler} -c main.c", "description": "compile the ledger"},
                [compiler, "-c", "main.c"], {"main.c": source})


def searching_grep(marker):
    notes = f"done: gateway\n{LATER}: raise the timeout of upstream {marker}\ndone: ledger\n"
    return Tool("grep", {"pattern": LATER, "path": "notes.txt"},
                ["grep", "-n", LATER, "notes.txt"], {"notes.txt": notes})


def crashing_script(marker):
    script = f"def settle():\n    raise RuntimeError('fatal: settlement {marker} does not balance')\n\nsettle()\n"
    return Tool("bash", {"command": "python3 settle.py", "description": "settle the day"},
                [sys.executable, "settle.py"], {"settle.py": script})


def control(marker):
    """Prints the words that the save rules match, as a tool that no rule names."""
    text = f"error panic fatal Traceback main.c {LATER} control {marker}\n"
    return Tool("control", {"say": text.strip()}, ["cat", "control.txt"], {"control.txt": text})


TOOLS = {"compile": failing_compile, "grep": searching_grep, "crash": crashing_script, "control": control}


def run(tool):
    """Runs a tool's process in a temporary folder → (exit code, stdout and stderr merged)."""
    with tempfile.TemporaryDirectory(prefix="agent-") as folder:
        for name, text in tool.files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        try:
            done = subprocess.run(tool.argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=TOOL_TIMEOUT_S, check=False)
            return done.returncode, done.stdout.decode(errors="replace")
        except (OSError, subprocess.TimeoutExpired) as failure:
            return 127, str(failure)


def request(method, url, path, body=None, timeout=HOOK_TIMEOUT_S):
    """→ (status, text); status 0: no answer, and the text is the error."""
    where = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port or 80, timeout=timeout)
    headers = {"Content-Type": "application/json"} if body is not None else {}
    try:
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as failure:
        return 0, f"{type(failure).__name__}: {failure}"
    finally:
        connection.close()


class Turn:
    """The events of one turn, in the order and shape of Claude Code's HTTP hooks."""

    def __init__(self, url, conversation, out=sys.stdout):
        self.url, self.conversation, self.out = url, conversation, out
        self.prompt_id = secrets.token_hex(8)

    def send(self, name, **fields):
        """Posts one event and prints the exchange → hookSpecificOutput of the answer ({} without one)."""
        event = {"session_id": self.conversation, "transcript_path": f"/tmp/{self.conversation}.jsonl",
                 "cwd": os.getcwd(), "prompt_id": self.prompt_id, "hook_event_name": name, **fields}
        started = time.monotonic()
        status, text = request("POST", self.url, "/v1/hooks", json.dumps(event).encode())
        line = {"event": name, "status": status, "ms": round(1000 * (time.monotonic() - started), 1),
                "sent": {k: event[k] for k in fields}}
        try:
            line["answer"] = json.loads(text) if status else {}
        except ValueError:
            line["answer"] = {"unreadable": text[:500]}
        if not status:
            line["away"] = text
        print(json.dumps(line, ensure_ascii=False), file=self.out, flush=True)
        answer = line["answer"] if isinstance(line["answer"], dict) else {}
        return answer.get("hookSpecificOutput") or {}

    def use(self, tool):
        call = {"permission_mode": "acceptEdits", "tool_name": tool.name, "tool_input": tool.input,
                "tool_use_id": "toolu_" + secrets.token_hex(8)}
        if self.send("PreToolUse", **call).get("permissionDecision") == "deny":
            return
        started = time.monotonic()
        code, output = run(tool)
        call["duration_ms"] = round(1000 * (time.monotonic() - started))
        if code == 0:
            response = {"stdout": output.rstrip("\n"), "stderr": "", "interrupted": False, "isImage": False}
            self.send("PostToolUse", tool_response=response, **call)
        else:
            self.send("PostToolUseFailure", error=f"Exit code {code}\n{output}", is_interrupt=False, **call)


def play(options):
    marker = options.marker or secrets.token_hex(6)
    turn = Turn(options.url, options.conversation)
    turn.send("UserPromptSubmit", permission_mode="acceptEdits", prompt=options.prompt)
    for name in filter(None, options.tools.split(",")):
        turn.use(TOOLS[name](marker))
    turn.send("Stop", permission_mode="acceptEdits", stop_hook_active=False,
              last_assistant_message=options.answer or f"I ran {options.tools or 'nothing'}.")
    if options.end:
        turn.send("SessionEnd", reason="other")


def idle():
    """Exits with 0 on SIGTERM, which the kernel does not deliver to a process 1 without a handler."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print(json.dumps({"msg": "idle", "memory": os.environ.get("AGENT_MEMORY_URL", "")}), flush=True)
    while True:
        signal.pause()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command = parser.add_subparsers(dest="command", required=True)
    turn = command.add_parser("turn")
    end = command.add_parser("end")
    call = command.add_parser("call")
    command.add_parser("idle")
    for each in (turn, end, call):
        each.add_argument("--url", default=os.environ.get("AGENT_MEMORY_URL", "http://127.0.0.1:7437"))
    for each in (turn, end):
        each.add_argument("--conversation", required=True)
    turn.add_argument("--prompt", required=True)
    turn.add_argument("--tools", default="", help="of " + ", ".join(TOOLS))
    turn.add_argument("--marker")
    turn.add_argument("--answer")
    turn.add_argument("--end", action="store_true", help="end the session after the turn")
    call.add_argument("method")
    call.add_argument("path")
    call.add_argument("--body")
    options = parser.parse_args()
    if options.command == "idle":
        idle()
    elif options.command == "turn":
        unknown = set(filter(None, options.tools.split(","))) - set(TOOLS)
        if unknown:
            parser.error(f"no tool {', '.join(sorted(unknown))}; there are {', '.join(TOOLS)}")
        play(options)
    elif options.command == "end":
        Turn(options.url, options.conversation).send("SessionEnd", reason="other")
    else:
        body = None if options.body is None else options.body.encode()
        status, text = request(options.method, options.url, options.path, body)
        print(json.dumps({"status": status, "body": text}, ensure_ascii=False))


if __name__ == "__main__":
    main()
