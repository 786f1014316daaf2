#!/usr/bin/env python3
"""Import of transcripts: a synthetic tree of Claude Code's and Codex' sessions, imported with the real programs.

    python3 scripts/bench/transcripts.py [--mb 158] [--keep]     programs: build/release/bin, or $AGENT_MEMORY_BIN

Prints JSON: bytes, sessions, seconds of the first import, of a second one, MB/s, and peak memory of the processes.
"""
import argparse
import base64
import datetime
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "e2e", "support")]

import programs  # noqa: E402

WORDS = ("parser queue deploy retry index commit ledger staging timeout schema cache buffer socket handler column migrate token worker "
         "replica snapshot pipeline fixture invoice render policy session").split()
START = datetime.datetime(2026, 9, 1, tzinfo=datetime.timezone.utc)


class Clock:
    def __init__(self, at):
        self.at = at

    def tick(self, seconds):
        self.at += datetime.timedelta(seconds=seconds)
        return self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def text(rnd, words):
    return " ".join(rnd.choice(WORDS) for _ in range(words))


def output(rnd, size):
    lines = []
    while size > 0:
        line = f"{rnd.randrange(9999):5d}\t  {text(rnd, 8)} = \"{rnd.randrange(1 << 30):x}\";"
        lines.append(line)
        size -= len(line) + 1
    return "\n".join(lines)


