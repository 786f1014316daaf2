#!/usr/bin/env python3
"""Sends the requests of the AgentOps console and the AgentOps runtime, written from their public sources, to the built
server, and decodes each answer like Go's encoding/json into typed fields, then the fields that the console's page
reads. Does not run the programs of AgentOps, and does not test our additions.

    agentops_clients.py       the program from build/release/bin or $AGENT_MEMORY_BIN

The last line is 'N passed, M failed'."""
import http.client
import json
import os
import shutil
import sys
import tempfile
import urllib.parse
import uuid

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import programs  # noqa: E402
from checks import Checks  # noqa: E402

# The headers that Go's HTTP client adds to each request.
GO = {"User-Agent": "Go-http-client/1.1", "Accept-Encoding": "gzip"}
RUNTIME_READS_BYTES = 2 << 20  # the runtime drops the rest of an answer

OBSERVATION = {"id": int, "session_id": str, "type": str, "title": str, "content": str, "tags?": [str], "project": str,
               "scope": str, "topic_key?": str, "normalized_hash?": str, "revision_count": int, "duplicate_count": int,
               "last_seen_at?": str, "promoted_to?": str, "created_at": str, "updated_at": str}
CREATED = {"id": int, "action": str, "revision_count": int, "duplicate_count": int}
SESSION = {"id": str, "project": str, "started_at": str, "ended_at?": str, "summary?": str, "message_count": int}
HIT = {"id": int, "type": str, "title": str, "content": str, "rank": float, "topic_key?": str}
CONTEXT = {"recent_observations": [{"type": str, "title": str, "content": str}], "recent_sessions": [{"summary": str}]}
STATS = {"total_sessions": int, "total_observations": int, "projects": [str]}
NEIGHBOUR = {"id": int, "type": str, "title": str, "content": str, "created_at": str}


class Mismatch(Exception):
    """Go's decoder refuses the answer, or a displayed field is missing."""


def decoded(value, shape, where="answer"):
    """Decodes like encoding/json into a struct: an int only from digits, no string for a number, unknown fields are
    ignored. Stricter in one rule: a field is present and not null unless its name in `shape` ends in '?'."""
    if isinstance(shape, list):
        if not isinstance(value, list):
            raise Mismatch(f"{where} is no array: {value!r}")
        return [decoded(item, shape[0], f"{where}[{place}]") for place, item in enumerate(value)]
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise Mismatch(f"{where} is no object: {value!r}")
        fields = {}
        for name, inner in shape.items():
            optional, name = name.endswith("?"), name.removesuffix("?")
            if value.get(name) is not None:
                fields[name] = decoded(value[name], inner, f"{where}.{name}")
            elif not optional:
                raise Mismatch(f"{where}.{name} is missing")
        return fields
    good = (int, float) if shape is float else shape
    if not isinstance(value, good) or isinstance(value, bool) or shape is int and not -2**63 <= value < 2**63:
        raise Mismatch(f"{where} is no {shape.__name__}: {value!r}")
    return value


def no_constant(name):
    raise Mismatch(f"{name} is no JSON")


