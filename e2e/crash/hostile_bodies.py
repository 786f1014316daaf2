"""Hostile requests to the routes of conversations, working memory, ledger, items, episodes, shared memory, traces and turns:
fields of wrong types, huge and deep fields, names of a megabyte, malformed JSON, invalid ids and queries. Each must be
refused or answered, not with 500 and not slowly, and a refused request must change nothing."""
import concurrent.futures
import copy
import http.client
import json
import re
import socket
import time

import programs
import wire

SLOW_S = 15  # also with sanitizers
GROWTH_KIB = 128 * 1024  # some answers have 8 MiB; their memory is reused
HALF_OPEN = 32  # the sidecar accepts 64 connections
MEGABYTE = "n" * 1_000_000
MESSAGE = {"role": "assistant", "content": "x", "tool_calls": [{"id": "c1", "type": "function", "function": {
    "name": "bash", "arguments": "{}"}}]}
# Method, path, and a good body, each field of which is then replaced; in an order in which all good bodies succeed.
ROUTES = (
    ("PUT", "/working-memory/c", {"fields": {"scratchpad": "s", "entities": [{"a": 1}], "n": 1}, "ttl_seconds": 60}),
    ("DELETE", "/working-memory/c", {"fields": ["absent"]}),
    ("POST", "/ledger/c/mark", {"item": "skill:x", "value": "v"}),
    ("POST", "/ledger/c/check", {"item": "skill:x", "value": "v"}),
    ("POST", "/ledger/c/evict", {"item": "skill:y"}),
    ("POST", "/conversations/c/messages", {"messages": [{"role": "user", "content": "look"}, MESSAGE], "toolMeta": {"c1": {}}}),
    ("PUT", "/conversations/c/state", {"state": "open"}),
    ("POST", "/conversations/c/blocks", {}),
    ("POST", "/conversations/c/blocks/close", {"outcome": "done"}),
    ("PUT", "/conversations/c/working", {"task": "t", "files_read": ["a"], "files_modified": ["b"], "actions": ["run"],
                                         "plan": {"goal": "g", "steps": [{"text": "one", "status": "pending"}]},
                                         "budget": {"used_tokens": 1, "window_tokens": 10}}),
    ("PUT", "/conversations/c/snapshot", {"task": "t", "files_read": ["a"], "files_modified": ["b"],
                                          "plan": {"goal": "g", "steps": [{"text": "one", "status": "completed"}]}}),
    ("PUT", "/conversations/c/checkpoint", {"step": 1, "messages": [{"role": "user", "content": "look"}, MESSAGE], "memory": {"a": 1},
                                            "tool_state": {"b": [2]}, "ttl": "24h"}),
    ("PUT", "/items/k", {"value": {"a": [1]}, "metadata": {"m": 1}, "ttl": "24h"}),
    ("PATCH", "/items/k", {"value": 2, "metadata": {}, "ttl": 0}),
    ("POST", "/items/consider", {"user_input": "I prefer tea", "answer": "noted"}),
    ("POST", "/episodic/store", {"conversation_id": "c", "agent_id": "coder", "summary": "s", "user_id": "u",
                                 "key_decisions": ["d", {"a": 1}], "entities": ["e"], "tools_used": ["bash"], "metadata": {"m": 1},
                                 "created_at": "2026-01-01T00:00:00Z"}),
    ("POST", "/episodic/search", {"query": "s", "agent_id": "coder", "user_id": "u", "top_k": 5, "min_similarity": 0}),
    ("PUT", "/shared/coder/k?as=coder", {"a": 1}),
)
# A word in capitals stands for the id of a trace, RUN for that of a run of consolidation.
TRACE_ROUTES = (
    ("POST", "/traces?conversation=c", {"content": "I like tea", "type": "prospective", "scope": "thread", "tags": ["t"], "remindAt": "2030-01-01T00:00:00Z",
                                        "emotions": {"valence": 0.5}, "metadata": {"importance": 1}, "source": {"origin": "agent"}}),
    ("PATCH", "/traces/PATCHED", {"content": "changed", "tags": ["t"], "source": {"tool": "x"}, "replace_user": False}),
    ("PUT", "/traces/FROM/edges/TO", {"kind": "about", "weight": 0.5}),
    ("DELETE", "/traces/FROM/edges/TO", {}),
    ("POST", "/traces/merge", {"traceIds": ["LEFT", "RIGHT"], "content": "both"}),
    ("POST", "/traces/UNMERGED/unmerge", {}),
    ("POST", "/traces/search", {"query": '"tea" AND NOT (a OR b*) NEAR(c d, 3)', "type": "episodic", "scope": "user", "limit": 5, "mood": {"valence": 0.5}}),
    ("POST", "/traces/reflect", {"topic": "t", "dryRun": True, "source": {"origin": "agent"}}),
    ("POST", "/traces/reflect/runs/RUN/undo", {}),
    ("DELETE", "/traces/DELETED", {"reason": "old"}),
    ("POST", "/ingest/turns", {"user": "I prefer tea", "assistant": "noted", "conversation": "c", "source": {"origin": "agent"},
                               "settings": {"storage": {"autoIngest": {"enabled": True, "importanceThreshold": 0.4, "maxPerTurn": 3}},
                                            "personality": {"openness": 0.9}}}),
)
TRACES = ("PATCHED", "FROM", "TO", "LEFT", "RIGHT", "UNMERGED", "DELETED")
NAMED = re.compile("|".join((*TRACES, "RUN")))
NAMED_ID = re.compile(r"(mt_)?[0-9a-f]{8}-[0-9a-f-]{27}")
TRACE_READS = ("/traces/{}", "/traces/{}/original", "/ingest/turns/{}")
TRACE_QUERIES = (("/traces/due?", ("limit", "conversation", "project")), ("/traces/reflect/runs?", ("limit",)), ("/traces/mt_none?", ("deleted",)))
READS = ("/working-memory/{}", "/ledger/{}", "/conversations/{}/messages", "/conversations/{}/blocks", "/conversations/{}/blocks/0",
         "/conversations/{}/context?max_tokens=9000", "/conversations/{}/render", "/conversations/{}/snapshot", "/conversations/{}/checkpoint", "/conversations/{}/checkpoints", "/items/{}",
         "/episodic/{}", "/shared/coder/{}?as=coder")