def claude_session(rnd, cwd, at):
    session, clock, parent = str(uuid.UUID(int=rnd.getrandbits(128))), Clock(at), None

    def line(kind, message, **more):
        nonlocal parent
        made = {"parentUuid": parent, "isSidechain": False, "type": kind, "message": message, "uuid": str(uuid.UUID(int=rnd.getrandbits(128))),
                "timestamp": clock.tick(rnd.uniform(.5, 20)), "userType": "external", "cwd": cwd, "sessionId": session, "version": "2.1.197",
                "gitBranch": "main", **more}
        parent = made["uuid"]
        return json.dumps(made, ensure_ascii=False)

    def says(*blocks):
        return line("assistant", {"id": "msg_" + uuid.UUID(int=rnd.getrandbits(128)).hex[:24], "type": "message", "role": "assistant",
                                  "model": "claude-opus-4-8", "content": list(blocks), "usage": {"input_tokens": 10, "output_tokens": 5}})

    for turn in range(rnd.randrange(3, 12)):
        prompt = text(rnd, 20)
        if rnd.random() < .05:
            prompt = "Remember: " + text(rnd, 8)
        yield line("user", {"role": "user", "content": prompt}, promptId=str(turn))
        yield line("user", {"role": "user", "content": "<system-reminder>" + text(rnd, 60) + "</system-reminder>"}, isMeta=True)
        for _ in range(rnd.randrange(2, 16)):
            call = "toolu_" + uuid.UUID(int=rnd.getrandbits(128)).hex[:24]
            yield says({"type": "thinking", "thinking": text(rnd, 120), "signature": base64.b64encode(rnd.randbytes(300)).decode()})
            kind = rnd.random()
            if kind < .5:
                said = output(rnd, rnd.choice((200, 2_000, 6_000, 20_000)))
                commit = rnd.random() < .05
                command = "git commit -am 'Fix the " + text(rnd, 3) + "'" if commit else "make " + text(rnd, 2)
                if commit:
                    said = f"[main {rnd.randrange(1 << 28):07x}] Fix the {text(rnd, 3)}\n 1 file changed"
                yield says({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command, "description": "as said"}})
                own = {"stdout": said, "stderr": "", "interrupted": False, "isImage": False}
            elif kind < .9:
                said = output(rnd, rnd.choice((1_000, 8_000, 30_000)))
                path = f"{cwd}/src/{rnd.choice(WORDS)}.cc"
                yield says({"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": path}})
                own = {"type": "text", "file": {"filePath": path, "content": said, "numLines": 9, "startLine": 1, "totalLines": 9}}
            else:
                said, path = "edited", f"{cwd}/src/{rnd.choice(WORDS)}.cc"
                yield says({"type": "tool_use", "id": call, "name": "Edit",
                            "input": {"file_path": path, "old_string": output(rnd, 300), "new_string": output(rnd, 400)}})
                own = {"filePath": path, "originalFile": output(rnd, 12_000), "structuredPatch": []}
            content = said
            if rnd.random() < .01:
                content = [{"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                                        "data": base64.b64encode(rnd.randbytes(200_000)).decode()}}]
            yield line("user", {"role": "user", "content": [{"tool_use_id": call, "type": "tool_result", "content": content}]}, toolUseResult=own)
        yield says({"type": "text", "text": text(rnd, 60)})


def codex_session(rnd, cwd, at):
    clock = Clock(at)

    def line(kind, payload):
        return json.dumps({"timestamp": clock.tick(rnd.uniform(.5, 20)), "type": kind, "payload": payload}, ensure_ascii=False)

    yield line("session_meta", {"id": str(uuid.UUID(int=rnd.getrandbits(128))), "cwd": cwd, "originator": "codex_cli_rs", "cli_version": "0.60.0"})
    for _ in range(rnd.randrange(3, 9)):
        prompt = text(rnd, 20)
        yield line("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]})
        yield line("event_msg", {"type": "user_message", "message": prompt})
        for _ in range(rnd.randrange(2, 12)):
            call = "call_" + uuid.UUID(int=rnd.getrandbits(128)).hex[:20]
            yield line("response_item", {"type": "function_call", "name": "shell", "call_id": call,
                                         "arguments": json.dumps({"command": ["bash", "-lc", "make " + text(rnd, 2)]})})
            yield line("response_item", {"type": "function_call_output", "call_id": call,
                                         "output": json.dumps({"output": output(rnd, rnd.choice((500, 4_000, 12_000))), "metadata": {"exit_code": 0}})})
        answer = text(rnd, 60)
        yield line("response_item", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": answer}]})


def make_tree(home, size, seed=7):
    rnd, written, sessions = random.Random(seed), 0, 0
    repositories = [os.path.join(home, "src", name) for name in ("billing", "frontend", "infra", "ledger", "docs")]
    for path in repositories:
        os.makedirs(os.path.join(path, ".git"))
    while written < size:
        cwd, at = rnd.choice(repositories), START + datetime.timedelta(hours=sessions * 2)
        if rnd.random() < .8:
            name = str(uuid.UUID(int=rnd.getrandbits(128)))
            path = os.path.join(home, ".claude/projects", cwd.replace("/", "-"), name + ".jsonl")
            lines = claude_session(rnd, cwd, at)
        else:
            path = os.path.join(home, ".codex/sessions", at.strftime("%Y/%m/%d"), f"rollout-{at:%Y-%m-%dT%H-%M-%S}-{sessions}.jsonl")
            lines = codex_session(rnd, cwd, at)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            for line in lines:
                file.write(line + "\n")
        written += os.path.getsize(path)
        sessions += 1
    return written, sessions


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--mb", type=float, default=158, help="size of the tree in MB")
    parser.add_argument("--keep", action="store_true", help="keep the tree and print its path")
    args = parser.parse_args()
    home = tempfile.mkdtemp(prefix="agent-memory-transcripts-")
    environment = {"PATH": os.environ["PATH"], "HOME": home}

    def run(*words):
        begun = time.monotonic()
        done = subprocess.run([programs.binary("agent-memory"), *words], cwd=home, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"agent-memory {' '.join(words)}: {done.stderr}")
        return time.monotonic() - begun, json.loads(done.stdout) if done.stdout.startswith("{") else None

    try:
        size, sessions = make_tree(home, int(args.mb * 1e6))
        run("up", "--detach")
        first, report = run("import", "--transcripts")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        again, second = run("import", "--transcripts")
        os.remove(os.path.join(home, ".local/share/agent-memory/transcripts.json"))
        whole, third = run("import", "--transcripts")
        print(json.dumps({"mb": round(size / 1e6, 1), "sessions": sessions, "seconds": round(first, 2), "mb_per_s": round(size / 1e6 / first, 1),
                          "imported": report["imported"], "seconds_nothing_new": round(again, 2), "imported_again": second["imported"],
                          "seconds_state_lost": round(whole, 2), "imported_state_lost": third["imported"],
                          "peak_mib": round(peak / 1024, 1)}, indent=1))
        if args.keep:
            print(home)
    finally:
        subprocess.run([programs.binary("agent-memory"), "down"], env=environment, capture_output=True, check=False)
        if not args.keep:
            shutil.rmtree(home, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
