#!/usr/bin/env python3
"""Memory on one machine: `agent-memory up`, `status` and `down` with the real server and sidecars, in a temporary home
directory with repositories.

    python3 e2e/clients/laptop_test.py       programs: build/release/bin, or $AGENT_MEMORY_BIN
"""
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import laptops  # noqa: E402
import mcp_test  # noqa: E402
import programs  # noqa: E402
import wire  # noqa: E402

def begins_and_ends(counts, laptop):
    billing = laptop.repository("billing")
    counts.check("status before says how to start", "agent-memory up" in laptop.run("status", "-o", "table").stdout)
    process, said = laptop.up(cwd=billing)
    counts.check("up says what it does", "memory server at http://127.0.0.1:" in said and "project billing" in said, said)
    status = laptop.status()
    counts.check("status says what runs", status.get("up") and [p["project"] for p in status["projects"]] == ["billing"], status)
    counts.check("the store is the user's alone", os.stat(laptop.store).st_mode & 0o777 == 0o700)
    sidecar = status["projects"][0]["url"]
    code, answer = wire.ask(sidecar, "POST", "/v1/hooks", {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "hello"})
    counts.check("a hook is answered", code == 200, (code, answer))
    again = laptop.run("up", cwd=laptop.repository("other"))
    counts.check("a second up says so, and takes the repository in", again.returncode == 0 and "up already" in again.stdout and "project other" in again.stdout,
                 (again.stdout, again.stderr))
    counts.check("both repositories have a sidecar", len(laptop.status()["projects"]) == 2)
    run = json.loads(open(os.path.join(laptop.store, "run.json"), encoding="utf-8").read())
    counts.check("who has no token is refused", wire.ask(run["front"], "POST", "/v1/stop", {})[0] == 401)
    pids = laptop.children()
    counts.check("server and sidecars run", len(pids) >= 3, pids)
    process.send_signal(signal.SIGINT)
    counts.check("Ctrl-C ends it with 0", process.wait(60) == 0, process.stdout.read())
    counts.check("nothing is left running", laptop.nothing_runs(), laptop.children())
    counts.check("status says it is not up", laptop.status().get("up") is False)


def comes_back(counts, laptop):
    """A restart keeps memories and ports; a crash of the supervisor leaves no process running."""
    billing = os.path.join(laptop.home, "src/billing")
    done = laptop.run("up", "--detach", cwd=billing)
    counts.check("up --detach returns", done.returncode == 0 and "project billing" in done.stdout, (done.stdout, done.stderr))
    first = laptop.status()
    server = first["server"]["url"]
    body = {"session_id": "p", "project": "billing", "type": "preference", "title": "tabs", "content": "I prefer tabs", "source": {"origin": "user"}}
    counts.check("the server takes a memory", wire.ask(server, "POST", "/observations", body)[0] == 201)
    counts.check("down ends it", laptop.run("down").returncode == 0 and laptop.nothing_runs(), laptop.children())
    counts.check("down again is no error", laptop.run("down").returncode == 0)

    laptop.run("up", "--detach", cwd=billing)
    second = laptop.status()
    counts.check("the ports are those of before", second["server"] == first["server"] and second["projects"][0]["url"] == first["projects"][0]["url"], (first, second))
    counts.check("the memory is there", "I prefer tabs" in str(wire.ask(server, "GET", "/search?q=tabs&project=billing")))
    sidecar = second["projects"][0]["url"]
    answer = wire.ask(sidecar, "POST", "/v1/hooks", {"hook_event_name": "UserPromptSubmit", "session_id": "s2", "prompt": "tabs or spaces?"})
    counts.check("and injected", "I prefer tabs" in str(answer), answer)

    supervisor = laptop.children("/agent-memory")
    counts.check("one supervisor runs", len(supervisor) == 1, supervisor)
    os.kill(supervisor[0], signal.SIGKILL)
    counts.check("its programs end with it", laptop.nothing_runs(), laptop.children())
    counts.check("what it left behind counts for nothing", laptop.status().get("up") is False)
    done = laptop.run("ls", cwd=billing)
    counts.check("ls starts it, as a prompt does", done.returncode == 0 and "tabs" in done.stdout, (done.stdout, done.stderr))
    done = laptop.run("up", "--detach", cwd=billing)
    counts.check("it starts after a crash", done.returncode == 0, (done.stdout, done.stderr))


