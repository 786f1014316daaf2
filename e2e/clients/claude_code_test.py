#!/usr/bin/env python3
"""Claude Code itself, headless, with the settings of docs/agents and a scripted Messages API on loopback, against
the real sidecar and memory server: captures of one session are in the next one's context, a blocked command does not
run, binary output is recorded, malformed and very large calls get a verdict, and without its sidecar Claude Code answers
but runs no tool. The client comes from npm (235 MB, cached); the test is skipped without the registry.

    python3 e2e/clients/claude_code_test.py       programs: build/release/bin, or $AGENT_MEMORY_BIN
"""
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import uuid

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import agents_test  # noqa: E402
import mcp_test  # noqa: E402
import programs  # noqa: E402
import wire  # noqa: E402

CLIENT = "@anthropic-ai/claude-code@2.1.197"  # the version whose hook events were recorded
INSTALL_S, CLIENT_S = 1800, 600


class Messages:
    """The part of the Messages API that the client needs. `script`: per call of the main loop a command for Bash, another
    tool's {"name", "input"}, ("say", text), or a function of the request's messages as JSON, which gives one of these or None for
    the next. Calls without the tool Bash (for titles and the like) get the text "ok"."""

    def __init__(self):
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # noqa: N802
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if "count_tokens" in self.path:
                    return self.answer("application/json", json.dumps({"input_tokens": 10}))
                block = api.next_block(asked)
                if asked.get("stream"):
                    return self.answer("text/event-stream", stream(asked["model"], block))
                return self.answer("application/json", json.dumps({**envelope(asked["model"]), "content": [block],
                                                                   "stop_reason": stop_reason(block)}))

            def do_GET(self):  # noqa: N802
                self.answer("application/json", "{}")

            do_HEAD = do_GET  # noqa: N815

            def answer(self, kind, text):
                raw = text.encode()
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(raw)

            def log_message(self, *_):
                pass

        self.asked, self.script, self.waits = [], [], 30
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def offered(asked, name):
        """Is the tool among those of the request? One of an MCP server comes when the client is connected to it."""
        return not name.startswith("mcp__") or any(tool.get("name") == name for tool in asked.get("tools") or [])

    def next_block(self, asked):
        if not any(tool.get("name") == "Bash" for tool in asked.get("tools") or []):
            return {"type": "text", "text": "ok"}
        self.asked.append(json.dumps(asked["messages"], ensure_ascii=False))
        step = None
        while step is None:
            step = self.script.pop(0) if self.script else ("say", "nothing to say")
            step = step(self.asked[-1]) if callable(step) else step
        if isinstance(step, tuple):
            return {"type": "text", "text": step[1]}
        if isinstance(step, dict) and not self.offered(asked, step["name"]) and self.waits > 0:
            self.script.insert(0, step)
            self.waits, step = self.waits - 1, "sleep 1"
        if isinstance(step, str):
            step = {"name": "Bash", "input": {"command": step, "description": "as scripted"}}
        return {"type": "tool_use", "id": "toolu_" + uuid.uuid4().hex[:24], **step}

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def envelope(model):
    return {"id": "msg_" + uuid.uuid4().hex[:24], "type": "message", "role": "assistant", "model": model, "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 5}}


def stop_reason(block):
    return "tool_use" if block["type"] == "tool_use" else "end_turn"


def stream(model, block):
    if block["type"] == "text":
        begin, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        begin, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    events = [("message_start", {"message": envelope(model)}), ("content_block_start", {"index": 0, "content_block": begin}),
              ("content_block_delta", {"index": 0, "delta": delta}), ("content_block_stop", {"index": 0}),
              ("message_delta", {"delta": {"stop_reason": stop_reason(block), "stop_sequence": None}, "usage": {"output_tokens": 5}}),
              ("message_stop", {})]
    return "".join(f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n" for name, fields in events)


def install():
    """→ (the client's program, None) or (None, the reason)."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(cache, "agent-memory", "claude-code-" + CLIENT.rsplit("@", 1)[1])
    program = os.path.join(folder, "node_modules/.bin/claude")
    mark = os.path.join(folder, "installed")
    if os.path.exists(mark):
        return program, None
    if shutil.which("npm") is None:
        return None, "npm is not installed (scripts/deps build)"
    os.makedirs(folder, exist_ok=True)
    try:
        done = subprocess.run(["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", CLIENT],
                              cwd=folder, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    except subprocess.TimeoutExpired:
        return None, f"npm install took more than {INSTALL_S} s"
    if done.returncode:
        return None, f"npm install failed: {(done.stderr or done.stdout).strip()[-200:]} (is the registry in reach?)"
    with open(mark, "w", encoding="utf-8"):
        return program, None


class Claude:
    def __init__(self, program, world, api):
        self.program, self.world, self.api, self.more = program, world, api, []
        self.home, self.cwd = (os.path.join(world.folder, name) for name in ("home", "project"))
        for folder in (self.home, self.cwd):
            os.makedirs(folder)
        with open(os.path.join(agents_test.DOCS, "claude_settings.json"), encoding="utf-8") as file:
            text = file.read()
        self.settings = os.path.join(world.folder, "settings.json")
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write(text.replace("127.0.0.1:7437", world.sidecar.api))

    def run(self, prompt, session=None):
        session = session or str(uuid.uuid4())
        environment = {"PATH": os.environ["PATH"], "HOME": self.home, "ANTHROPIC_BASE_URL": self.api.url,
                       "ANTHROPIC_API_KEY": "sk-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
                       "AGENT_MEMORY_URL": "http://" + self.world.sidecar.api}
        argv = [self.program, "-p", prompt, "--session-id", session, "--settings", self.settings, "--allowedTools", "Bash,Write",
                *self.more]
        try:
            done = subprocess.run(argv, cwd=self.cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=CLIENT_S, check=False)
        except subprocess.TimeoutExpired as late:
            done = subprocess.CompletedProcess(argv, -1, str(late.stdout), f"took more than {CLIENT_S} s: {late.stderr}")
        return session, done


def story(counts, world, claude, api):
    marker = "sym_" + uuid.uuid4().hex[:8]
    prey = os.path.join(claude.cwd, "prey.txt")
    with open(prey, "w", encoding="utf-8") as file:
        file.write("keep me")
    api.script = [f"echo 'ld: undefined reference to {marker}'", "shred -u prey.txt", ("say", f"{marker} needs -lledger.")]
    first, done = claude.run(f"Why does linking {marker} fail?")
    counts.check("the first session ends well", done.returncode == 0 and "-lledger" in done.stdout, (done.stdout, done.stderr))
    counts.check("the blocked command did not run", os.path.exists(prey))
    counts.check("the model is told why", "shred" in api.asked[-1] and re.search(r"block|deni|not allow", api.asked[-1]), api.asked[-1][-800:])
    answer = wire.ask(world.sidecar.api, "GET", f"/conversations/{first}/messages")[1]
    roles = [m["role"] for m in answer.get("messages", [])]
    counts.check("every event is a message", roles[:3] == ["user", "assistant", "tool"] and roles[-1] == "assistant", roles)
    counts.check("SessionEnd ended it", answer.get("state") == "ended", answer.get("state"))
    counts.check("the capture reached the server", wire.until(
        lambda: len(wire.ask(world.server.api, "GET", f"/search?q={marker}&project=coder")[1]) >= 1, 60))
    wire.until(lambda: wire.ask(world.sidecar.api, "GET", "/v1/status")[1]["pending"] == 0, 60)

    asked, api.script = len(api.asked), [("say", "Link with -lledger.")]
    _, done = claude.run(f"What was it about the undefined reference to {marker}?")
    context = api.asked[asked] if len(api.asked) > asked else ""
    counts.check("the second session ends well", done.returncode == 0, (done.stdout, done.stderr))
    counts.check("it is given what the first one met", "<memory:context>" in context and "ld: undefined reference" in context, context[-2000:])
    counts.check("and its summary", "<memory:sessions>" in context, context[-2000:])

    world.sidecar.kill()
    api.script = ["touch ran.txt", ("say", "Still here.")]
    _, done = claude.run("Anybody?")
    counts.check("without its sidecar it answers", done.returncode == 0 and "Still here." in done.stdout, (done.stdout, done.stderr))
    counts.check("and runs no tool that nobody allowed", not os.path.exists(os.path.join(claude.cwd, "ran.txt")))


def printed_bytes(counts, world, claude, api):
    """A tool prints binary data: the conversation and the audit log have the call and its result."""
    api.script = ["head -c 64 /bin/ls", ("say", "An ELF file.")]
    session, done = claude.run("What is /bin/ls?")
    messages = wire.ask(world.sidecar.api, "GET", f"/conversations/{session}/messages")[1].get("messages", [])
    counts.check("a tool that prints a NUL is recorded", [m["role"] for m in messages] == ["user", "assistant", "tool", "assistant"] and
                 "ELF" in messages[2]["content"], (messages, done.stderr))
    rows = wire.ask(world.sidecar.api, "GET", "/v1/audit")[1].get("rows", [])
    counts.check("and audited", [row["event"] for row in rows if row["conversation"] == session] == ["PreToolUse", "PostToolUse"], rows)


def odd_writes(counts, world, claude, api):
    """Malformed and very large contents neither unlock a denied path nor block an allowed one."""
    for what, content, begins in (("half an emoji", "x\ud83d y", "x"), ("nine million characters", "y" * 9_000_000, "yyy")):
        paths = [os.path.join(folder, what.replace(" ", "-") + ".txt") for folder in (claude.cwd, world.folder)]
        api.script = [{"name": "Write", "input": {"file_path": path, "content": content}} for path in paths] + [("say", "Done.")]
        _, done = claude.run("Write it.")
        counts.check(f"{what}: the file that the policy allows is written", os.path.exists(paths[0]) and
                     open(paths[0], encoding="utf-8").read().startswith(begins), (api.asked[-1][-800:], done.stderr))
        counts.check(f"{what}: the other is not, and the model reads the policy's reason", not os.path.exists(paths[1]) and
                     f"allows no access to {paths[1]}" in api.asked[-1], (api.asked[-1][-800:], done.stderr))


def main():
    counts = mcp_test.Counts()
    program, why = install()
    if why:
        counts.skip("Claude Code", why)
        print("0 passed, 0 failed, 1 skipped")
        return 0
    folder = tempfile.mkdtemp(prefix="agent-memory-claude-")
    fenced = os.path.join(folder, "fenced")
    worlds = [agents_test.World(folder, admin=True, auditTools=["Bash"]),
              agents_test.World(fenced, allowedPaths=[os.path.join(fenced, "project")])]
    api = Messages()
    try:
        odd_writes(counts, worlds[1], Claude(program, worlds[1], api), api)
        claude = Claude(program, worlds[0], api)
        printed_bytes(counts, worlds[0], claude, api)
        story(counts, worlds[0], claude, api)
    finally:
        api.stop()
        for world in worlds:
            world.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{counts.passed} passed, {counts.failed} failed")
    return int(counts.failed != 0)


if __name__ == "__main__":
    sys.exit(main())
