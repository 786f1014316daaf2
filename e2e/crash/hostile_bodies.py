"""Hostile requests to every route of `agent-memory-server openapi`:
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
import routes
import wire

SLOW_S = 15  # also with sanitizers
GROWTH_KIB = 128 * 1024  # some answers have 8 MiB; their memory is reused
HALF_OPEN = 32  # the sidecar accepts 64 connections
MEGABYTE = "n" * 1_000_000
# Rows that the examples of the routes name; those of traces, runs and turns are made for each route.
ROWS = {"$project": "hostile", "$session": "s", "$conversation": "c", "$agent": "coder", "$word": '"tea" AND NOT (a OR b*) NEAR(c d, 3)'}
TRACE = re.compile(r"mt_[0-9a-f]{8}-[0-9a-f-]{27}")
IDS = ("%00", "%0a", "%0d%0aX:%201", "..%2f..", "%ff%fe", "%zz", "%ed%a0%80", "x" * 201, "x" * 60_000, "%25", "a%2fb", "'%20OR%201=1--")
ODD = ("", "-1", "0", "1e3", "0x10", "99999999999999999999999", "9223372036854775807", "%00", "%f0", "x" * 9000, "1&{}=2")

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
    # The agent's policy does not allow imports.
    if status >= 400 and status != 409 and (status, path.split("?")[0]) != (403, "/import"):
        wrong.append(f"the good body: {status} {text[:160]}")
    for what, raw in bodies(good):
        count += 1
        why = bad(*ask(connection, method, path, raw))
        if why:
            wrong.append(f"{what}: {why}")
    connection.close()
    return count, wrong


def attack_reads(program, reads):
    """Replaces each text in a path by each of IDS, and adds each parameter with each value of ODD."""
    connection, wrong, count = connect(program), [], 0
    for operation in reads:
        parameters = operation[2].get("parameters", ())
        path, _, query = routes.request(operation, ROWS)[1].partition("?")
        needed = [pair for pair in query.split("&") if any(each.get("required") and pair.startswith(each["name"] + "=") for each in parameters)]
        named = [operation[1].replace("{" + each["name"] + "}", bad_id) for each in parameters if each["in"] == "path" for bad_id in IDS]
        targets = [re.sub(r"{\w+}", "c", target) + "?" + "&".join(needed) for target in named]
        targets += [path + "?" + "&".join([pair for pair in needed if not pair.startswith(each["name"] + "=")] + [f"{each['name']}={value.format(each['name'])}"])
                    for each in parameters if each["in"] == "query" for value in ODD]
        for target in targets:
            count += 1
            why = bad(*ask(connection, "GET", target))
            if why:
                wrong.append(f"{target[:80]}: {why}")
    connection.close()
    return count, wrong


def saved(program, body):
    """→ the id of an observation; a sidecar delivers it later."""
    answer = wire.ask(program.api, "POST", "/observations", body)[1]
    return answer.get("id") or wire.until(
        lambda: next((row["id"] for row in wire.ask(program.api, "GET", "/observations/recent")[1] if row["content"] == body["content"]), None), 20)


def rows_for(program, name):
    """→ the rows of one route: traces of scope organization, which no consolidation touches. Each route and program gets its
    own, since a route hides them, and an agent cannot hide those that were added at the server."""
    def asked(path, body):
        return wire.ask(program.api, "POST", path, body)[1]

    def trace(which):
        return asked("/traces", {"content": f"a trace {which} for {name} by {program.api}", "scope": "organization", **project})["traceId"]

    project = {"project": ROWS["$project"], "source": {"origin": "agent"}}
    # A session that the server has of another project is none of a sidecar's.
    rows = {**ROWS, "$session": f"s of {program.name}", "$trace": trace("one"), "$other": trace("another")}
    if name == "unmerge_trace":
        rows["$trace"] = asked("/traces/merge", {"traceIds": [rows["$trace"], rows["$other"]], **project})["mergedTraceId"]
    if name == "delete_edge":
        wire.ask(program.api, "PUT", f"/traces/{rows['$trace']}/edges/{rows['$other']}?project={ROWS['$project']}", {})
    if name == "undo_run":
        rows["$run"] = asked("/traces/reflect", project)["runId"]
    if name == "retry_turn":
        rows["$turn"] = asked("/ingest/turns", {"user": "I prefer tea", **project})["turn"]
    if name == "change_observation":
        rows["$observation"] = saved(program, {"session_id": rows["$session"], "type": "t", "title": "t", "content": name, **project})
    return rows


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
    reads = ("/working-memory/still", "/ledger/still")
    before = [ask(connection, "GET", path)[:2] for path in reads]
    statuses = [ask(connection, "PUT", "/working-memory/still", json.dumps(body).encode())[0] for body in (
        {"fields": {"new": 1, "scratchpad": 1}}, {"fields": {"new": 1}, "ttl_seconds": 0}, {"fields": {"new": 1, "big": "b" * 65_536}},
        {"fields": {"new": 1, "entities": ["x"]}})]
    statuses.append(ask(connection, "POST", "/ledger/still/mark", b'{"item": "a", "value": ""}')[0])
    after = [ask(connection, "GET", path)[:2] for path in reads]
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
            held.append(socket.create_connection((host, int(port)), timeout=60))
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
    served = {name: one for name, one in routes.operations().items() if one[2]["x-sidecar"] != "not" or program.name == "agent-memory-server"}
    good = {name: routes.request(one, rows_for(program, name)) for name, one in served.items()
            if "requestBody" in one[2] and "501" not in one[2]["responses"]}
    for method, path, body in good.values():  # some need the results of those before them, and the pool keeps no order
        if not TRACE.search(path + json.dumps(body)) and method in ("PUT", "POST"):
            wire.ask(program.api, method, path, body)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        jobs = [(name, pool.submit(attack_route, program, *one)) for name, one in good.items()]
        jobs.append(("ids and queries", pool.submit(attack_reads, program, [one for one in served.values() if one[0] == "GET"])))
        for what, done in jobs:
            count, wrong = done.result()
            checks.that(not wrong, f"{what}: {count} requests, {len(wrong)} wrong", wrong[:4])
    refusals_change_nothing(checks, program)
    refused_merge_changes_nothing(checks, program)
    half_open(checks, program)
    checks.that(program.running, "the process is alive", program.tail())
    after = programs.resident(program.pid)[1]
    checks.that(after - before < GROWTH_KIB, f"RssAnon {before} → {after} KiB")
    checks.equal(wire.ask(program.api, "GET", "/health")[0], 200, "the next good request is served")
