#!/usr/bin/env python3
"""The agents of docs/agents against the real sidecar and memory server, with a scripted model: captures of one
conversation are in the prompt of the next one, a tool call runs neither after a denial nor without a verdict, and an
agent without its sidecar continues. Skips the loop of Node without node.

    python3 e2e/clients/agents_test.py       programs: build/release/bin, or $AGENT_MEMORY_BIN
"""
import http.server
import json
import os
import re
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading
import uuid

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import mcp_test  # noqa: E402
import programs  # noqa: E402
import wire  # noqa: E402

DOCS = os.path.join(programs.ROOT, "docs/agents")
AGENT_S = 300


class Model:
    """An OpenAI-style chat endpoint on loopback. `script`: per call the commands to run, or the final answer."""

    def __init__(self):
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.asked.append(asked["messages"])
                raw = json.dumps({"choices": [{"message": model.reply()}]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_):
                pass

        self.asked, self.script = [], []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1/chat/completions"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reply(self):
        step = self.script.pop(0) if self.script else "nothing to say"
        if isinstance(step, str):
            return {"role": "assistant", "content": step}
        calls = [{"id": "call-" + uuid.uuid4().hex, "type": "function",
                  "function": {"name": "bash", "arguments": json.dumps({"command": command})}} for command in step]
        return {"role": "assistant", "content": "", "tool_calls": calls}

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Refusing:
    """A fake sidecar without a verdict for PreToolUse: an error, no answer, or a truncated or malformed one."""
    FULL = b'{"code":"full","error":"there is no room"}'
    ANSWERS = {"error": b"HTTP/1.1 507 Insufficient Storage\r\nContent-Length: %d\r\n\r\n%s" % (len(FULL), FULL),
               "nothing": b"", "half": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", "noise": b"what\r\n\r\n",
               "null": b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull"}

    def __init__(self, answer):
        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                length = 0
                while (line := self.rfile.readline()) not in (b"\r\n", b""):
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                self.rfile.read(length)
                self.wfile.write(answer)

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class World:
    def __init__(self, folder, admin=False, **limits):
        self.folder, self.server = folder, programs.server(folder).start()
        policy = os.path.join(folder, "policy.json")
        with open(policy, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "agent": "coder", "namespace": "agents",
                       "memory": {"url": "http://" + self.server.api, "project": "coder", "allowAdmin": admin},
                       "toolHooks": {"memorySaveRules": [{"name": "failures", "tool": "bash", "matchOutput": "undefined reference"}],
                                     "blockedCommands": ["shred"], **limits}}, file)
        self.sidecar = programs.sidecar(folder, policy).start()
        self.model = Model()
        if not self.sidecar.ready():
            raise SystemExit("the sidecar is not ready:\n" + self.sidecar.tail())

    def run(self, argv, conversation, prompts, memory=None):
        environment = {**os.environ, "MODEL_URL": self.model.url, "AGENT_MEMORY_URL": memory or "http://" + self.sidecar.api}
        try:
            return subprocess.run([*argv, conversation], input="\n".join(prompts) + "\n", capture_output=True, text=True,
                                  timeout=AGENT_S, check=False, env=environment, cwd=self.folder)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(argv, -1, str(late.stdout), f"took more than {AGENT_S} s")

    def stop(self):
        self.model.stop()
        self.sidecar.stop()
        self.server.stop()


def loop(counts, world, name, argv):
    """Two conversations of an agent, and one without a sidecar."""
    marker = "sym_" + uuid.uuid4().hex[:8]
    first, second = f"{name}-1", f"{name}-2"
    prey = os.path.join(world.folder, name + ".txt")
    with open(prey, "w", encoding="utf-8") as file:
        file.write("keep me")
    failing = f"echo 'ld: undefined reference to {marker}'; exit 1"
    working = f"echo 'note: undefined reference to {marker} goes away with -lledger'"
    world.model.script = [[failing], [working, f"shred -u {prey}"], "The linker misses it.", "Bye."]
    done = world.run(argv, first, [f"Why does linking {marker} fail?", "Thanks."])
    counts.check(f"{name}: the first conversation ends well", done.returncode == 0, done.stderr)
    counts.check(f"{name}: it says what the model said", done.stdout.split("\n")[:2] == ["The linker misses it.", "Bye."], done.stdout)
    counts.check(f"{name}: the denied command did not run", os.path.exists(prey))
    told = [m["content"] for m in world.model.asked[-1] if m["role"] == "tool"]
    counts.check(f"{name}: the model is told why", len(told) == 3 and "shred" in told[2] and marker in told[1], told)

    status, answer = wire.ask(world.sidecar.api, "GET", f"/conversations/{first}/messages")
    roles = [m["role"] for m in answer["messages"]] if status == 200 else []
    counts.check(f"{name}: working memory has the turn", roles == ["user"] + ["assistant", "tool"] * 2 + ["assistant", "user", "assistant"], roles)
    counts.check(f"{name}: and has ended", status == 200 and answer["state"] == "ended", answer)
    for what, path in (("the capture", f"/search?q={marker}&project=coder"), ("the summary", "/sessions/recent?project=coder")):
        wire.until(lambda path=path: marker in str(wire.ask(world.server.api, "GET", path)), 60)
        answer = wire.ask(world.server.api, "GET", path)
        counts.check(f"{name}: {what} reached the server", answer[0] == 200 and marker in str(answer[1]), answer)

    before = len(world.model.asked)
    world.model.script = ["Link with -lledger."]
    done = world.run(argv, second, [f"undefined reference to {marker}?"])
    prompt = world.model.asked[before][0]["content"] if len(world.model.asked) > before else ""
    counts.check(f"{name}: the next conversation is given it, fenced", re.search(
        rf"<memory:context>.*{marker} goes away with -lledger.*</memory:context>", prompt, re.S), prompt)
    counts.check(f"{name}: and the summary of the first", "<memory:sessions>" in prompt, prompt)

    world.model.script = ["Still here."]
    done = world.run(argv, name + "-3", ["Anybody?"], memory="http://127.0.0.1:9")
    counts.check(f"{name}: without its sidecar it goes on", done.returncode == 0 and done.stdout == "Still here.\n", done.stderr)
    unjudged(counts, world, name, argv)


def unjudged(counts, world, name, argv):
    """No tool call runs without a verdict: neither because of characters that JSON or the shell cannot carry, nor because
    the sidecar refuses, breaks off or does not answer."""
    victim = os.path.join(world.folder, name + "-victim")
    with open(victim, "w", encoding="utf-8") as file:
        file.write("keep me")
    odd = ["\udc80", "\0", "\ud83d"]
    world.model.script = [[f"shred -u {victim} # {character}" for character in odd], "Bye."]
    done = world.run(argv, name + "-odd", ["Go."])
    counts.check(f"{name}: an odd character does not unlock a blocked command", done.returncode == 0 and os.path.exists(victim), done.stderr)
    world.model.script = [["printf 'a\\0b\\200c'", "echo x \0"], "Bye."]
    done = world.run(argv, name + "-bytes", ["Go."])
    counts.check(f"{name}: output and commands that are not text do not stop it", done.stdout == "Bye.\n", done.stderr)
    for what, answer in Refusing.ANSWERS.items():
        refusing = Refusing(answer)
        world.model.script = [[f"rm {victim}"], "Bye."]
        done = world.run(argv, f"{name}-{what}", ["Go."], memory=refusing.url)
        refusing.stop()
        told = [m["content"] for m in world.model.asked[-1] if m["role"] == "tool"]
        counts.check(f"{name}: {what} of the sidecar is no permission", done.stdout == "Bye.\n" and os.path.exists(victim), (told, done.stderr))
        wanted = f"tool blocked: the memory sidecar at {refusing.url} "
        counts.check(f"{name}: {what} is what the model reads", len(told) == 1 and told[0].startswith(wanted) and
                     told[0].endswith("Policy could not be checked.") and (what != "error" or "HTTP 507 (" in told[0] and "no room" in told[0]), told)
    environment = {key: value for key, value in os.environ.items() if key != "MODEL_URL"}
    done = subprocess.run(argv, input="Go.\n", capture_output=True, text=True, timeout=AGENT_S, check=False, env=environment)
    counts.check(f"{name}: without MODEL_URL it says what to set", done.returncode and "MODEL_URL is not set" in done.stderr, done.stderr)


def claude_code(counts, world):
    """The hooks of claude_settings.json: the commands unchanged, the URLs with the port of this test."""
    with open(os.path.join(DOCS, "claude_settings.json"), encoding="utf-8") as file:
        hooks = json.load(file)["hooks"]
    conversation = "claude-" + uuid.uuid4().hex[:8]

    def command(event, fields, url=None):
        line = hooks[event][0]["hooks"][0]["command"]
        said = {"hook_event_name": event, "session_id": conversation, "cwd": world.folder, **fields}
        environment = {**os.environ, "AGENT_MEMORY_URL": url or "http://" + world.sidecar.api}
        done = subprocess.run(["bash", "-c", line], input=json.dumps(said), capture_output=True, text=True, check=False,
                              env=environment, timeout=AGENT_S)
        return done.returncode, done.stdout, done.stderr

    def posted(event, fields):
        hook = hooks[event][0]["hooks"][0]
        counts.check(f"claude: {event} goes to our port", hook["type"] == "http" and hook["url"] == "http://127.0.0.1:7437/v1/hooks", hook)
        return wire.ask(world.sidecar.api, "POST", "/v1/hooks", {"hook_event_name": event, "session_id": conversation, **fields})

    code, said, why = command("SessionStart", {"source": "startup"})
    counts.check("claude: SessionStart is answered", code == 0 and "memory:sessions" in said, (code, said, why))
    counts.check("claude: without the sidecar a session starts all the same",
                 command("SessionStart", {"source": "startup"}, "http://127.0.0.1:9")[0] == 0)
    tool = {"tool_name": "Bash", "tool_use_id": "toolu_1"}
    code, said, why = command("PreToolUse", {**tool, "tool_input": {"command": "ls"}})
    counts.check("claude: an allowed tool goes on", code == 0 and "deny" not in said, (code, said, why))
    code, said, why = command("PreToolUse", {**tool, "tool_input": {"command": "shred -u x"}})
    counts.check("claude: a blocked one is denied", code == 0 and json.loads(said)["hookSpecificOutput"]["permissionDecision"] == "deny", said)
    code, said, why = command("PreToolUse", {**tool, "tool_input": {"command": "ls"}}, "http://127.0.0.1:9")
    counts.check("claude: without an answer no tool runs", code == 2 and not said and
                 "tool blocked: the memory sidecar at http://127.0.0.1:9 returned HTTP 000 (no answer). Policy could" in why, (code, said, why))
    for what in ("error", "nothing", "half", "noise"):
        refusing = Refusing(Refusing.ANSWERS[what])
        code, said, why = command("PreToolUse", {**tool, "tool_input": {"command": "ls"}}, refusing.url)
        refusing.stop()
        counts.check(f"claude: {what} of the sidecar is no permission", code == 2 and not said and "Policy could not be checked" in why, (code, why))
        if what == "error":
            counts.check("claude: the model reads the sidecar's words", f"{refusing.url} returned HTTP 507 " '({"code":"full","error":"there is no room"})' in why, why)
    for event, fields in (("UserPromptSubmit", {"prompt": "go", "prompt_id": "p1"}),
                          ("PostToolUse", {**tool, "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a", "stderr": ""}}),
                          ("PostToolUseFailure", {**tool, "tool_use_id": "toolu_2", "tool_input": {"command": "x"}, "error": "Exit code 1"}),
                          ("Stop", {"last_assistant_message": "done"}), ("SessionEnd", {"reason": "other"})):
        counts.check(f"claude: {event} is taken", posted(event, fields)[0] == 200)
    answer = wire.ask(world.sidecar.api, "GET", f"/conversations/{conversation}/messages")[1]
    counts.check("claude: the conversation is there and has ended", len(answer.get("messages", [])) == 6 and answer["state"] == "ended", answer)


def main():
    folder = tempfile.mkdtemp(prefix="agent-memory-agents-")
    counts = mcp_test.Counts()
    world = World(folder)
    try:
        loop(counts, world, "python", [sys.executable, os.path.join(DOCS, "python_loop.py")])
        if shutil.which("node"):
            loop(counts, world, "node", ["node", os.path.join(DOCS, "node_loop.mjs")])
        else:
            counts.skip("node", "node is not installed (scripts/deps build)")
        if shutil.which("curl"):
            claude_code(counts, world)
        else:
            counts.skip("claude code", "curl is not installed")
        for program in (world.sidecar, world.server):
            counts.check(f"{program.name} lives", program.running, program.tail())
    finally:
        world.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{counts.passed} passed, {counts.failed} failed" + (f", {counts.skipped} skipped" if counts.skipped else ""))
    return int(counts.failed != 0)


if __name__ == "__main__":
    sys.exit(main())