def commands_need_no_address(counts, laptop):
    """ls, search and add use this machine's memory without an address; add uses the repository of its folder."""
    billing = os.path.join(laptop.home, "src/billing")
    done = laptop.run("add", "Deploy on Tuesdays", cwd=billing)
    counts.check("add takes words for the repository here", done.returncode == 0, done.stderr)
    rows = json.loads(laptop.run("search", "when do we deploy?").stdout or "[]")
    counts.check("search finds them, also from elsewhere", [(r["project"], r["content"]) for r in rows] == [("billing", "Deploy on Tuesdays")], rows)
    sidecar = next(p["url"] for p in laptop.status()["projects"] if p["project"] == "billing")
    answer = wire.ask(sidecar, "POST", "/v1/hooks", {"hook_event_name": "UserPromptSubmit", "session_id": "s3", "prompt": "When do we deploy?"})
    counts.check("and the repository's agent is told", "Deploy on Tuesdays" in str(answer), answer)
    shown = json.loads(laptop.run("show", str(rows[0]["id"]), "-o", "json").stdout or "{}") if rows else {}
    counts.check("show says which prompts it was given to", [(g["turn"], g["query"]) for g in shown.get("given", [])] == [(1, "When do we deploy?")], shown)
    counts.check("and so for people", "given to prompts" in laptop.run("show", str(rows[0]["id"]), "-o", "table").stdout)
    laptop.run("rm", str(rows[0]["id"]))
    hidden = json.loads(laptop.run("ls", "--hidden", cwd=billing).stdout or "[]")
    counts.check("rm hides, ls --hidden shows", laptop.run("search", "deploy").stdout.strip() == "[]" and [r["content"] for r in hidden] == ["Deploy on Tuesdays"], hidden)
    laptop.run("add", "--project", "elsewhere", "Hidden in another project")
    others = json.loads(laptop.run("search", "another project", "--project", "elsewhere").stdout or "[]")
    laptop.run("rm", *(str(r["id"]) for r in others))
    done = laptop.run("rm", "--undo", "-o", "table", cwd=billing)
    counts.check("rm --undo brings the last one of this repository back", done.returncode == 0 and "Deploy on Tuesdays" in done.stdout
                 and "Deploy on Tuesdays" in laptop.run("search", "deploy").stdout, (done.stdout, done.stderr))
    laptop.run("add", "--project", "elsewhere", "Of no repository")
    table = laptop.run("status", "-o", "table", cwd=billing).stdout
    counts.check("status names every project, its memories and the newest", [line.split()[:2] for line in table.split("\n") if line.startswith(("elsewhere", "billing "))]
                 == [["elsewhere", "1"], ["billing", "2"]], table)
    laptop.run("rm", *[str(r["id"]) for r in json.loads(laptop.run("ls", "--project", "elsewhere").stdout)])
    export = os.path.join(laptop.home, "memory.jsonl")
    with open(export, "w", encoding="utf-8") as file:
        file.write(laptop.run("export", "--format", "jsonl").stdout)
    laptop.run("down")
    rows = json.loads(laptop.run("search", "--file", export, "when do we deploy?").stdout or "[]")
    counts.check("an export is looked into without a server", [r["content"] for r in rows] == ["Deploy on Tuesdays"], rows)
    done = laptop.run("add", "--file", export, "lost")
    counts.check("but not written to", done.returncode == 64 and "import" in done.stderr, done.stderr)
    done = laptop.run("ls", "--file", export + ".not")
    counts.check("a file that is not there is named", done.returncode == 1 and "memory.jsonl.not" in done.stderr, (done.returncode, done.stderr))
    done = laptop.run("ls", cwd=billing)
    counts.check("after down, ls says how to start", done.returncode == 64 and "agent-memory up" in done.stderr, done.stderr)
    laptop.run("up", "--detach", cwd=billing)


