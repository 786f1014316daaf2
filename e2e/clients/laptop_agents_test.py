#!/usr/bin/env python3
"""Agents on one machine: `agent-memory setup` on existing settings of a user, hooks and MCP of several repositories, and
Claude Code itself, headless, against a scripted Messages API. Skips Claude Code without the npm registry.

    python3 e2e/clients/laptop_agents_test.py       programs: build/release/bin, or $AGENT_MEMORY_BIN
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import uuid

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import claude_code_test  # noqa: E402
import laptops  # noqa: E402
import mcp_test  # noqa: E402
import programs  # noqa: E402
import wire  # noqa: E402

HERS = '{\n  "model": "opus",\n  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}\n'


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def sets_up(counts, laptop):
    settings, servers = (os.path.join(laptop.home, name) for name in (".claude/settings.json", ".claude.json"))
    hers = os.path.join(laptop.home, "dotfiles/settings.json")
    write(hers, HERS)
    os.chmod(hers, 0o644)
    os.makedirs(os.path.dirname(settings))
    os.symlink(hers, settings)
    done = laptop.run("setup", "claude-code")
    counts.check("setup works", done.returncode == 0, done.stderr)
    merged = json.loads(read(settings))
    counts.check("what was there stays", merged["model"] == "opus" and merged["hooks"]["PreToolUse"][0]["hooks"][0]["command"] == "true", merged)
    counts.check("hooks of all events are there", len(merged["hooks"]) == 7, merged)
    counts.check("the tools of the server are permitted, and setup says so", merged["permissions"] == {"allow": ["mcp__memory"]}
                 and "permission mcp__memory" in done.stdout and "7 hooks" in done.stdout, (merged, done.stdout))
    counts.check("link and mode stay", os.path.islink(settings) and os.stat(hers).st_mode & 0o777 == 0o644)
    counts.check("the server is there", json.loads(read(servers))["mcpServers"]["memory"]["args"] == ["mcp"])
    counts.check("the backup is what was there", read(settings + ".before-agent-memory") == HERS)
    once = read(settings)
    laptop.run("setup", "claude-code")
    counts.check("twice is once", read(settings) == once and read(settings + ".before-agent-memory") == HERS)
    laptop.run("setup", "claude-code", "--undo")
    counts.check("--undo leaves the bytes that were there", read(settings) == HERS and not os.path.exists(servers), read(settings))
    laptop.run("setup", "claude-code")
    write(hers, read(hers).replace("opus", "haiku"))
    laptop.run("setup", "claude-code", "--undo")
    counts.check("--undo keeps what changed since", json.loads(read(settings)) == json.loads(HERS.replace("opus", "haiku")), read(settings))
    write(hers, HERS.replace('"model"', '"permissions": {"allow": ["mcp__memory", "Bash(ls)"]}, "model"'))
    laptop.run("setup", "claude-code")
    write(hers, read(hers).replace("opus", "haiku"))
    laptop.run("setup", "claude-code", "--undo")
    counts.check("--undo keeps a permission that was there before", json.loads(read(settings))["permissions"]["allow"] == ["mcp__memory", "Bash(ls)"], read(settings))
    write(hers, "{broken")
    done = laptop.run("setup", "claude-code")
    counts.check("what is no JSON is left alone and named", done.returncode != 0 and settings in done.stderr and read(hers) == "{broken", done.stderr)
    write(hers, HERS)

    config = os.path.join(laptop.home, ".codex/config.toml")
    write(config, 'model = "o"\n')
    done = laptop.run("setup", "codex")
    counts.check("codex has hooks and server", done.returncode == 0 and "[mcp_servers.memory]" in read(config) and "UserPromptSubmit" in read(
        os.path.join(laptop.home, ".codex/hooks.json")), done.stderr)
    laptop.run("setup", "codex", "--undo")
    counts.check("and has not", read(config) == 'model = "o"\n' and not os.path.exists(os.path.join(laptop.home, ".codex/hooks.json")), read(config))
    counts.check("others get it printed", "mcpServers" in laptop.run("setup", "mcp").stdout)
    counts.check("an agent that is not known is named", laptop.run("setup", "cursor").returncode == 64)


def hook(laptop, cwd, name, **fields):
    event = {"hook_event_name": name, "session_id": "s-" + os.path.basename(cwd), "cwd": cwd, **fields}
    return laptop.run("hook", name, cwd=cwd, stdin=json.dumps(event))


def hooks_find_their_repository(counts, laptop):
    one, two = laptop.repository("one"), laptop.repository("two")
    counts.check("nothing runs yet", laptop.status().get("up") is False)
    done = hook(laptop, one, "SessionStart", source="startup")
    counts.check("a hook starts memory", done.returncode == 0 and laptop.status().get("up"), (done.stdout, done.stderr))
    os.makedirs(os.path.join(two, "deep/down"))
    hook(laptop, os.path.join(two, "deep/down"), "UserPromptSubmit", prompt="hello")
    found = {p["root"]: p for p in laptop.status()["projects"]}
    counts.check("each repository has its sidecar", set(found) == {one, two}, found)
    body = {"session_id": "p", "project": "one", "type": "preference", "title": "style", "content": "walrus: I prefer tabs", "source": {"origin": "user"}}
    wire.ask(laptop.status()["server"]["url"], "POST", "/observations", body)
    counts.check("memory of one is injected there", "walrus" in hook(laptop, one, "UserPromptSubmit", prompt="walrus style?").stdout)
    counts.check("and not in two", "walrus:" not in hook(laptop, two, "UserPromptSubmit", prompt="walrus style?").stdout)


def many_at_once(counts, laptop):
    """Agents call hooks concurrently while nothing runs yet, and the server starts slowly."""
    laptop.run("up", "--detach")
    laptop.kill_all()
    laptop.nothing_runs()
    real, folder = laptop.program, os.path.join(laptop.folder, "slow")
    os.makedirs(folder)
    shutil.copy(real, folder)
    os.symlink(os.path.join(os.path.dirname(real), "agent-memory-sidecar"), os.path.join(folder, "agent-memory-sidecar"))
    server = os.path.join(folder, "agent-memory-server")
    write(server, f'#!/bin/sh\nsleep 3\nexec "{os.path.dirname(real)}/agent-memory-server" "$@"\n')
    os.chmod(server, 0o755)
    laptop.program = os.path.join(folder, "agent-memory")
    repositories = [laptop.repository(f"many-{i}") for i in range(3)]
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda i: hook(laptop, repositories[i % 3], "UserPromptSubmit", prompt=f"hello {i}"), range(6)))
    laptop.program = real
    counts.check("six hooks at once all are answered", all(d.returncode == 0 for d in done), [d.stderr for d in done])
    def supervisors():
        return laptop.children("/agent-memory")

    counts.check("by one supervisor", wire.until(lambda: len(supervisors()) == 1, 60), supervisors())
    counts.check("with a sidecar each", {p["root"] for p in laptop.status()["projects"]} == set(repositories), laptop.status())


def remembers(counts, laptop):
    one = os.path.join(laptop.home, "src/one")
    for session in ("r1", "r2"):  # said twice, stored once
        event = {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": "Remember: I prefer ocelots over cats"}
        laptop.run("hook", "UserPromptSubmit", cwd=one, stdin=json.dumps(event))
    server = laptop.status()["server"]["url"]
    rows = wire.until(lambda: wire.ask(server, "GET", "/search?q=ocelots&project=one")[1], 60)
    counts.check("Remember: is a memory of the user's", [(row["trust"], row["content"]) for row in rows] == [("user", "I prefer ocelots over cats")], rows)
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "r3", "prompt": "cats or ocelots?"}
    counts.check("and given to the next session", "I prefer ocelots" in laptop.run("hook", "UserPromptSubmit", cwd=one, stdin=json.dumps(event)).stdout)
    rows = wire.until(lambda: [r for r in wire.ask(server, "GET", "/observations/recent?project=one&limit=100")[1] if "ocelots" in r["content"]], 60)
    counts.check("said twice it is there once", len(rows) == 1, rows)


def agents_share(counts, laptop):
    """README: by the hooks of setup Codex is given the cause that Claude Code stated, after all programs were killed."""
    shop, commands = laptop.repository("shop"), {}
    for agent, file in (("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")):
        laptop.run("setup", agent)
        commands[agent] = json.loads(read(os.path.join(laptop.home, file)))["hooks"]

    def said(agent, event, session, **fields):
        told = json.dumps({"hook_event_name": event, "session_id": session, "cwd": shop, **fields})
        return subprocess.run(["sh", "-c", commands[agent][event][-1]["hooks"][0]["command"]], cwd=shop, env=laptop.environment, input=told,
                              capture_output=True, text=True, timeout=laptops.COMMAND_S, check=False).stdout

    prompts = re.findall(r"^(?:claude|codex) +# > (.*)$", read(os.path.join(programs.ROOT, "README.md")), re.M)
    counts.check("README has a prompt for each", len(prompts) == 2, prompts)
    said("claude-code", "UserPromptSubmit", "monday", prompt=prompts[0])
    said("claude-code", "Stop", "monday", last_assistant_message="Checkout answers 500 because orders.customer_id has no index.")
    said("claude-code", "SessionEnd", "monday", reason="exit")
    laptop.kill_all()
    laptop.nothing_runs()
    laptop.run("up", "--detach", cwd=shop)
    server = laptop.status()["server"]["url"]
    wire.until(lambda: "no index" in str(wire.ask(server, "GET", "/search?q=checkout&project=shop")[1]), 60)
    given = said("codex", "UserPromptSubmit", "tuesday", prompt=prompts[1])
    counts.check("Codex is given the cause that Claude Code stated", "because orders.customer_id has no index" in given, given)
    for agent in commands:
        laptop.run("setup", agent, "--undo")


def says_why(counts, laptop):
    one = os.path.join(laptop.home, "src/one")
    shown = laptop.run("why", "-o", "table", cwd=one).stdout
    counts.check("why shows what was asked and given", "asked for: cats or ocelots?" in shown and "I prefer ocelots" in shown and " yes " in shown, shown)
    records = json.loads(laptop.run("why", cwd=one).stdout)
    shown = laptop.run("status", "-o", "table", cwd=one).stdout
    counts.check("status says it in a line", 'found memories for "cats or ocelots?"' in shown, shown)
    counts.check("and as JSON", records[0]["injections"][0]["query"] == "cats or ocelots?", records)
    counts.check("of a repository without any it says so", "given nothing yet" in laptop.run("why", "-o", "table", cwd=laptop.repository("none")).stdout)


def doctor(counts, laptop):
    one, settings = os.path.join(laptop.home, "src/one"), os.path.join(laptop.home, ".claude/settings.json")
    done = laptop.run("doctor", "-o", "table", cwd=one)
    counts.check("doctor says what is not connected", done.returncode == 1 and "run 'agent-memory setup claude-code'" in done.stdout, done.stdout)
    laptop.run("setup", "claude-code")
    counts.check("an agent that is not meant to be connected is no fault", laptop.run("doctor", cwd=one).returncode == 0)
    laptop.run("setup", "codex")
    done = laptop.run("doctor", "-o", "table", cwd=one)
    counts.check("all is well then", done.returncode == 0 and "bad" not in done.stdout and "sidecar of project one" in done.stdout, done.stdout)
    policy = os.path.join(laptop.store, "policy.json")
    starter = read(policy)
    write(policy, '{"version": 1, "memory": {"contextLimt": 3}}')
    write(settings, read(settings).replace("hook Stop", "hook Other"))
    rows = json.loads(laptop.run("doctor", cwd=one).stdout)
    bad = [row for row in rows if not row["ok"]]
    counts.check("it finds a wrong policy and changed settings", len(bad) == 2 and "contextLimt" in bad[0]["what"] and settings in bad[1]["what"], bad)
    write(policy, starter)
    for agent in ("claude-code", "codex"):
        laptop.run("setup", agent, "--undo")
    unit = os.path.join(laptop.home, ".config/systemd/user/agent-memory.service")
    done = laptop.run("up", "--install")
    counts.check("up --install writes a unit", done.returncode == 0 and "systemctl --user enable" in done.stdout and f'up --home "{laptop.store}"' in read(unit), done.stdout)


def mcp(counts, laptop):
    one = os.path.join(laptop.home, "src/one")
    lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
             {"jsonrpc": "2.0", "method": "notifications/initialized"},
             {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "mem_search", "arguments": {"query": "walrus"}}}]
    done = laptop.run("mcp", cwd=one, stdin="".join(json.dumps(line) + "\n" for line in lines))
    counts.check("mcp answers for its repository", done.returncode == 0 and "I prefer tabs" in done.stdout, (done.stdout[-600:], done.stderr))


def stands_in_nobodys_way(counts, laptop):
    one, policy = os.path.join(laptop.home, "src/one"), os.path.join(laptop.store, "policy.json")
    call = {"tool_name": "Bash", "tool_input": {"command": "shred x"}, "tool_use_id": "t1"}
    starter = read(policy)
    laptop.run("down")
    done = hook(laptop, one, "PreToolUse", **call)
    counts.check("after down hooks do nothing", (done.returncode, done.stdout, done.stderr) == (0, "", ""), (done.stdout, done.stderr))
    counts.check("and start nothing", laptop.status().get("up") is False)
    write(policy, starter.replace('"blockedCommands": []', '"blockedCommands": ["shred"]'))
    done = hook(laptop, one, "PreToolUse", **call)
    counts.check("a policy that denies is not got round by down", done.returncode == 2 and "memory is not up" in done.stderr, done.stderr)
    laptop.run("up", "--detach", cwd=one)
    done = hook(laptop, one, "PreToolUse", **call)
    counts.check("up it denies", done.returncode == 0 and '"deny"' in done.stdout, done.stdout)
    write(policy, starter)
    counts.check("a changed policy counts from then on", wire.until(lambda: '"deny"' not in hook(laptop, one, "PreToolUse", **call).stdout, 60, 0.2))


def with_claude_code(counts, laptop, program):
    api = claude_code_test.Messages()
    one = os.path.join(laptop.home, "src/one")
    laptop.run("setup", "claude-code")

    def ask(prompt, script):
        api.script, before = script, len(api.asked)
        environment = {**laptop.environment, "ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "sk-none", "DISABLE_AUTOUPDATER": "1",
                       "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        done = subprocess.run([program, "-p", prompt, "--session-id", str(uuid.uuid4()), "--allowedTools", "Bash"], cwd=one, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=claude_code_test.CLIENT_S, check=False)
        return done, api.asked[before:]

    try:
        marker = "zebu_" + uuid.uuid4().hex[:8]
        subprocess.run(["git", "init", "-q"], cwd=one, check=True)
        write(os.path.join(one, ".git/wording"), f"Mend {marker}\n\nIts pool was empty.\n")
        write(os.path.join(one, "mended.txt"), marker)
        git = "git -c user.name=A -c user.email=a@example.com"
        done, _ = ask(f"commit {marker}", [f"git add -A && GIT_EDITOR='cp .git/wording' {git} commit", ("say", "Done.")])
        counts.check("Claude Code runs with the settings of setup", done.returncode == 0 and "Done." in done.stdout, (done.stdout, done.stderr))
        server = laptop.status()["server"]["url"]
        counts.check("what it did is remembered in its repository", wire.until(
            lambda: marker in str(wire.ask(server, "GET", f"/search?q={marker}&project=one")[1]), 60))
        kept = wire.until(lambda: [row for row in wire.ask(server, "GET", f"/search?q={marker}&project=one")[1] if row["type"] == "change"], 60)
        counts.check("a commit by an editor has its message and files", [(row["title"], row["content"]) for row in kept] == [
            (f"Mend {marker}", "Its pool was empty.\n\nFiles: mended.txt")], kept)
        done, asked = ask(f"what was {marker}?", [("say", "A fix.")])
        counts.check("and given to its next session", asked and "<memory:context>" in asked[0] and f"Mend {marker}" in asked[0], asked[0][-1500:] if asked else done)
        done, asked = ask("save it", [{"name": "mcp__memory__mem_save", "input": {"title": marker + " saved", "content": f"{marker} is saved without a question"}},
                                      ("say", "Saved.")])
        saved = wire.until(lambda: marker + " saved" in str(wire.ask(server, "GET", f"/search?q={marker}+saved&project=one")[1]), 60)
        counts.check("headless, it may use the tools", saved, (asked[-1][-1500:] if asked else done))
        tools = subprocess.run([program, "mcp", "list"], cwd=one, env=laptop.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               timeout=claude_code_test.CLIENT_S, check=False).stdout
        rows = json.loads(laptop.run("doctor", cwd=one).stdout)
        bad = [row for row in rows if not row["ok"] and "claude" in row["what"]]
        counts.check("doctor takes the settings as Claude Code wrote them since", not bad, bad)
        counts.check("Claude Code is connected to the tools", "memory" in tools and "Connected" in tools, tools)
    finally:
        api.stop()


def with_the_plugin(counts, laptop, program):
    """The plugin of a release: Claude Code takes it, its hooks and server use the installed program, and it says so if there is
    none, or if the hooks of setup are in use too."""
    plugin = os.path.join(programs.ROOT, "share/agent-memory-claude-code")
    one, bin_ = laptop.repository("plugged"), os.path.join(laptop.folder, "bin")
    with open(os.path.join(programs.ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        version = re.search(r"^project\(.* VERSION ([0-9.]+)", file.read(), re.M).group(1)
    counts.check("the plugin has the version of the programs", json.loads(read(os.path.join(plugin, ".claude-plugin/plugin.json")))["version"] == version)
    api = claude_code_test.Messages()
    os.makedirs(bin_)
    os.symlink(laptop.program, os.path.join(bin_, "agent-memory"))
    base = {**laptop.environment, "ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "sk-none", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    found = {**base, "PATH": bin_ + os.pathsep + laptop.environment["PATH"]}

    def claude(*words, environment=None):
        return subprocess.run([program, *words], cwd=one, env=environment or found, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=claude_code_test.CLIENT_S, check=False)

    def run(*words, environment):
        return subprocess.run([os.path.join(plugin, "run"), *words], cwd=one, env=environment, input="{}", capture_output=True, text=True, timeout=300, check=False)

    try:
        laptop.run("setup", "claude-code", "--undo")
        for what in (plugin, os.path.join(plugin, ".claude-plugin/plugin.json")):
            done = claude("plugin", "validate", "--strict", what)
            counts.check("Claude Code finds the manifests valid", done.returncode == 0, done.stdout + done.stderr)
        done = claude("plugin", "marketplace", "add", plugin)
        done = done if done.returncode else claude("plugin", "install", "agent-memory@agent-memory")
        counts.check("and installs the plugin", done.returncode == 0, done.stdout + done.stderr)
        marker = "okapi_" + uuid.uuid4().hex[:8]
        api.script = [{"name": "mcp__plugin_agent-memory_memory__mem_save", "input": {"title": marker, "content": f"{marker} by the tool"}}, ("say", "Saved.")]
        done = claude("-p", f"Remember: {marker} lives in the forest", "--allowedTools", "mcp__plugin_agent-memory_memory")
        server = laptop.status()["server"]["url"]

        def rows():
            return {row["content"] for row in wire.ask(server, "GET", f"/search?q={marker}&project=plugged")[1]}

        counts.check("its hooks and its server save", wire.until(lambda: rows() >= {f"{marker} lives in the forest", f"{marker} by the tool"}, 60), (rows(), done))
        told = json.loads(laptop.run("doctor", cwd=one).stdout)
        counts.check("doctor knows the plugin", any("plugin" in row["what"] and row["ok"] for row in told), told)
        none = {**base, "PATH": "/usr/bin:/bin"}
        begin, other, server_run = (run(*words, environment=none) for words in (("hook", "SessionStart"), ("hook", "Stop"), ("mcp",)))
        counts.check("without the program it says so once", "not installed" in json.loads(begin.stdout)["systemMessage"] and begin.returncode == 0
                     and (other.returncode, other.stdout, other.stderr) == (0, "", "") and server_run.returncode == 1 and "not installed" in server_run.stderr,
                     (begin, other, server_run))
        laptop.run("setup", "claude-code")
        begin, other = (run("hook", name, environment=found) for name in ("SessionStart", "UserPromptSubmit"))
        counts.check("beside the hooks of setup it does nothing, and says so", "--undo" in json.loads(begin.stdout)["systemMessage"] and other.stdout == "", (begin, other))
        told = json.loads(laptop.run("doctor", cwd=one).stdout)
        counts.check("and so does doctor", any("plugin" in row["what"] and not row["ok"] for row in told), told)
    finally:
        api.stop()


def main():
    counts, laptop = mcp_test.Counts(), laptops.Laptop()
    try:
        for part in (sets_up, hooks_find_their_repository, many_at_once, remembers, agents_share, says_why, doctor, mcp, stands_in_nobodys_way):
            part(counts, laptop)
        program, why = claude_code_test.install()
        if why:
            counts.skip("Claude Code", why)
        else:
            with_claude_code(counts, laptop, program)
            with_the_plugin(counts, laptop, program)
    finally:
        laptop.clean()
    skipped = f", {counts.skipped} skipped" if counts.skipped else ""
    print(f"{counts.passed} passed, {counts.failed} failed{skipped}")
    return int(counts.failed != 0)


if __name__ == "__main__":
    sys.exit(main())
