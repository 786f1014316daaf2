#!/usr/bin/env python3
"""Plays working days with memory on one machine, and asks the next morning: which facts that a colleague would have noted
are in front of the model, and what else is. The model is scripted.

    scripts/bench/day.py [--days FILE ...] [--client hooks|claude-code] [--model silent|obeys|repeats] [--show]

A day is a JSON file of scripts/bench/days: a repository, sessions of turns (prompt, commands that run, answer, notes of the
model), facts with the question of the next morning and the words that answer it, and prompts about nothing that is stored.
`hooks` sends the events that Claude Code sends; `claude-code` runs the client itself (from npm), some 5 s a prompt. The model
saves nothing (`silent`); or its notes as it is asked to at the begin of a session, by `agent-memory mcp`: it looks first, gives
a topic_key, and leaves out what it is told is saved (`obeys`) or saves it again in its own words (`repeats`). `twice` counts
items that the session had before, and memories that hold a fact beside another. --show prints each answer.
Needs the programs of build/release/bin, or of $AGENT_MEMORY_BIN. Prints a table; judges nothing."""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(HERE)), "e2e", part) for part in ("support", "clients")]

import claude_code_test  # noqa: E402
import laptops  # noqa: E402
import mcp_stdio  # noqa: E402
import wire  # noqa: E402

BLOCK = re.compile(r"<memory:[a-z-]+>.*?</memory:[a-z-]+>", re.S)
ITEM = re.compile(r'^- (?:\[id \d+; type "?(?P<type>[^;"\]]*)"?;[^\]]*\] )?(?P<text>.*)$', re.M)
TOLD = "do not save it again"  # of a prompt that is saved
REPORTS = ("session", "change")  # types of memories that are no facts: digests, commits
ECHO = 40  # characters that an item shares with what this session said before


def items(injected):
    """→ [(type or None, text)] of the injected blocks."""
    return [(match["type"], match["text"]) for block in BLOCK.findall(injected) for match in ITEM.finditer(block)]


def repeated_title(text):
    """→ how many characters of an item are a title that its content begins with."""
    title, dash, content = text.partition(" — ")
    return len(title) + len(dash) if dash and content.startswith(title.rstrip("…")) else 0


def plain(text):
    return re.sub(r"\s+", " ", text).strip().lower()


def calls_of(turn):
    """→ the memory calls of a model that looks first, one pair a note of the turn."""
    return [({"name": "mem_search", "input": {"query": note["title"]}}, {"name": "mem_save", "input": note}) for note in turn.get("notes", [])]


class Hooks:
    """The events of Claude Code, sent by `agent-memory hook`. Commands run for real."""

    def __init__(self, laptop, repository, model):
        self.laptop, self.repository, self.model, self.took, self.tools = laptop, repository, model, [], None

    def hook(self, name, session, **fields):
        event = {"hook_event_name": name, "session_id": session, "cwd": self.repository, **fields}
        started = time.monotonic()
        done = self.laptop.run("hook", name, cwd=self.repository, stdin=json.dumps(event))
        if name == "UserPromptSubmit":
            self.took.append(1e3 * (time.monotonic() - started))
        answer = json.loads(done.stdout) if done.stdout.strip() else {}
        return answer.get("hookSpecificOutput", {}).get("additionalContext", "")

    def begin(self):
        session = str(uuid.uuid4())
        given = self.hook("SessionStart", session, source="startup")
        if self.model != "silent":
            self.tools = mcp_stdio.Tools(self.repository, self.laptop.environment)
        return session, given

    def turn(self, session, turn):
        given = self.hook("UserPromptSubmit", session, prompt=turn["prompt"])
        for number, command in enumerate(turn.get("runs", [])):
            call = {"tool_name": "Bash", "tool_use_id": f"t{number}-{uuid.uuid4().hex[:8]}",
                    "tool_input": {"command": command, "description": "as scripted"}}
            given += self.hook("PreToolUse", session, **call)
            done = subprocess.run(["bash", "-c", command], cwd=self.repository, env=git_environment(self.laptop),
                                  capture_output=True, text=True, check=False)
            answer = {"stdout": done.stdout, "stderr": done.stderr, "interrupted": False}
            given += self.hook("PostToolUse", session, tool_response=answer, **call)
        if self.saves(given):
            for call in (call for pair in calls_of(turn) for call in pair):
                answer, worked = self.tools.call(call["name"], **call["input"])
                if not worked:
                    raise SystemExit(f"{call}: {answer}")
        self.hook("Stop", session, last_assistant_message=turn.get("says", "Done."))
        return given

    def saves(self, given):
        return self.model == "repeats" or self.model == "obeys" and TOLD not in given

    def end(self, session):
        self.hook("SessionEnd", session, reason="prompt_input_exit")
        if self.tools:
            self.tools.close()
            self.tools = None