IDS = ("%00", "%0a", "%0d%0aX:%201", "..%2f..", "%ff%fe", "%zz", "%ed%a0%80", "x" * 201, "x" * 60_000, "%25", "a%2fb", "'%20OR%201=1--")
ODD = ("", "-1", "0", "1e3", "0x10", "99999999999999999999999", "9223372036854775807", "%00", "%f0", "x" * 9000, "1&{}=2")


def queries(places):
    return tuple(f"{path}{name}={value.format(name)}" for path, names in places for name in names for value in ODD)


QUERIES = queries((
    ("/ledger/c?", ("limit", "cursor")), ("/conversations?", ("limit", "cursor", "state")),
    ("/conversations/c/messages?", ("max_tokens", "from", "to", "limit", "cursor", "newest", "max_bytes")),
    ("/conversations/c/blocks?", ("limit", "cursor")), ("/conversations/c/blocks/0?", ("form", "limit", "cursor")),
    ("/conversations/c/context?", ("max_tokens",)), ("/conversations/c/checkpoint?", ("generation",)), ("/conversations/c/render?", ("max_chars",)),
    ("/conversations/c/blocks/", ("",)), ("/items?", ("query", "limit", "project")), ("/items/render?", ("limit",)),
    ("/shared?", ("agent", "as"))))
VALUES = (None, True, -1, 2 ** 63, 1e308, "", "x", "\x7f\u2028\ud7ff\U0010ffff", [], [None], [[]], {}, {"": None}, {MEGABYTE: 1}, MEGABYTE,
          ["y"] * 20_000, [{}] * 5_000, {str(n): n for n in range(10_000)})