class Service:
    """One keep-alive connection to the memory service, like that of Go's client."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=60)

    def call(self, method, path, shape, body=None, query=None, chunked=False, headers=None):
        """→ the decoded answer; Mismatch with the start of the body for a status of 400 or more."""
        if query:  # sorted, like Go's url.Values.Encode
            path += "?" + urllib.parse.urlencode(sorted(query.items()))
        head, raw = {**GO, **(headers or {})}, None
        if body is not None:
            head["Content-Type"] = "application/json"
            raw = json.dumps(body, ensure_ascii=False).encode()
            if chunked:  # the console's server forwards a body while reading it, without a length
                head["Transfer-Encoding"] = "chunked"
                raw = iter([raw])
        self.connection.request(method, path, body=raw, headers=head, encode_chunked=chunked)
        answer = self.connection.getresponse()
        text = answer.read(RUNTIME_READS_BYTES + 1)
        if len(text) > RUNTIME_READS_BYTES:
            raise Mismatch(f"{method} {path}: over {RUNTIME_READS_BYTES} bytes")
        if answer.status >= 400 or answer.getheader("Content-Encoding"):
            raise Mismatch(f"{method} {path}: {answer.status} {text[:300]}")
        if answer.status == 204:
            return None
        return decoded(json.loads(text, parse_constant=no_constant), shape, f"{method} {path}")


class Console:
    """The requests of the console's page, as the console's server forwards them: with the project added, and with the
    session of all observations that are written by hand."""

    def __init__(self, service, namespace, agent, project):
        self.service, self.project, self.session = service, project, f"console-{namespace}-{agent}"

    def get(self, path, shape, **query):
        scoped = path.endswith("/recent") or path in ("/search", "/context", "/stats")
        return self.service.call("GET", path, shape, query={**({"project": self.project} if scoped else {}), **query})

    def remember(self, **observation):
        self.service.call("POST", "/sessions", {}, {"id": self.session, "project": self.project})
        return self.service.call("POST", "/observations", CREATED,
                                 {**observation, "project": self.project, "session_id": self.session})

    def edit(self, number, **fields):
        return self.service.call("PATCH", f"/observations/{number}", OBSERVATION, fields, chunked=True)

    def delete(self, number, **query):
        return self.service.call("DELETE", f"/observations/{number}", None, query=query)


class Runtime:
    """The requests of an agent's runtime: before each turn, from its three tools and its hooks, and at its end."""

    def __init__(self, service, project):
        self.service, self.project, self.session = service, project, str(uuid.uuid4())
        self.traced = {"Traceparent": f"00-{uuid.uuid4().hex}-{uuid.uuid4().hex[:16]}-01"}

    def call(self, method, path, shape, body=None, query=None):
        return self.service.call(method, path, shape, body, query, headers=self.traced)

    def begin(self):
        return self.call("POST", "/sessions", {}, {"id": self.session, "project": self.project})

    def save(self, **observation):
        return self.call("POST", "/observations", {},
                         {**observation, "session_id": self.session, "project": self.project})

    def context(self, limit, prompt=""):
        query = {"project": self.project, "limit": str(limit)}
        if prompt:
            query["query"] = prompt.encode()[:500]  # 500 bytes, which may cut the last character
        return self.call("GET", "/context", CONTEXT, query=query)

    def search(self, text, limit):
        return self.call("GET", "/search", [HIT], query={"q": text, "project": self.project, "limit": str(limit)})

    def end(self, messages):
        return self.call("POST", f"/sessions/{self.session}/end", {}, {"messages": messages} if messages else {})


def runtime_story(checks, service):
    checks.chapter("the runtime")
    runtime = Runtime(service, "my-agent")
    runtime.begin()
    checks.equal(runtime.context(5, "what do we know?"), {"recent_observations": [], "recent_sessions": []},
                 "a first turn has nothing")
    runtime.save(type="decision", title="Storage", content="SQLite keeps the memories.", tags=["database"])
    runtime.save(type="discovery", title="Auto-captured: bash — make", content="error: <b> & \"quotes\"\n\u2028\U0001f600",
                 scope="project", tags=["auto-capture", "hook", "bash"])
    for kind, topic in (("audit", "audit/bash"), ("security", "security/blocked_command")):
        for _ in range(2):
            runtime.save(type=kind, title=f"{kind} of bash", content="Tool: bash", scope="project", topic_key=topic,
                         tags=[kind, "hook", "bash"])
    checks.that(True, "the tool and the hooks save")
    found = runtime.search("which database keeps memories?", 10)
    checks.equal([hit["title"] for hit in found], ["Storage"], "mem_search finds")
    checks.that(found and found[0]["rank"] < 0, "with a rank", found)
    titles = [row["title"] for row in runtime.context(5)["recent_observations"]]
    checks.equal(sorted(titles), ["Auto-captured: bash — make", "Storage"], "mem_context lists the newest, no audit")
    for prompt in ("ü" * 400 + " storage", "x" + "ü" * 400, "x" * 499 + "€", "x" * 498 + "\U0001f600", "memories " * 90):
        context = runtime.context(5, prompt)
        checks.equal(len(context["recent_observations"]), 2, f"a prompt of {len(prompt.encode())} bytes, cut at 500")
    runtime.end([{"role": "user", "content": "Fix the timeout"}, {"role": "assistant", "content": "[tool_call: bash]"},
                 {"role": "tool", "content": "done"}, {"role": "assistant", "content": "x" * 5000 + "..."}])
    again = Runtime(service, "my-agent")
    again.session = runtime.session  # a restarted runtime restores the session from its checkpoint
    again.begin()
    again.save(type="lesson", title="Retries", content="Retry with jitter.")
    again.end([])
    sessions = again.context(5, "timeout")["recent_sessions"]
    checks.that(len(sessions) == 1 and "Fix the timeout" in sessions[0]["summary"], "a summary for the next turn", sessions)