def erases(counts, laptop):
    """After rm --hard no file of the store has a word that was remembered, told and digested, or the answer names it."""
    billing = os.path.join(laptop.home, "src/billing")
    secret = "zyxwvquagga42"
    said = f"the vault of the blue house opens with {secret} on Tuesdays"
    sidecar = next(p["url"] for p in laptop.status()["projects"] if p["project"] == "billing")

    def hook(session, event, **fields):
        return wire.ask(sidecar, "POST", "/v1/hooks", {"hook_event_name": event, "session_id": session, **fields})

    def found():
        rows = json.loads(laptop.run("search", secret).stdout or "[]")
        return {row["type"]: row["id"] for row in rows if secret in row["content"]}

    def holding():
        files = [os.path.join(folder, name) for folder, _, names in os.walk(laptop.store) for name in names]
        return [file for file in files if secret.encode() in laptops.read(file)]

    hook("e1", "UserPromptSubmit", prompt="Paint the door of the blue house.")
    hook("e1", "UserPromptSubmit", prompt=f"Remember: {said}")
    hook("e1", "Stop", last_assistant_message=f"Noted: {said}.")
    hook("e1", "SessionEnd")
    counts.check("it is remembered and digested", wire.until(lambda: len(found()) == 2, 60), found())
    answer = hook("e2", "UserPromptSubmit", prompt="how does the vault of the blue house open?")
    counts.check("and told", secret in str(answer), answer)
    counts.check("files have it", len(holding()) > 1, holding())
    remembered = next((row for kind, row in found().items() if kind != "session"), 0)
    done = laptop.run("rm", "--hard", str(remembered), cwd=billing)
    said_so = json.loads(done.stdout or "{}")
    counts.check("rm --hard says what it did", done.returncode == 0 and "billing" in said_so.get("erased", {}), (done.stdout, done.stderr))
    counts.check("nothing is left to be named", said_so.get("left") == [], said_so)
    counts.check("no search finds it", found() == {}, found())
    hook("e2", "Stop", last_assistant_message="With a key.")
    answer = hook("e3", "UserPromptSubmit", prompt="how does the vault of the blue house open?")
    counts.check("no prompt is told", secret not in str(answer), answer)
    counts.check("no file of the store has it", wire.until(lambda: not holding(), 90), holding())


def prints_its_url(counts, laptop):
    """`url` prints the address of the repository's sidecar and nothing else, and starts what does not run, except after `down`."""
    billing = os.path.join(laptop.home, "src/billing")

    def asked(*words):
        done = laptop.run("url", *words, cwd=billing)
        return done.returncode, done.stdout, done.stderr

    laptop.run("down")
    code, out, err = asked()
    counts.check("after down, url says how to start", (code, out) == (64, "") and "agent-memory up" in err, (code, out, err))
    laptop.run("up", "--detach")
    laptop.kill_all()
    laptop.nothing_runs()
    code, out, err = asked()
    status = laptop.status()
    counts.check("url starts memory and prints the sidecar alone", (code, out, err) == (0, status["projects"][0]["url"] + "\n", "")
                 and status["projects"][0]["project"] == "billing", (code, out, err, status))
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "u1", "prompt": "hello"}
    counts.check("a hook is answered there", wire.ask(out.strip(), "POST", "/v1/hooks", event)[0] == 200)
    counts.check("--server prints the memory server", asked("--server") == (0, status["server"]["url"] + "\n", ""), asked("--server"))


