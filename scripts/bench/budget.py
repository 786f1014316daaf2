#!/usr/bin/env python3
"""Measures a sidecar's memory under large hooks: one of 7.6 MiB, then twice eight at once, with the memory budget of a
container's limit of 128Mi. Prints the peak of resident memory (VmHWM) and the statuses. Exit 1 if the peak exceeds the
limit, a hook is neither accepted nor refused (503, or closed), or a small hook is refused. Needs the release build.

    scripts/bench/budget.py [--budget 51Mi] [--kind response|blocks|arguments|prompt]"""
import argparse
import collections
import http.client
import json
import os
import shutil
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "e2e/support")]

import programs  # noqa: E402
import wire  # noqa: E402

LIMIT_MIB, LARGE, AT_ONCE = 128, 7_800 << 10, 8


def event(kind, number):
    """A hook of about LARGE bytes; `kind` decides which field is large."""
    said = {"hook_event_name": "PostToolUse", "session_id": "bench", "tool_name": "Bash", "tool_use_id": f"large-{number}",
            "tool_input": {"command": "make"}, "tool_response": "done"}
    line = "a line of output that says \"little\"\n"
    if kind == "response":
        said["tool_response"] = line * (LARGE // 41)
    elif kind == "blocks":
        said["tool_response"] = [{"type": "text", "text": line * 5_000} for _ in range(LARGE // 205_000)]
    elif kind == "arguments":
        said["tool_input"] = {"edits": [{"new": line * 5_000} for _ in range(LARGE // 205_000)]}
    else:
        said.update(hook_event_name="UserPromptSubmit", prompt=line * (LARGE // 41))
    return json.dumps(said)


def highest_mib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def post(address, body, statuses):
    connection = http.client.HTTPConnection(address, timeout=60)
    try:
        connection.request("POST", "/v1/hooks", body, {"Content-Type": "application/json"})
        statuses.append(connection.getresponse().status)
    except OSError as error:  # refused and closed while the body was being sent
        statuses.append(type(error).__name__)
    finally:
        connection.close()


def at_once(address, bodies):
    statuses = []
    threads = [threading.Thread(target=post, args=(address, body, statuses)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return collections.Counter(statuses)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", default=str(LIMIT_MIB * 2**20 * 2 // 5), help="memory-budget; what 128Mi give by default")
    parser.add_argument("--kind", default="response", choices=["response", "blocks", "arguments", "prompt"])
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="agent-memory-bench-")
    policy = os.path.join(folder, "policy.json")
    with open(policy, "w", encoding="utf-8") as file:
        json.dump({"version": 1, "agent": "coder", "namespace": "agents", "memory": {"url": "http://127.0.0.1:9", "project": "coder"}}, file)
    sidecar = programs.sidecar(folder, policy)
    sidecar.arguments += ["--memory-budget", options.budget]
    try:
        sidecar.start()
        if not sidecar.ready():
            raise SystemExit("the sidecar is not ready:\n" + sidecar.tail())
        peaks, refused_small, wrong = [highest_mib(sidecar.pid)], 0, 0
        print(f"idle: highest resident {peaks[0]:.1f} MiB")
        for count in (1, AT_ONCE, AT_ONCE):
            statuses = at_once(sidecar.api, [event(options.kind, number) for number in range(count)])
            peaks.append(highest_mib(sidecar.pid))
            wrong += sum(times for status, times in statuses.items() if status not in (200, 503, "BrokenPipeError", "ConnectionResetError"))
            small = {"hook_event_name": "Stop", "session_id": "bench"}
            refused_small += wire.ask(sidecar.api, "POST", "/v1/hooks", small)[0] != 200
            print(f"{count} {options.kind} of {LARGE / 2**20:.1f} MiB at once: {dict(statuses)}, highest resident {peaks[-1]:.1f} MiB")
        return int(peaks[-1] > LIMIT_MIB or wrong > 0 or refused_small > 0)
    finally:
        sidecar.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