def console_story(checks, service):
    checks.chapter("the console")
    console = Console(service, "agents", "my-agent", "my-agent")
    listed = console.get("/observations/recent", [OBSERVATION], limit="50")
    checks.that(len(listed) >= 3, "lists what the runtime saved", listed)
    made = console.remember(type="pattern", title="Rollout", content="Always one pod at a time.")
    checks.equal(made["action"], "created", "remembers")
    console.remember(type="learning", title="Extracted", content="From a conversation.", tags=None)
    console.remember(type="config", title="Chosen", content="By topic.", tags=["a"], scope="global", topic_key="choice")
    decisions = console.get("/observations/recent", [OBSERVATION], limit="50", type="decision", scope="project")
    checks.equal([row["title"] for row in decisions], ["Storage"], "filters by type and scope")
    row = console.get(f"/observations/{made['id']}", OBSERVATION)
    checks.equal((row["title"], row["session_id"], row["project"]), ("Rollout", "console-agents-my-agent", "my-agent"), "shows one")
    changed = console.edit(made["id"], title="Rollouts", content="Two at a time, over one connection.")
    checks.equal((changed["title"], changed["type"]), ("Rollouts", "pattern"), "edits, with a body that has no length")
    hits = console.get("/search", [HIT], q="rollouts time", limit="20")
    checks.that([hit["id"] for hit in hits] == [made["id"]], "finds what was edited", hits)
    checks.equal(console.get("/search", [HIT], q="rollouts", type="decision", limit="20"), [], "finds nothing of another type")
    context = console.get("/context", CONTEXT)
    checks.that(context["recent_observations"] and context["recent_sessions"], "shows the context", context)
    stats = console.get("/stats", STATS)
    checks.that(stats["total_observations"] >= 6 and stats["projects"] == ["my-agent"], "counts", stats)
    sessions = console.get("/sessions/recent", [SESSION], limit="20")
    checks.equal(sorted("ended_at" in session for session in sessions), [False, True], "lists sessions, ended or not")
    around = console.get("/timeline", [NEIGHBOUR], observation_id=str(made["id"]), before="2", after="2")
    checks.that(made["id"] in [entry["id"] for entry in around], "shows what was around it", around)
    checks.that(console.delete(made["id"]) is None, "forgets: 204")
    checks.that(console.delete(made["id"], hard="true") is None, "and erases")
    left = [row["id"] for row in console.get("/observations/recent", [OBSERVATION], limit="50")]
    checks.that(made["id"] not in left and len(left) == len(listed) + 2, "lists the others", left)


def decoding(checks):
    checks.chapter("the decoder refuses what Go refuses")
    for value, shape in ((1.0, int), (True, int), ("1", int), (2**63, int), ("1", float), (1, str), ({}, [str]),
                         ([1], [str]), ({"a": None}, {"a": str}), ([], {"a?": str})):
        try:
            checks.that(False, f"{value!r} as {shape}", decoded(value, shape))
        except Mismatch:
            checks.that(True, f"{value!r} as {shape}")


def main():
    checks = Checks()
    folder = tempfile.mkdtemp(prefix="agent-memory-agentops-")
    server = programs.server(folder)
    try:
        decoding(checks)
        service = Service(server.start().api)
        runtime_story(checks, service)
        console_story(checks, service)
    except (Exception, SystemExit) as failure:  # counts as a failed check
        checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
