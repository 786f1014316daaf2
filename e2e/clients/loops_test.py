#!/usr/bin/env python3
"""The chats of docs/agents/examples on one machine, with a scripted model on loopback: the commands of the page print what it
says, and by them turns are captured, statements kept and given to the next conversation. Packages come from PyPI and npm
in the versions of the folder, into a cache; without the registries their chats are skipped.

    python3 e2e/clients/loops_test.py       programs: build/release/bin, or $AGENT_MEMORY_BIN
"""
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import laptops  # noqa: E402
import mcp_test  # noqa: E402
import programs  # noqa: E402
import wire  # noqa: E402

EXAMPLES = os.path.join(programs.ROOT, "docs/agents/examples")
INSTALL_S, CHAT_S = 1800, 600
MOST_LINES = 60
SHRED = "shred -u precious.txt"


def call(tool, **arguments):
    return {"id": "call-1", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}


class Model:
    """OpenAI's chat API on loopback, also as a stream. It knows what it is told, and nothing else."""
    CAUSE = "orders.customer_id had no index, so the query timed out."
    # Prompt: (its tool call or None, what it says if the memories before the prompt have the word, the word, what it says else).
    SCRIPT = {
        "We use pytest here, not unittest.": (None, "Noted.", "", ""),
        "How do I run the tests?": (None, "With pytest.", "pytest", "I do not know."),
        "Commit the fix.": (call("bash", command="git commit -qam 'Round prices half up' -m 'Billing rounds so, too.' && git log -1 --stat"),
                            "Committed.", "", ""),
        "Why do prices round half up?": (None, "Because billing rounds so, too.", "Billing rounds so, too.", "I do not know."),
        "Shred it.": (call("bash", command=SHRED), "I may not.", "", ""),
        "Why did checkout answer 500?": (call("mem_save", type="bugfix", title="Cause of the 500 of checkout", content=CAUSE), CAUSE, "", ""),
        "Checkout is slow again. What was it last time?": (None, "A missing index on orders.customer_id.", CAUSE, "I do not know."),
    }

    def __init__(self):
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # noqa: N802
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.asked.append(asked)
                message = model.reply(asked["messages"])
                raw, kind = json.dumps(model.completion({"message": message})).encode(), "application/json"
                if asked.get("stream"):
                    parts = [{"content": part} for part in re.findall(r"\S+\s*", message["content"])]
                    raw = b"".join(b"data: " + json.dumps(model.completion({"delta": part})).encode() + b"\n\n" for part in parts) + b"data: [DONE]\n\n"
                    kind = "text/event-stream"
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_):
                pass

        self.asked = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def completion(choice):
        return {"id": "c", "object": "chat.completion", "created": 0, "model": "scripted",
                "choices": [{"index": 0, "finish_reason": "stop", **choice}]}

    def reply(self, messages):
        memory, _, prompt = [m["content"] for m in messages if m["role"] == "user"][-1].rpartition("\n")
        use, known, word, unknown = self.SCRIPT[prompt]
        if use and messages[-1]["role"] != "tool":
            return {"role": "assistant", "content": None, "tool_calls": [use]}
        return {"role": "assistant", "content": known if word in memory else unknown}

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Examples:
    """A copy of the folder with its packages, in a cache named by a hash of the pinned versions."""

    def __init__(self):
        pins = hashlib.sha256()
        for name in ("package.json", "requirements.txt"):
            with open(os.path.join(EXAMPLES, name), "rb") as file:
                pins.update(file.read())
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.folder = os.path.join(cache, "agent-memory", "loops-" + pins.hexdigest()[:12])
        shutil.copytree(EXAMPLES, self.folder, dirs_exist_ok=True)

    def install(self, what, *commands):
        """→ None, or why its chats cannot run."""
        mark = os.path.join(self.folder, what + ".installed")
        for argv in commands if not os.path.exists(mark) else ():
            if not shutil.which(argv[0]):
                return f"{argv[0]} is not installed (scripts/deps build)"
            done = subprocess.run(argv, cwd=self.folder, capture_output=True, text=True, timeout=INSTALL_S, check=False)
            if done.returncode:
                return f"{' '.join(argv[:3])} failed: {(done.stderr or done.stdout).strip()[-200:]} (is the registry in reach?)"
        with open(mark, "w", encoding="utf-8"):
            return None

    def python(self):
        return self.install("pip", ["python3", "-m", "venv", "venv"], [os.path.join(self.folder, "venv/bin/pip"), "install", "-q", "-r", "requirements.txt"])

    def typescript(self):
        return self.install("npm", ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"])


class World:
    def __init__(self, counts):
        self.counts, self.laptop, self.model, self.examples = counts, laptops.Laptop(), Model(), Examples()
        self.fake = os.path.join(self.laptop.folder, "fake")
        os.makedirs(self.fake)
        self.path = os.pathsep.join((os.path.join(self.examples.folder, "venv/bin"), os.path.dirname(self.laptop.program), os.environ["PATH"]))
        self.laptop.environment.update(PATH=self.path, OPENAI_BASE_URL=self.model.url, OPENAI_API_KEY="none", GIT_CONFIG_GLOBAL="/dev/null",
                                       **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")})

    def repository(self, name):
        """A repository with a change to commit, and the examples beside its files."""
        path = os.path.join(self.laptop.home, "src", name)
        os.makedirs(path)
        for file in ("prices.py", "precious.txt"):
            with open(os.path.join(path, file), "w", encoding="utf-8") as out:
                out.write("half even\n")
        # The name in the message: two repositories with the same first commit are one project.
        self.shell(f"git init -q && git add . && git commit -qm 'Begin {name}'", path)
        with open(os.path.join(path, "prices.py"), "w", encoding="utf-8") as out:
            out.write("half up\n")
        return path

    def shell(self, line, cwd, **more):
        """Runs a line of the page in the repository; the names of chats are those of the examples' folder."""
        line = re.sub(r"\b(\w+_chat\.\w+)", lambda name: os.path.join(self.examples.folder, name[0]), line)
        try:
            return subprocess.run(["bash", "-c", line], cwd=cwd, env={**self.laptop.environment, **more}, capture_output=True, text=True,
                                  timeout=CHAT_S, check=False)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(line, -1, str(late.stdout), f"took more than {CHAT_S} s: {late.stderr}")

    def sidecar(self, repository):
        return next((p["url"] for p in self.laptop.status().get("projects", []) if p["root"] == repository), None)

    def delivered(self, repository):
        """Waits until the server has what the sidecar took in."""
        url = self.sidecar(repository)
        return bool(url) and wire.until(lambda: wire.ask(url, "GET", "/v1/status")[1].get("pending") == 0, 60)

    def broken(self, code, text):
        """→ a PATH on which `agent-memory hook` ends with the code."""
        path = os.path.join(self.fake, "agent-memory")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\n[ "$1" = hook ] || exec "{self.laptop.program}" "$@"\necho "{text}" >&2\nexit {code}\n')
        os.chmod(path, 0o755)
        return self.fake + os.pathsep + self.path

    def rows(self, repository):
        rows = json.loads(self.laptop.run("ls", "-o", "json", cwd=repository).stdout or "[]")
        return [row for row in rows if row["project"] == os.path.basename(repository)]

    def stop(self):
        self.model.stop()
        self.laptop.clean()


def page(name):
    """→ [(command, what it prints)] of the page's console block that has the chat."""
    with open(os.path.join(EXAMPLES, "README.md"), encoding="utf-8") as file:
        block = next(b for b in re.findall(r"```console\n(.*?)```", file.read(), re.S) if name.removesuffix(".ts") in b)
    return [(command, out) for command, out in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)]


def chat(world, name, kept):
    """Plays the page; `kept`: (type, trust, words) of the memory that the first conversation leaves."""
    check, repository = world.counts.check, world.repository(name.split(".")[0])
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
        lines = file.read().count("\n")
    check(f"{name} is short", lines <= MOST_LINES, lines)
    for command, printed in page(name):
        done = world.shell(command, repository)
        check(f"{name}: $ {command}", done.returncode == 0 and done.stdout == printed, (done.stdout, done.stderr))
        check(f"{name}: its captures arrive", world.delivered(repository))
    url = world.sidecar(repository)
    for conversation in wire.ask(url, "GET", "/conversations")[1]["conversations"]:
        answer = wire.ask(url, "GET", f"/conversations/{conversation['id']}/messages")[1]
        roles = [m["role"] for m in answer["messages"]]
        check(f"{name}: the turn is captured, and the conversation ended", answer["state"] == "ended" and roles[0] == "user" and roles[-1] == "assistant", answer)
    rows = [(row["type"], row["source"]["origin"], row["content"]) for row in world.rows(repository)]
    check(f"{name}: a memory is kept", any(row[:2] == kept[:2] and kept[2] in row[2] for row in rows), rows)
    prompt = re.search(r"echo '(.*?)'", page(name)[-1][0])[1]
    last = [m["content"] for m in world.model.asked[-1]["messages"] if m["role"] == "user"][-1]
    check(f"{name}: the next conversation is given it, fenced, before the prompt",
          re.fullmatch(rf"(?s)<memory:.*{re.escape(kept[2])}.*</memory:\w+>\n\n{re.escape(prompt)}", last), last)
    if world.model.asked[-1].get("tools"):
        system = [m["content"] for m in world.model.asked[-1]["messages"] if m["role"] == "system"]
        check(f"{name}: the model is told when to save", "mem_save" in str(system), system)
    done = world.shell(page(name)[-1][0], repository, PATH=world.broken(1, "memory is away"))
    check(f"{name}: it goes on without memory, and says so", (done.returncode, done.stdout) == (0, "I do not know.\n") and "memory is away" in done.stderr, done)
    return repository


def seven_lines(world, kept):
    """The block of Python that docs/agents begins with."""
    repository = world.repository("seven_lines")
    with open(os.path.join(os.path.dirname(EXAMPLES), "README.md"), encoding="utf-8") as file:
        block = re.search(r"```python\n(.*?)```", file.read(), re.S)[1]
    done = subprocess.run([sys.executable, "-c", block], cwd=repository, env=world.laptop.environment, capture_output=True, text=True,
                          timeout=CHAT_S, check=False)
    world.delivered(repository)
    rows = [(row["type"], row["source"]["origin"], row["content"]) for row in world.rows(repository)]
    world.counts.check("the lines that docs/agents begins with keep a memory", done.returncode == 0 and kept in rows, (rows, done.stderr))


def by_url(world, repository):
    """The loop that speaks HTTP finds the sidecar of its repository by `agent-memory url`, which starts it."""
    loop = os.path.join(os.path.dirname(EXAMPLES), "python_loop.py")
    done = world.shell(f"export AGENT_MEMORY_URL=$(agent-memory url) && echo 'How do I run the tests?' | python3 {loop}", repository,
                       MODEL_URL=world.model.url + "/chat/completions")
    world.counts.check("python_loop.py by agent-memory url", (done.returncode, done.stdout) == (0, "With pytest.\n"), done)


def denials(world, name, repository):
    """No tool runs after a denial, nor without a verdict where the policy denies."""
    policy = os.path.join(world.laptop.store, "policy.json")
    with open(policy, encoding="utf-8") as file:
        starter = json.load(file)
    with open(policy, "w", encoding="utf-8") as file:
        json.dump({**starter, "toolHooks": {"blockedCommands": ["shred"]}}, file)
    event = json.dumps({"hook_event_name": "PreToolUse", "session_id": "p", "tool_name": "bash", "tool_input": {"command": SHRED}})
    wire.until(lambda: "deny" in world.laptop.run("hook", "PreToolUse", cwd=repository, stdin=event).stdout, 60, 0.2)
    for what, path, why in (("a denied call", world.path, "shred"), ("a call without a verdict", world.broken(2, "no verdict"), "no verdict")):
        done = world.shell(f"echo 'Shred it.' | python3 {name}", repository, PATH=path)
        told = [m["content"] for m in world.model.asked[-1]["messages"] if m["role"] == "tool"]
        world.counts.check(f"{name}: {what} does not run, and the model reads why", done.stdout == "I may not.\n" and why in str(told) and
                           os.path.exists(os.path.join(repository, "precious.txt")), (done, told))


def main():
    counts = mcp_test.Counts()
    world = World(counts)
    stated = ("convention", "user", "We use pytest here, not unittest.")
    try:
        seven_lines(world, stated)
        by_url(world, chat(world, "sync_chat.py", stated))
        for tool in ("jq", "curl"):
            if not shutil.which(tool):
                counts.skip("shell_chat.sh", f"{tool} is not installed (scripts/deps build)")
                break
        else:
            chat(world, "shell_chat.sh", stated)
        if why := world.examples.python():
            counts.skip("the chats with packages of PyPI", why)
        else:
            chat(world, "stream_chat.py", stated)
            counts.check("stream_chat.py asks for a stream", world.model.asked[-1].get("stream"), world.model.asked[-1])
            chat(world, "langgraph_chat.py", stated)
            denials(world, "agents_sdk_chat.py", chat(world, "agents_sdk_chat.py", ("change", "rule", "Billing rounds so, too.")))
        if why := world.examples.typescript():
            counts.skip("mcp_chat.ts", why)
        else:
            done = subprocess.run(["npm", "run", "--silent", "build"], cwd=world.examples.folder, capture_output=True, text=True, timeout=CHAT_S, check=False)
            counts.check("mcp_chat.ts compiles, with strict types", done.returncode == 0, done.stdout)
            chat(world, "mcp_chat.ts", ("bugfix", "agent", Model.CAUSE))
    finally:
        world.stop()
    print(f"{counts.passed} passed, {counts.failed} failed" + (f", {counts.skipped} skipped" if counts.skipped else ""))
    return int(counts.failed != 0)


if __name__ == "__main__":
    sys.exit(main())