def survives_a_kill(counts, laptop):
    """After SIGKILL of all processes the next hook, at once, starts them again and gets an answer."""
    billing = os.path.join(laptop.home, "src/billing")
    event = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s4", "prompt": "hello", "cwd": billing})
    failed = []
    for _ in range(5):
        laptop.kill_all()
        done = laptop.run("hook", "UserPromptSubmit", cwd=billing, stdin=event)
        failed += [done.stderr] if done.returncode else []
    counts.check("hooks right after a kill are answered, five times", not failed, failed)


def heals(counts, laptop):
    """A killed sidecar or server starts again at its next use."""
    billing = os.path.join(laptop.home, "src/billing")
    laptop.run("up", cwd=billing)
    for program in ("/agent-memory-sidecar", "/agent-memory-server"):
        before = laptop.children(program)
        os.kill(before[0], signal.SIGKILL)
        wire.until(lambda program=program, before=before: before[0] not in laptop.children(program), 60)
        laptop.run("up", cwd=billing)
        counts.check(f"{program[1:]} is back", wire.until(lambda program=program, before=before: set(laptop.children(program)) - set(before), 60), laptop.children(program))
    counts.check("and answers", wire.until(lambda: wire.ask(laptop.status()["server"]["url"], "GET", "/stats")[0] == 200, 60))


def hangs(counts, laptop):
    """A sidecar or supervisor that hangs costs a short wait, then next to none, and is started again. The waits of before were
    6 and 7 s. A busy machine may make any hook slow, but not all the next ones as slow as the first, which waits a quarter of a
    second longer."""
    billing = os.path.join(laptop.home, "src/billing")
    event = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s5", "prompt": "hello", "cwd": billing})

    def hook():
        started = time.monotonic()
        done = laptop.run("hook", "UserPromptSubmit", cwd=billing, stdin=event)
        return done.returncode == 0, time.monotonic() - started

    def waits(what, pid):
        os.kill(pid, signal.SIGSTOP)
        answered, first = hook()
        counts.check(f"a hung {what} costs one short wait", not answered and first < 5, (answered, first))
        unanswered = []

        def answers():
            good, took = hook()
            unanswered.extend([] if good else [took])
            return good
        counts.check("then it is started again, and answers", wire.until(answers, 60), laptop.children())
        counts.check("and the hooks between cost less", not unanswered or min(unanswered) < first - 0.1, (first, unanswered))
        counts.check(f"the hung {what} is gone", wire.until(lambda: pid not in laptop.children(), 60), laptop.children())

    counts.check("a hook is answered", wire.until(lambda: hook()[0], 60))
    waits("sidecar", laptop.children("/agent-memory-sidecar")[0])
    waits("supervisor", json.loads(open(os.path.join(laptop.store, "run.json"), encoding="utf-8").read())["pid"])
    counts.check("no breaker is left", not [name for name in os.listdir(laptop.store) if name.startswith("silent-")])
    os.kill(json.loads(open(os.path.join(laptop.store, "run.json"), encoding="utf-8").read())["pid"], signal.SIGSTOP)
    done = laptop.run("down")
    counts.check("down ends one that hangs", done.returncode == 0 and laptop.nothing_runs(), (done.stdout, done.stderr, laptop.children()))
    laptop.run("up", "--detach", cwd=billing)


def opened(pid, path):
    """Does the process have the file open?"""
    folder = f"/proc/{pid}/fd"
    try:
        return path in [os.readlink(os.path.join(folder, descriptor)) for descriptor in os.listdir(folder)]
    except FileNotFoundError:
        return False  # a descriptor was closed meanwhile