RAW = (b"", b"null", b"[]", b'"x"', b"1", b"{", b'{"a": 1}{"a": 1}', b"[" * 65 + b"]" * 65, b"[" * 200_000, b'{"a":' * 5000,
       b'{"item": "\\ud800"}', b'{"fields": {"\\udc00": 1}}', b'{"item": "a\\u0000b"}', b'{"fields": {"a\\u0000": 1}}',
       b'{"fields": {"a": 1, "a": 2}}', b'{"item": "a", "item": "b"}', b'{"summary": "\xff\xfe"}', b'{"a": 1e999}', b'{"a": NaN}',
       b"\xef\xbb\xbf{}", b'{"fields": {' + b",".join(b'"%d": 1' % n for n in range(20_000)) + b"}}")


def bodies(good):
    """Yields (description, bytes): RAW, and the good body with each of its fields replaced by each of VALUES."""
    yield from ((repr(raw[:30]), raw) for raw in RAW)
    for path in paths(good):
        for value in VALUES:
            made = replaced(good, path, value)
            yield f"{'.'.join(map(str, path))} = {json.dumps(value)[:30]}", json.dumps(made).encode()


def paths(value, at=()):
    """Yields the path of every value inside, outermost first."""
    if at:
        yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield from paths(each, (*at, name))


def replaced(value, path, by):
    value = copy.deepcopy(value)
    inner = value
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = by
    return value


