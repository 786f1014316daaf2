#!/usr/bin/env python3
"""Plays turns of an agent with tracing, with the real programs and a receiver that decodes OTLP, and checks
the received spans: one trace through agent, sidecar and server, the injected memories, and no content in
spans, logs or metrics. trace_export_test.cc tests the exporter's limits.

    traces_test.py       programs from build/release/bin or $AGENT_MEMORY_BIN

The last line is 'N passed, M failed'."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import programs  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402
from otlp_receiver import Receiver  # noqa: E402

SAMPLE = os.path.join(programs.ROOT, "config/samples/agent.yaml")
SERVER, SIDECAR = "agent-memory-server", "agent-memory-sidecar"
FIELDS = {"id", "type", "title", "rank", "method"}
CANARIES = {what: f"canary{what}bird" for what in
            ("prompt", "output", "argument", "token", "content", "query", "path", "header", "method", "reply")}
WAIT_S = 10  # after which an exporter gives an export up
LONG_TITLE = "Ü" * 400  # over the limit of an attribute's text; a cut inside a character would break UTF-8


class Play:
    """The programs and one conversation."""

    def __init__(self, folder, checks, endpoint):
        self.checks, self.folder = checks, folder
        environment = {"AGENT_MEMORY_LOG_LEVEL": "debug", "AGENT_MEMORY_OTLP_ENDPOINT": endpoint}
        self.server = programs.server(folder, environment=environment).start()
        programs.render(SAMPLE, folder, "http://" + self.server.api)
        token = os.path.join(folder, "token")
        with open(token, "w", encoding="utf-8") as file:
            file.write(CANARIES["token"])
        self.sidecar = programs.sidecar(folder, os.path.join(folder, "policy.json"),
                                        environment={**environment, "AGENT_MEMORY_TOKEN_FILE": token}).start()
        if not self.sidecar.ready():
            raise SystemExit(f"the sidecar is not ready:\n{self.sidecar.tail()}")

    def hook(self, name, trace=None, **fields):
        headers = {"traceparent": f"00-{trace}-{AGENT_SPAN}-01"} if trace else {}
        status, answer = wire.ask(self.sidecar.api, "POST", "/v1/hooks",
                                  {"hook_event_name": name, "session_id": "talk", **fields}, headers)
        self.checks.equal(status, 200, f"{name} is answered")
        return answer.get("hookSpecificOutput", {}).get("additionalContext", "")

    def delivered(self):
        """Waits until the outbox is empty."""
        def empty():
            _, status = wire.ask(self.sidecar.api, "GET", "/v1/status")
            return isinstance(status, dict) and status["accepted"] > 0 and status["pending"] == 0
        self.checks.that(wire.until(empty, 60), "what was captured is delivered")

    def text(self):
        """The metrics and logs of both programs."""
        said = "".join(wire.ask(p.admin, "GET", "/metrics")[1] for p in (self.server, self.sidecar))
        for log in (self.server.log, self.sidecar.log):
            with open(log, encoding="utf-8", errors="replace") as file:
                said += file.read()
        return said

    def end(self):
        took = programs.stopwatch()
        codes = [p.stop() for p in (self.sidecar, self.server)]
        return codes, took()


AGENT_SPAN = "00f067aa0ba902b7"
TURN, TOOL, SEARCH = ("%032x" % n for n in (0xA1, 0xA2, 0xA3))


def play(run):
    checks, api = run.checks, run.server.api
    run.hook("UserPromptSubmit", prompt=f"compile it {CANARIES['prompt']}")
    status, _ = wire.ask(api, "POST", "/observations", {
        "session_id": "s", "project": "coder", "type": "decision", "title": LONG_TITLE,
        "content": f"the linker needs {CANARIES['content']}"})
    checks.equal(status, 201, "a memory with a long title is there")
    run.hook("PostToolUse", TOOL, tool_name="bash", tool_use_id="t1",
             tool_input={"command": "make"}, tool_response="x" * 300 + "\nfatal error\n" + CANARIES["output"])
    run.delivered()
    injected = run.hook("UserPromptSubmit", TURN, prompt=f"why does the linker fail {CANARIES['prompt']}")
    checks.that(CANARIES["content"] in injected, "the memory is in the prompt", injected)
    found = run.hook("PreToolUse", SEARCH, tool_name="bash", tool_use_id="t2",
                     tool_input={"command": "linker fatal error"})
    checks.equal(found, "", "a search before a tool is not injected")
    run.hook("Stop", last_assistant_message=f"it is {CANARIES['reply']}")
    refused(run)


def refused(run):
    """Sends requests that get an error, and whose text could leak into a log."""
    secret = {"Authorization": "Bearer " + CANARIES["token"], "X-Request-Id": "r-1", "Cookie": CANARIES["header"]}
    for program in (run.server, run.sidecar):
        wire.ask(program.api, "GET", f"/nowhere/{CANARIES['path']}?q={CANARIES['query']}", headers=secret)
        wire.ask(program.api, CANARIES["method"], "/context", headers=secret)
        wire.ask(program.api, "GET", f"/search?q={CANARIES['query']}&limit=x&syntax=fts5", headers=secret)
        wire.ask(program.api, "GET", f"/search?q=%22{CANARIES['query']}&syntax=fts5", headers=secret)
        wire.ask(program.api, "POST", "/observations", {"title": CANARIES["content"], "type": "x" * 60}, secret)
        wire.ask(program.api, "POST", "/v1/hooks", {"hook_event_name": CANARIES["argument"]}, secret)
        wire.ask(program.api, "POST", "/sessions", [CANARIES["content"]], secret)


def joined(checks, receiver):
    def arrived():
        return (receiver.find(SERVER, "GET /context", TURN) and receiver.find(SIDECAR, "POST /v1/hooks", TURN)
                and receiver.find(SERVER, "GET /search", SEARCH) and receiver.find(SIDECAR, "deliver observation"))
    checks.that(wire.until(arrived, 60), "the spans arrive", receiver.spans)
    checks.equal(receiver.faults, [], "every batch is sound OTLP")
    chain = [(SIDECAR, "POST /v1/hooks"), (SIDECAR, "turn"), (SIDECAR, "recall"), (SERVER, "GET /context"),
             (SERVER, "store.recall")]
    parent = AGENT_SPAN
    for service, name in chain:
        spans = receiver.find(service, name, TURN)
        checks.equal([s.parent for s in spans], [parent], f"{service}: '{name}' is a child of the span before it")
        parent = spans[0].id if spans else ""
    for name in ("capture", "commit"):
        turn = receiver.find(SIDECAR, "turn", TURN)
        checks.equal([s.parent for s in receiver.find(SIDECAR, name, TURN)], [s.id for s in turn],
                     f"'{name}' is a part of the turn")


def events(checks, receiver):
    for service, name in ((SERVER, "GET /context"), (SIDECAR, "turn")):
        span = (receiver.find(service, name, TURN) or [None])[0]
        told = [fields for event, fields in span.events if event == "context.injected"] if span else []
        checks.that(told and all(set(fields) == FIELDS for fields in told),
                    f"{service} tells of each injected memory: id, type, title, rank, method", told)
        checks.that(any(len(f["title"]) == 256 for f in told), "a long title is cut between characters", told)
        checks.that(all(f["rank"] <= 0 and f["method"] in ("fts5_bm25", "fused", "embedding", "recency") for f in told),
                    "rank and method", told)
    span = (receiver.find(SIDECAR, "turn", SEARCH) or [None])[0]
    names = [event for event, _ in span.events] if span else []
    checks.that(names and set(names) == {"context.found"}, "a search before a tool is on the trace only", names)
    hook = (receiver.find(SIDECAR, "POST /v1/hooks", TURN) or [None])[0]
    checks.that(hook and hook.attributes.get("http.response.status_code") == 200
                and hook.attributes.get("http.request.body.size", 0) > 50, "status and size of a request",
                hook and hook.attributes)


def delivery(checks, receiver):
    turn = (receiver.find(SIDECAR, "turn", TOOL) or [None])[0]
    sent = [s for s in receiver.find(SIDECAR, "deliver observation") if turn and (TOOL, turn.id) in s.links]
    checks.that(sent and all(s.trace != TOOL for s in sent), "a delivery is a trace of its own, linked to its turn",
                receiver.find(SIDECAR, "deliver observation"))
    for span in sent:
        checks.equal([s.parent for s in receiver.find(SERVER, "POST /observations", span.trace)], [span.id],
                     "and the server's span is its child")


def silent(checks, receiver, said):
    for what, word in CANARIES.items():
        checks.that(word not in said, f"no {what} in logs and metrics",
                    [line[:300] for line in said.splitlines() if word in line])
        checks.that(word.encode() not in receiver.bytes, f"no {what} in spans",
                    [s for s in receiver.spans if word in repr((s.name, s.attributes, s.events))])


def maps(program):
    with open(f"/proc/{program.pid}/maps", encoding="utf-8") as file:
        return "opentelemetry" in file.read()


def without_endpoint(checks, folder):
    run = Play(folder, checks, "")
    try:
        for program in (run.server, run.sidecar):
            checks.that(not maps(program), f"{program.name} without an endpoint has nothing of OpenTelemetry loaded")
        run.hook("UserPromptSubmit", TURN, prompt="hello")
    finally:
        run.end()


def collector_gone(checks, folder):
    """Without a collector turns do not wait, lost spans are counted, and the programs end in time."""
    run = Play(folder, checks, "http://127.0.0.1:9")
    took = programs.stopwatch()
    run.hook("UserPromptSubmit", TURN, prompt="hello")
    seconds = took()
    checks.that(seconds < WAIT_S, "a turn does not wait for the collector", seconds)
    counted = 'agent_memory_trace_spans_total{fate="failed"}'
    checks.that(wire.until(lambda: counted in wire.ask(run.sidecar.admin, "GET", "/metrics")[1], 60),
                "spans that are lost are counted")
    codes, seconds = run.end()
    checks.that(codes == [0, 0] and seconds < 2 * WAIT_S, "both programs end in time", (codes, seconds))


def bad_endpoint(checks):
    for name in (SERVER, SIDECAR):
        done = subprocess.run([programs.binary(name), "--otlp-endpoint", "collector:4318"], capture_output=True,
                              text=True, check=False, timeout=60)
        checks.that(done.returncode == 64 and "otlp-endpoint" in done.stderr, f"{name} refuses a bad endpoint by name",
                    (done.returncode, done.stderr))


def main():
    checks, folder = Checks(), tempfile.mkdtemp(prefix="agent-memory-traces-")
    with Receiver() as receiver:
        checks.chapter("An agent that traces, two turns, and requests that are refused")
        run = Play(os.path.join(folder, "traced"), checks, receiver.url)
        checks.that(maps(run.server) and maps(run.sidecar), "with an endpoint the exporter is loaded")
        play(run)
        said = run.text()
        codes, _ = run.end()
        checks.equal(codes, [0, 0], "both programs end")
        checks.chapter("One trace: agent, sidecar, server")
        joined(checks, receiver)
        events(checks, receiver)
        delivery(checks, receiver)
        checks.chapter("No content anywhere")
        silent(checks, receiver, said)
    checks.chapter("No endpoint, no collector, a bad endpoint")
    without_endpoint(checks, os.path.join(folder, "quiet"))
    collector_gone(checks, os.path.join(folder, "alone"))
    bad_endpoint(checks)
    if not checks.failed:
        shutil.rmtree(folder)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
