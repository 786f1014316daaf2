#!/usr/bin/env python3
"""Measures the sidecar's costs for an agent: the time of a hook including its sync, beside the machine's own
fdatasync and a trivial HTTP answer in the same run; the same while the memory server is away; and the resident
memory after many events. Exit 1 if a limit is missed. Needs the release build and an idle machine; does not test
correctness.

    scripts/bench/sidecar.py [--events 100000] [--seconds 4] [--only hooks,ingest]"""
import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile

import memory  # the load generator, its floors and the output of figures

import programs
import wire

CONVERSATIONS, TURN_EVENTS = 20, 10
BARS = {"p50_us": 1_000, "p99_us": 10_000}  # limits of a hook, including its sync
AWAY_US, RESIDENT_MIB, ADDED_US, INGEST_MS = 250_000, 20, 5_000, .2


class SidecarBench(memory.Bench):
    def events(self, name, count, kinds):
        """Writes `count` posts in the proportions of `kinds`; a rule captures tool results at every tenth place."""
        with open(self.file(name), "w", encoding="utf-8") as posts:
            for number in range(count):
                kind = kinds[number % len(kinds)]
                event = {"hook_event_name": kind, "session_id": f"{name}-{number // TURN_EVENTS % CONVERSATIONS}", "cwd": "/work"}
                if kind == "UserPromptSubmit":
                    event.update(prompt=self.language.text(200), prompt_id=f"{name}{number}")
                elif kind == "Stop":
                    event.update(last_assistant_message=self.language.text(400))
                else:
                    output = ("error: " if number % 10 == 5 else "") + self.language.text(400)
                    event.update(tool_name="Bash", tool_input={"command": "make"}, tool_use_id=f"{name}{number}",
                                 tool_response={"stdout": output, "stderr": ""})
                posts.write(f"POST\t/v1/hooks\t{json.dumps(event)}\n")

    def hooks(self, sidecar, name, what, kinds, disk, bars=True):
        self.events(name, 6_000 * max(1, int(self.options.seconds)), kinds)
        took = self.load(sidecar, 1, self.options.seconds, name)
        self.say(f"{what}: p50, p99", f"{took['p50_us']:.0f}, {took['p99_us']:.0f} µs",
                 f"{took['p50_us'] / disk['p50_us']:.1f} and {took['p99_us'] / disk['p99_us']:.1f} fdatasyncs")
        for key, bar in BARS.items() if bars else ():
            self.judge(f"{what}: {key[:3]} in ms", took[key] / 1e3, bar / 1e3)
        self.judge(f"{what}: events that failed", sum(took[key] for key in ("refused", "broken", "other")), 0)
        return took

    def world(self):
        server = programs.server(self.file("server")).start()
        return server, self.sidecar(server, "sidecar")

    def sidecar(self, server, name, **memory_policy):
        policy = self.file(name + "-policy.json")
        with open(policy, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "agent": "coder", "namespace": "agents",
                       "memory": {"url": "http://" + server.api, "project": "coder", **memory_policy},
                       "toolHooks": {"memorySaveRules": [{"name": "errors", "tool": "bash", "matchOutput": "error"}]}}, file)
        sidecar = programs.sidecar(self.file(name), policy).start()
        if not sidecar.ready():
            raise SystemExit("the sidecar is not ready:\n" + sidecar.tail())
        return sidecar

    def ingest(self, disk):
        """Sends turns of a prompt and an answer, alternately through two sidecars of one server. With one connection the
        events a second give the mean."""
        server = programs.server(self.file("ingest-server")).start()
        sidecars = [self.sidecar(server, "off"), self.sidecar(server, "on", autoIngest={})]
        added = []
        try:
            for number in range(5):
                means = []
                for name, sidecar in zip(("off", "on"), sidecars):
                    took = self.hooks(sidecar, f"{name}{number}", f"prompt and answer, auto-ingest {name}", ["UserPromptSubmit", "Stop"], disk, bars=False)
                    means.append(2e3 / took["per_s"])
                    self.drained(sidecar)
                added.append(means[1] - means[0])
        finally:
            for program in (*sidecars, server):
                program.kill()
        self.judge("what auto-ingest adds to a turn's answers: ms", statistics.median(added), INGEST_MS)

    def drained(self, sidecar):
        return wire.until(lambda: wire.ask(sidecar.api, "GET", "/v1/status")[1]["pending"] == 0, 120)

    def all(self):
        with open(self.file("asks"), "w", encoding="utf-8") as asks:
            asks.write("GET\t/\n")
        disk, _ = self.floors()
        only = set(filter(None, self.options.only.split(",")))
        if not only or "ingest" in only:
            self.ingest(disk)
        if not only or "hooks" in only:
            self.all_hooks(disk)
        return 1 if self.missed else 0

    def all_hooks(self, disk):
        server, sidecar = self.world()
        try:
            self.say("resident, idle: MiB", f"{programs.resident(sidecar.pid)[0] / 1024:.1f}")
            tools = self.hooks(sidecar, "tools", "PostToolUse", ["PostToolUse"], disk)
            prompts = self.hooks(sidecar, "prompts", "UserPromptSubmit with recall", ["UserPromptSubmit"], disk, bars=False)
            self.judge("G11 what a recall adds at p99: ms", (prompts["p99_us"] - tools["p99_us"]) / 1e3, ADDED_US / 1e3)
            server.kill()
            away = self.hooks(sidecar, "away", "the server is away, PostToolUse", ["PostToolUse"], disk)
            self.judge("A12 what that adds at p99: ms", (away["p99_us"] - tools["p99_us"]) / 1e3, ADDED_US / 1e3)
            asking = self.hooks(sidecar, "asking", "the server is away, UserPromptSubmit", ["UserPromptSubmit"], disk, bars=False)
            self.judge("UserPromptSubmit, the server is away: p99 in ms", asking["p99_us"] / 1e3, AWAY_US / 1e3)
            server.start()
            self.judge("all is delivered when it is back: pending", int(not self.drained(sidecar)), 0)
            self.size(sidecar)
        finally:
            sidecar.kill()
            server.kill()

    def size(self, sidecar):
        """K43. Each turn has a prompt, eight tool results, and an answer."""
        self.events("many", self.options.events, ["UserPromptSubmit"] + ["PostToolUse"] * 8 + ["Stop"])
        took = self.load(sidecar, 8, 0, "many")
        self.drained(sidecar)
        resident, anonymous = programs.resident(sidecar.pid)
        status = wire.ask(sidecar.api, "GET", "/v1/status")[1]
        self.say(f"{self.options.events:,} events, 8 at a time, a second", f"{took['per_s']:.0f}",
                 f"refused {took['refused']}; accepted {status['accepted']}, dead {status['dead']}; "
                 f"state.db {os.path.getsize(self.file('sidecar/state/state.db')) / 2**20:.0f} MiB")
        self.judge(f"K43 resident after {self.options.events:,} events: MiB", resident / 1024, RESIDENT_MIB)
        self.say("of it anonymous: MiB", f"{anonymous / 1024:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="agent-memory-bench-")
    try:
        return SidecarBench(options, folder).all()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