def ask(connection, method, path, raw=None, content_type="application/json"):
    """→ (status, text, seconds); status 0: no answer."""
    started = time.monotonic()
    try:
        connection.request(method, path, body=raw, headers={"Content-Type": content_type} if raw is not None else {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace"), time.monotonic() - started
    except (OSError, http.client.HTTPException) as failure:
        connection.close()
        return 0, f"{type(failure).__name__}: {failure}", time.monotonic() - started


def connect(program):
    host, port = program.api.rsplit(":", 1)
    return http.client.HTTPConnection(host, int(port), timeout=60)


def bad(status, text, seconds):
    """→ the fault of an answer, or None. An answer must be in time and no internal error, and an error needs the fields
    error and code. 502 and 503 are correct for a sidecar whose server refuses or is busy."""
    if seconds > SLOW_S:
        return f"{seconds:.1f} s"
    if status in (0, 500) or status > 507:
        return f"{status} {text[:160]}"
    if status >= 400 and not all(name in text for name in ('"error"', '"code"')):
        return f"{status} without error and code: {text[:160]}"
    return None


def attack_route(program, method, path, good):
    """→ (number of requests, faults)"""
    connection, wrong, count = connect(program), [], 0
    status, text, _ = ask(connection, method, path, json.dumps(good).encode())
    if status >= 400 and status != 409:
        wrong.append(f"the good body: {status} {text[:160]}")
    for what, raw in bodies(good):
        count += 1
        why = bad(*ask(connection, method, path, raw))
        if why:
            wrong.append(f"{what}: {why}")
    connection.close()
    return count, wrong


def attack_reads(program, reads=READS, targets=QUERIES):
    connection, wrong, count = connect(program), [], 0
    for target in [path.format(name) for path in reads for name in IDS] + list(targets):
        count += 1
        why = bad(*ask(connection, "GET", target))
        if why:
            wrong.append(f"{target[:80]}: {why}")
    connection.close()
    return count, wrong


def with_traces(program, routes):
    """→ the routes with an id for each name in them. The traces have scope organization, which no consolidation touches. Each
    program gets its own traces, since an agent cannot hide those that were added at the server."""
    def ask(path, body):
        return wire.ask(program.api, "POST", path, body)[1]

    def add(name):
        return ask("/traces", {"content": f"a trace called {name} by {program.api}", "scope": "organization"})["traceId"]

    ids = {"RUN": ask("/traces/reflect", {})["runId"], **{name: add(name) for name in TRACES}}
    ids["UNMERGED"] = ask("/traces/merge", {"traceIds": [ids["UNMERGED"], add("another")]})["mergedTraceId"]
    wire.ask(program.api, "PUT", f"/traces/{ids['FROM']}/edges/{ids['TO']}")
    return json.loads(NAMED.sub(lambda name: ids[name[0]], json.dumps(routes)))


def refused_merge_changes_nothing(checks, program):
    ids = [wire.ask(program.api, "POST", "/traces", {"content": text})[1]["traceId"] for text in ("still one", "still two")]
    statuses = [wire.ask(program.api, "POST", "/traces/merge", body)[0] for body in (
        {"traceIds": [*ids, "mt_none"]}, {"traceIds": ids, "content": "c" * 50_001}, {"traceIds": [ids[0]] * 101}, {"traceIds": [*ids, 7]})]
    after = [wire.ask(program.api, "GET", f"/traces/{name}") for name in ids]
    checks.equal((statuses, [status for status, _ in after]), ([400] * 4, [200] * 2), "merges that are partly wrong are refused and change nothing")


def refusals_change_nothing(checks, program):
    """A refused request changes nothing, also if most of its fields are good."""
    connection = connect(program)
    base = {"fields": {"kept": "1"}}
    ask(connection, "PUT", "/working-memory/still", json.dumps(base).encode())
    before = [ask(connection, "GET", path.format("still"))[:2] for path in READS[:2]]
    statuses = [ask(connection, "PUT", "/working-memory/still", json.dumps(body).encode())[0] for body in (
        {"fields": {"new": 1, "scratchpad": 1}}, {"fields": {"new": 1}, "ttl_seconds": 0}, {"fields": {"new": 1, "big": "b" * 65_536}},
        {"fields": {"new": 1, "entities": ["x"]}})]
    statuses.append(ask(connection, "POST", "/ledger/still/mark", b'{"item": "a", "value": ""}')[0])
    after = [ask(connection, "GET", path.format("still"))[:2] for path in READS[:2]]
    checks.equal(statuses, [400, 400, 413, 400, 400], "fields and marks that are partly wrong are refused")
    told = [[{k: v for k, v in json.loads(text).items() if k != "expires_at"} for _, text in each] for each in (before, after)]
    checks.equal(told[1], told[0], "they change nothing")
    connection.close()


def half_open(checks, program):
    """Requests whose bodies never arrive do not delay other requests."""
    host, port = program.api.rsplit(":", 1)
    held = []
    try:
        for number in range(HALF_OPEN):
            held.append(socket.create_connection((host, int(port)), timeout=10))
            held[-1].sendall(f"PUT /working-memory/half{number} HTTP/1.1\r\nHost: {program.api}\r\nContent-Type: application/json\r\n"
                             'Content-Length: 5000\r\n\r\n{"fields": {'.encode())
        status, text, seconds = ask(connect(program), "PUT", "/working-memory/whole", b'{"fields": {"a": 1}}')
        checks.that(status == 200 and seconds < SLOW_S, f"{HALF_OPEN} half bodies: a whole one is taken in {seconds:.2f} s", text)
        status, text, _ = ask(connect(program), "GET", "/working-memory/half0")
        checks.equal(json.loads(text)["fields"], {}, "half a body is none")
    finally:
        for each in held:
            each.close()


def attack(checks, name, program):
    """Sends all requests to one program, which must then still serve a good request."""
    checks.chapter(f"{name}: hostile bodies, ids and queries")
    before = programs.resident(program.pid)[1]
    for method, path, good in ROUTES:  # some need the results of those before them, and the pool keeps no order
        if path.startswith("/conversations/"):
            wire.ask(program.api, method, path, good)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        attacked = [*ROUTES, *with_traces(program, TRACE_ROUTES)]
        routes = [(f"{method} {NAMED_ID.sub('{id}', path)}", pool.submit(attack_route, program, method, path, good)) for method, path, good in attacked]
        routes.append(("ids and queries", pool.submit(attack_reads, program)))
        routes.append(("ids and queries of traces", pool.submit(attack_reads, program, TRACE_READS, queries(TRACE_QUERIES))))
        for what, done in routes:
            count, wrong = done.result()
            checks.that(not wrong, f"{what}: {count} requests, {len(wrong)} wrong", wrong[:4])
    refusals_change_nothing(checks, program)
    refused_merge_changes_nothing(checks, program)
    half_open(checks, program)
    checks.that(program.running, "the process is alive", program.tail())
    after = programs.resident(program.pid)[1]
    checks.that(after - before < GROWTH_KIB, f"RssAnon {before} → {after} KiB")
    checks.equal(wire.ask(program.api, "GET", "/health")[0], 200, "the next good request is served")
