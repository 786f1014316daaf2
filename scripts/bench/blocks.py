#!/usr/bin/env python3
"""Measures block memory: the size of the compact form against the originals, for recorded hook events and for generated
tool chains, and the time and memory of a block's page and of a context in a conversation of 30 MB.

    scripts/bench/blocks.py [--events FILE]     FILE: a hook event per line, as {"event": {...}} or the event itself

The chapter claims that tool chains become 91 % smaller. The repository has no recordings."""
import argparse
import json
import os
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "e2e/support")]
import programs  # noqa: E402
import wire  # noqa: E402

POLICY = {"version": 1}
CHAINS, CALLS, LONG_BLOCKS, LONG_OUTPUT = 20, 10, 60, 50_000


def event(name, conversation, **fields):
    return {"hook_event_name": name, "session_id": conversation, **fields}


def turn(conversation, number, calls, output):
    yield event("UserPromptSubmit", conversation, prompt=f"request {number}")
    for call in range(calls):
        text = f"line of output {number}.{call} " * (output // 25)
        yield event("PostToolUse", conversation, tool_name="Bash", tool_use_id=f"t{number}-{call}",
                    tool_input={"command": f"make step-{call}"}, tool_response={"stdout": text})
    yield event("Stop", conversation, last_assistant_message=f"done with {number}")


def size(messages):
    return sum(len(m["content"]) + len(json.dumps(m["tool_calls"]) if "tool_calls" in m else "") for m in messages)


def compression(api, what, conversations):
    original = compact = blocks = 0
    for conversation in sorted(conversations):
        for block in wire.ask(api, "GET", f"/conversations/{conversation}/blocks")[1]["blocks"]:
            if block["state"] != "closed":
                continue
            path = f"/conversations/{conversation}/blocks/{block['block']}"
            blocks += 1
            original += size(wire.ask(api, "GET", path)[1]["messages"])
            compact += size(wire.ask(api, "GET", path + "?form=compact")[1]["messages"])
    if original:
        print(f"{what}: {blocks} blocks, {original:,} characters become {compact:,}: {100 - 100 * compact / original:.1f} % smaller")


def timed(api, path, times=50):
    spent = []
    for _ in range(times):
        started = time.monotonic()
        assert wire.ask(api, "GET", path)[0] == 200, path
        spent.append(1e3 * (time.monotonic() - started))
    return sorted(spent)[times // 2]


def peak_kib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agent-memory-bench-") as folder:
        policy = os.path.join(folder, "policy.json")
        with open(policy, "w", encoding="utf-8") as file:
            json.dump(POLICY, file)
        sidecar = programs.sidecar(folder, policy).start()

        def post(events):
            names = set()
            for one in events:
                names.add(one["session_id"])
                status, answer = wire.ask(sidecar.api, "POST", "/v1/hooks", one)[:2]
                assert status == 200, answer
            return names

        try:
            if options.events:
                with open(options.events, encoding="utf-8") as file:
                    lines = [json.loads(line) for line in file if line.strip()]
                compression(sidecar.api, "recorded", post(line.get("event", line) for line in lines))
            for output in (200, 1_000, 2_500, 10_000):
                compression(sidecar.api, f"chains of {CALLS} calls with {output:,} characters each",
                            post(one for n in range(CHAINS) for one in turn(f"made-{output}", n, CALLS, output)))
            post(one for n in range(LONG_BLOCKS) for one in turn("long", n, CALLS, LONG_OUTPUT))
            sidecar.stop()
            sidecar.start()
            for what, path in (("context of 200,000 tokens", "/conversations/long/context?max_tokens=200000"),
                               ("a page of a block (50 messages, 500 KB)", "/conversations/long/blocks/30?limit=50")):
                before = peak_kib(sidecar.pid)
                print(f"{what} of 30 MB: p50 {timed(sidecar.api, path):.2f} ms, +{(peak_kib(sidecar.pid) - before) / 1024:.1f} MiB")
        finally:
            sidecar.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