def up_that_waited(counts, laptop):
    """`down` is not undone by an `up` that waited for the lock meanwhile, nor by one that a hook starts after it."""
    laptop.run("down")
    with open(os.path.join(laptop.store, "lock"), "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.unlink(os.path.join(laptop.store, "stopped"))
        waiting = subprocess.Popen([laptop.program, "up"], cwd=laptop.home, env=laptop.environment, text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        laptop.started.append(waiting)
        counts.check("up waits for the lock", wire.until(lambda: opened(waiting.pid, lock.name), 60))
        with open(os.path.join(laptop.store, "stopped"), "w", encoding="utf-8"):
            pass
    counts.check("an up that waited ends after down", waiting.wait(60) != 0 and laptop.nothing_runs(), laptop.children())
    counts.check("and says so", "stopped by 'agent-memory down'" in waiting.stdout.read())
    done = laptop.run("up", "--unless-stopped")
    counts.check("what starts memory by itself respects down", done.returncode != 0 and "stopped by" in done.stderr, (done.stdout, done.stderr))
    counts.check("a person's up starts it", laptop.run("up", "--detach", cwd=os.path.join(laptop.home, "src/billing")).returncode == 0)


def directory_gone(counts, laptop):
    """A worktree that is removed before its session ends: the memory is the repository's, not lost."""
    main, tree = os.path.join(laptop.home, "src/with-trees"), os.path.join(laptop.home, "elsewhere/tree")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q", main], ["-C", main, "commit", "-q", "--allow-empty", "-m", "x"], ["-C", main, "worktree", "add", "-q", tree]):
        subprocess.run([*git, *words], check=True, capture_output=True, env=laptop.environment)

    def hook(name, **fields):
        event = json.dumps({"hook_event_name": name, "session_id": "s7", "cwd": tree, **fields})
        return laptop.run("hook", name, stdin=event, cwd="/", more={"CLAUDE_PROJECT_DIR": tree})

    counts.check("a prompt in a worktree", hook("UserPromptSubmit", prompt="Remember: the worktree says zanzibar").returncode == 0)
    shutil.rmtree(tree)
    done = hook("SessionEnd")
    counts.check("the session ends without its directory", done.returncode == 0, done.stderr)
    found = wire.until(lambda: "zanzibar" in laptop.run("search", "zanzibar", cwd=main).stdout, 60)
    counts.check("and the repository has its memory", found, laptop.run("ls", cwd=main).stdout)
    gone = os.path.join(laptop.home, "never/was")
    done = laptop.run("hook", "UserPromptSubmit", stdin=json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s8", "prompt": "hi"}),
                      more={"CLAUDE_PROJECT_DIR": gone})
    counts.check("a directory that never was is its nearest parent", done.returncode == 0, done.stderr)


def other_settings(counts, laptop):
    """Variables of other programs change nothing (MEMORY_PORT of AEGIS, an API key that is none, a proxy)."""
    laptop.run("down")
    more = {"MEMORY_PORT": "1", "MEMORY_HOST": "0.0.0.0", "WORKING_MEMORY_TTL": "never", "OPENAI_API_KEY": "a\nb", "EMBEDDING_MODEL": "x",
            "HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9", "ALL_PROXY": "http://127.0.0.1:9"}
    billing = os.path.join(laptop.home, "src/billing")
    done = laptop.run("up", "--detach", cwd=billing, more=more)
    counts.check("up takes no settings of other programs", done.returncode == 0 and "project billing" in done.stdout, (done.stdout, done.stderr))
    done = laptop.run("hook", "UserPromptSubmit", cwd=billing, more=more,
                      stdin=json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s6", "prompt": "hello"}))
    counts.check("nor does a hook", done.returncode == 0, done.stderr)


def setup_checks_first(counts, laptop):
    """A faulty file changes none; a link that leads nowhere yet stays a link; --undo gives the bytes back."""
    home = os.path.join(laptop.folder, "other")
    os.makedirs(os.path.join(home, ".claude"))
    settings, servers = os.path.join(home, ".claude/settings.json"), os.path.join(home, ".claude.json")
    before = b'{\r\n  // mine\r\n  "model": "x",\r\n}\r\n'
    for path, text in ((settings, before), (servers, b'{\n  "a": \n}')):
        with open(path, "wb") as file:
            file.write(text)
    done = laptop.run("setup", "claude-code", more={"HOME": home})
    counts.check("a faulty file is named, and nothing changed", done.returncode != 0 and servers in done.stderr and "line" in done.stderr
                 and open(settings, "rb").read() == before and sorted(os.listdir(home)) == [".claude", ".claude.json"], done.stderr)
    os.unlink(servers)
    os.symlink("dotfiles/claude.json", servers)
    done = laptop.run("setup", "claude-code", more={"HOME": home})
    counts.check("setup goes through a link that leads nowhere yet", done.returncode == 0 and os.path.islink(servers)
                 and "mcpServers" in open(os.path.join(home, "dotfiles/claude.json"), encoding="utf-8").read(), done.stderr)
    changed = open(settings, "rb").read()
    counts.check("comments and line ends stay", b"// mine\r\n" in changed and b"hook Stop" in changed and changed.count(b"\n") == changed.count(b"\r\n"), changed)
    done = laptop.run("setup", "claude-code", "--undo", more={"HOME": home})
    counts.check("--undo gives the bytes back", done.returncode == 0 and open(settings, "rb").read() == before, done.stderr)


def follows_the_version(counts, laptop):
    """An unedited policy.json of an earlier version becomes the new one; an edited one stays, which is said once; a link stays."""
    policy, testdata = os.path.join(laptop.store, "policy.json"), os.path.join(programs.ROOT, "client/laptop/testdata")
    laptop.run("down")

    def text(path, new=None):
        if new is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def ups():
        said = laptop.run("up", "--detach").stdout
        laptop.run("down")
        return said

    newest = text(policy)
    older = text(os.path.join(testdata, "starter-policy-4.json"))
    text(policy, older)
    said = ups()
    counts.check("an unedited policy of an earlier version is the new one", text(policy) == newest and "defaults" not in said, (said, text(policy)))
    edited = text(policy, older.replace('"contextLimit": 5', '"contextLimit": 7'))
    said = ups()
    counts.check("an edited one stays, and its absent defaults are named", text(policy) == edited and "rememberEverywhere" in said and "saveStatements" in said
                 and "saveCommits" not in said, said)
    counts.check("once", "rememberEverywhere" not in ups())
    os.rename(policy, policy + ".mine")
    text(policy + ".mine", older)
    os.symlink(policy + ".mine", policy)
    ups()
    counts.check("a link and its file stay", os.path.islink(policy) and text(policy) == older)
    os.unlink(policy)
    text(policy, newest)


def refuses(counts, laptop):
    laptop.run("down")
    os.chmod(laptop.store, 0o755)
    done = laptop.run("up")
    counts.check("a store that others may read is refused", done.returncode == 1 and "chmod 700" in done.stderr, (done.returncode, done.stderr))
    os.chmod(laptop.store, 0o700)
    policy = os.path.join(laptop.store, "policy.json")
    with open(policy, "w", encoding="utf-8") as file:
        file.write('{"version": 1, "memory": {"contextLimt": 3}}')
    done = laptop.run("up", cwd=os.path.join(laptop.home, "src/billing"))
    counts.check("a wrong policy is named", done.returncode != 0 and "contextLimt" in done.stderr and policy in done.stderr, done.stderr)
    counts.check("and nothing runs", laptop.nothing_runs(), laptop.children())


def main():
    counts = mcp_test.Counts()
    laptop = laptops.Laptop()
    try:
        for part in (begins_and_ends, comes_back, commands_need_no_address, erases, prints_its_url, survives_a_kill, heals, hangs, up_that_waited,
                     directory_gone, other_settings, setup_checks_first, follows_the_version, refuses):
            part(counts, laptop)
    finally:
        laptop.clean()
    print(f"{counts.passed} passed, {counts.failed} failed")
    return int(counts.failed != 0)


if __name__ == "__main__":
    sys.exit(main())
