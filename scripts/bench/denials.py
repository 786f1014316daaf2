#!/usr/bin/env python3
"""Counts the recorded commands that two policies deny, and prints the denied ones for a review by hand.

    scripts/bench/denials.py FILE [--sidecar PROGRAM] [--strict] [--show N]

FILE has one command a line, or one JSON object a line: {"command", "cwd", "root"}, where root is the agent's working
directory. Paths are allowed below root (default /repo) and in /tmp. The repository has no recordings.
"""
import argparse, collections, json, pathlib, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCKED = ["rm -rf", "shutdown", "git push --force", "mkfs.*"]
POLICIES = {"starter (denies nothing)": lambda root: {},
            "blockedCommands " + ", ".join(BLOCKED): lambda root: {"blockedCommands": BLOCKED},
            "allowedPaths of the project and /tmp": lambda root: {"allowedPaths": [root, "/tmp"]}}
MOST_EVENTS_BYTES = 32 << 20


def recorded(file):
    """→ [{"command", "cwd", "root"}], each command once."""
    commands = {}
    for line in file.read_text(errors="replace").splitlines():
        if not line.strip():
            continue
        entry = json.loads(line) if line.startswith("{\"") else {"command": line}
        root = entry.get("root") or "/repo"
        entry = {"command": entry["command"], "cwd": entry.get("cwd") or root, "root": root}
        commands[tuple(entry.values())] = entry
    return list(commands.values())


def permissions(sidecar, hooks, entries):
    """→ the verdicts of the sidecar's command `check`, in the order of the entries."""
    answers, batch, size = [], [], 0

    def ask():
        with tempfile.TemporaryDirectory() as folder:
            policy = pathlib.Path(folder, "policy.json")
            policy.write_text(json.dumps({"version": 1, "toolHooks": hooks}))
            out = subprocess.run([sidecar, "check", "--policy", policy, "--output", "json", "--event", "/dev/stdin"], check=True,
                                 input="\n".join(batch).encode(), stdout=subprocess.PIPE).stdout
        answers.extend(event["permission"] for event in json.loads(out)["events"])

    for entry in entries:
        batch.append(json.dumps({"hook_event_name": "PreToolUse", "session_id": "bench", "tool_name": "Bash",
                                 "cwd": entry["cwd"], "tool_input": {"command": entry["command"]}}))
        size += len(batch[-1])
        if size > MOST_EVENTS_BYTES:
            ask()
            batch, size = [], 0
    if batch:
        ask()
    return answers


def rule(reason):
    """→ the kind of a reason: its words without the quoted parts."""
    for kind in ("blocks the command", "blocks commands, and", "blocks commands strictly", "a link leads there",
                 "allows no access to", "cannot be read", "names no cwd", "only known when it runs", "could not be judged"):
        if kind in reason:
            return kind + (reason.split("blocks the command")[1].rstrip(".") if kind == "blocks the command" else "")
    return reason[:60]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file", type=pathlib.Path)
    arguments.add_argument("--sidecar", default=str(ROOT / "build/release/bin/agent-memory-sidecar"))
    arguments.add_argument("--strict", action="store_true", help="with strictCommands: true")
    arguments.add_argument("--show", type=int, default=200, help="denied commands of a policy that are printed")
    given = arguments.parse_args()
    by_root = collections.defaultdict(list)
    for entry in recorded(given.file):
        by_root[entry["root"]].append(entry)
    total = sum(map(len, by_root.values()))
    for name, hooks_of in POLICIES.items():
        denied, unjudged, rules = [], collections.Counter(), collections.Counter()
        open_calls = 0
        for root, entries in by_root.items():
            hooks = dict(hooks_of(root), **({"strictCommands": True} if given.strict else {}))
            for entry, answer in zip(entries, permissions(given.sidecar, hooks, entries)):
                if answer["decision"] == "deny":
                    denied.append((rule(answer["reason"]), answer["reason"], entry["command"]))
                    rules[denied[-1][0]] += 1
                open_calls += bool(answer["unjudged"])
                unjudged.update({text.split(":", 1)[-1].strip() for text in answer["unjudged"]})
        print(f"{name}: {len(denied)} of {total} denied ({len(denied) * 100 / total:.2f} %), {open_calls} unjudged")
        for kind, count in rules.most_common():
            print(f"  denied {count:6}  {kind}")
        for kind, count in unjudged.most_common(12):
            print(f"  unjudged {count:4}  {kind}")
        for kind, reason, command in sorted(denied)[:given.show]:
            print(f"    {json.dumps(command, ensure_ascii=False)}\n      {reason}")


if __name__ == "__main__":
    sys.exit(main())