class ClaudeCode(Hooks):
    """The client itself, headless: one process a prompt."""

    def __init__(self, laptop, repository, model, program):
        super().__init__(laptop, repository, model)
        self.program, self.api, self.begun, self.known = program, claude_code_test.Messages(), set(), {}
        laptop.run("setup", "claude-code")

    def begin(self):
        return str(uuid.uuid4()), ""

    def turn(self, session, turn):
        self.api.script = [*turn.get("runs", []), *self.notes(turn), ("say", turn.get("says", "Done."))]
        before = len(self.api.asked)
        environment = {**git_environment(self.laptop), "ANTHROPIC_BASE_URL": self.api.url, "ANTHROPIC_API_KEY": "sk-none",
                       "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        which = ["--resume" if session in self.begun else "--session-id", session]
        self.begun.add(session)
        started = time.monotonic()
        subprocess.run([self.program, "-p", turn["prompt"], *which, "--allowedTools", "Bash"], cwd=self.repository,
                       env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=claude_code_test.CLIENT_S, check=False)
        self.took.append(1e3 * (time.monotonic() - started))
        asked = self.api.asked[before:]
        return "".join(self.new_blocks(session, asked))

    def notes(self, turn):
        """Steps that look at the request: it says whether the prompt is saved."""
        def step(call):
            named = {**call, "name": "mcp__memory__" + call["name"]}
            return lambda asked: named if self.saves(asked[asked.rindex(json.dumps(turn["prompt"], ensure_ascii=False)[1:-1]):]) else None
        return [] if self.model == "silent" else [step(call) for pair in calls_of(turn) for call in pair]

    def new_blocks(self, session, asked):
        """The blocks of the last request that no earlier request of the session had."""
        if not asked:
            return []
        found = BLOCK.findall("\n".join(strings(json.loads(asked[-1]))))
        known = self.known.setdefault(session, set())
        fresh = [block for block in found if block not in known]
        known.update(found)
        return fresh

    def end(self, session):
        pass  # each process ends its session


def git_environment(laptop):
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "Ann"), ("EMAIL", "ann@example.com"))}
    return {**laptop.environment, **who}


class Figures:
    def __init__(self):
        self.asked = {"user": [0, 0], "model": [0, 0], "commit": [0, 0]}
        self.items = self.echoes = self.twice = self.characters = self.titles = 0
        self.first, self.later = [], []

    def look(self, given, said, seen, show):
        """Counts what a prompt of a session got; `said`: its earlier texts, `seen`: its earlier items."""
        for _, text in items(given):
            words = plain(text.split(" — ")[-1])
            self.items += 1
            self.titles += repeated_title(text)
            echo = len(words) >= ECHO and any(words[:ECHO] in earlier for earlier in said)
            self.echoes += echo
            if show and echo:
                print(f"  ECHO     {text}", flush=True)
            self.twice += words in seen
            seen.add(words)
        self.characters += sum(map(len, BLOCK.findall(given)))


def play(day, client, figures, show):
    """The day, then the next morning: a session for each question, and one for the prompts about nothing."""
    for session in day["sessions"]:
        number, given = client.begin()
        said, seen = [], set()
        for turn in session:
            given += client.turn(number, turn)
            figures.look(given, said, seen, show)
            said += [plain(turn["prompt"]), plain(turn.get("says", ""))]
            given = ""
        client.end(number)
    wire.until(lambda: pending(client) == 0, 20)
    for fact in day["facts"]:
        number, given = client.begin()
        given += client.turn(number, {"prompt": fact["asks"], "says": "I see."})
        client.end(number)
        figures.look(given, [], set(), show)
        right = answers(fact, given)
        holders = [text for kind, text in items(given) if kind and kind not in REPORTS and answers(fact, text)]
        figures.twice += max(len(holders) - 1, 0)
        if show and len(holders) > 1:
            print("  TWICE    " + "\n           ".join(holders), flush=True)
        figures.asked[fact["by"]][0] += right
        figures.asked[fact["by"]][1] += 1
        if show:
            print(f"  {'answered' if right else 'MISSED  '} ({fact['by']}) {fact['asks']}\n{given if not right else ''}", flush=True)
    for prompt in day["nothing"]:
        number, given = client.begin()
        figures.first.append(sum(map(len, BLOCK.findall(given + client.turn(number, {"prompt": prompt})))))
        figures.later.append(sum(map(len, BLOCK.findall(client.turn(number, {"prompt": prompt})))))
        client.end(number)


def strings(value):
    """Gives each text in decoded JSON."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(inner)


def answers(fact, text):
    return all(word.lower() in text.lower() for word in fact["answer"])


def pending(client):
    projects = client.laptop.status().get("projects", [])
    return sum(wire.ask(project["url"], "GET", "/v1/status")[1].get("pending", 0) for project in projects if project.get("url"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", nargs="*", default=sorted(glob.glob(os.path.join(HERE, "days", "*.json"))))
    parser.add_argument("--client", choices=("hooks", "claude-code"), default="hooks")
    parser.add_argument("--model", choices=("silent", "obeys", "repeats"), default="silent")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    program, why = claude_code_test.install() if options.client == "claude-code" else (None, None)
    if why:
        raise SystemExit(why)
    print(f"{'day':16s} {'user':>6s} {'model':>6s} {'commit':>6s} {'items':>6s} {'echoes':>6s} {'twice':>6s} {'tokens':>7s} "
          f"{'titles':>7s} {'nothing: first, later':>22s} {'hook p50':>9s}", flush=True)
    for path in options.days:
        with open(path, encoding="utf-8") as file:
            day = json.load(file)
        laptop, figures = laptops.Laptop(), Figures()
        try:
            repository = os.path.join(laptop.home, "src", day["repository"])
            os.makedirs(repository)
            subprocess.run(["git", "init", "-q", "-b", "main", repository], check=True, env=git_environment(laptop))
            client = ClaudeCode(laptop, repository, options.model, program) if program else Hooks(laptop, repository, options.model)
            play(day, client, figures, options.show)
        finally:
            laptop.clean()
        asked = [f"{right}/{all_}" for right, all_ in figures.asked.values()]
        share = figures.titles / max(figures.characters, 1)
        nothing = f"{max(figures.first, default=0)}, {max(figures.later, default=0)}"
        print(f"{day['name']:16s} {asked[0]:>6s} {asked[1]:>6s} {asked[2]:>6s} {figures.items:6d} {figures.echoes:6d} {figures.twice:6d} "
              f"{figures.characters // 4:7d} {share:7.1%} {nothing:>22s} {sorted(client.took)[len(client.took) // 2]:6.0f} ms", flush=True)


if __name__ == "__main__":
    sys.exit(main())
