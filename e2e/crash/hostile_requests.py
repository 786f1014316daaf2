#!/usr/bin/env python3
"""Sends hostile requests to the server and to the sidecar: each must be refused, answered or closed in time,
none may end the process, and the next good request must be served. A sample of shapes, not a fuzzer;
hostile_bodies.py has bodies, ids and queries of single routes.

    hostile_requests.py       programs from build/release/bin or $AGENT_MEMORY_BIN

The last line is 'N passed, M failed'."""
import concurrent.futures
import os
import re
import shutil
import socket
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import hostile_bodies  # noqa: E402
import programs  # noqa: E402
import targets  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

CLOSE_S = 20  # limit from an answer that ends its connection to the close; one that is kept has a minute
DEADLINE_S = 45  # longer than the server's longest timeout (30 s for a body)
GROWTH_KIB = 32 * 1024
LARGE = b"a" * (1 << 20)


def post(body=b"", *fields, host=b"HOST", version=b"HTTP/1.1", line=None):
    """A POST of JSON with exactly these additional header fields; filled() replaces HOST and PATH."""
    head = [line or b"POST PATH " + version] + ([b"Host: " + host] if host is not None else [])
    if line is None:  # else a server with --auth none refuses the type before it reads the body
        head.append(b"Content-Type: application/json")
    return b"\r\n".join([*head, *fields]) + b"\r\n\r\n" + body


def chunked(body):
    return post(body, b"Transfer-Encoding: chunked")


def sized(size, body=b"{}"):
    return post(body, b"Content-Length: " + size)


def get(line, *fields):
    return post(b"", *fields, line=line)


def json_body(body, *fields):
    return post(body, b"Content-Length: %d" % len(body), *fields)


SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: HOST\r\n\r\n"
# Description: bytes. Each request must be refused (4xx, or 5xx except 500) or closed without an answer.
FRAMING = {  # broken framing of head or body: later bytes cannot be trusted, so the connection is closed, too
    "chunk size negative, small": chunked(b"-1\r\nx\r\n0\r\n\r\n"),
    "chunk size negative, large": chunked(b"-80000000\r\nx\r\n0\r\n\r\n"),
    "chunk size 7fffffff": chunked(b"7fffffff\r\nx"),
    "chunk size fffffffff": chunked(b"fffffffff\r\nx"),
    "chunk size not hexadecimal": chunked(b"zz\r\nx\r\n0\r\n\r\n"),
    "chunk without its line end": chunked(b"2\r\n{}0\r\n\r\n"),
    "chunk extension of 1 MiB": chunked(b"2;" + LARGE + b"\r\n{}\r\n0\r\n\r\n"),
    "trailer of 1 MiB": chunked(b"2\r\n{}\r\n0\r\nX: " + LARGE + b"\r\n\r\n"),
    "Content-Length negative": sized(b"-5"),
    "Content-Length over 2^64": sized(b"99999999999999999999999"),
    "Content-Length twice, different": post(b"{}", b"Content-Length: 2", b"Content-Length: 3"),
    "Content-Length +5": sized(b"+5", b"{   }"),
    "Content-Length 5,5": sized(b"5,5", b"{   }"),
    "Content-Length with Transfer-Encoding": post(b"0\r\n\r\n" + SMUGGLED, b"Content-Length: 4", b"Transfer-Encoding: chunked"),
    "Transfer-Encoding xchunked": post(b"2\r\n{}\r\n0\r\n\r\n", b"Transfer-Encoding: xchunked"),
    "Transfer-Encoding chunked, identity": post(b"2\r\n{}\r\n0\r\n\r\n", b"Transfer-Encoding: chunked, identity"),
    "Transfer-Encoding twice": post(b"2\r\n{}\r\n0\r\n\r\n", b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"),
    "Transfer-Encoding in HTTP/1.0": post(b"2\r\n{}\r\n0\r\n\r\n", b"Transfer-Encoding: chunked", version=b"HTTP/1.0"),
    "no Host": post(b"{}", b"Content-Length: 2", host=None),
    "two Hosts": post(b"{}", b"Host: HOST", b"Content-Length: 2"),
    "version 9.9": get(b"GET /health HTTP/9.9"),
    "method in lower case": get(b"get /health HTTP/1.1"),
    "method empty": get(b" /health HTTP/1.1"),
    "header with NUL": get(b"GET /health HTTP/1.1", b"X: a\0b"),
    "header with a bare CR": get(b"GET /health HTTP/1.1", b"X: a\rb"),
    "header folded over lines": get(b"GET /health HTTP/1.1", b"X: a\r\n b"),
    "header of 1 MiB": get(b"GET /health HTTP/1.1", b"X: " + LARGE),
    "20,000 header fields": get(b"GET /health HTTP/1.1", *[b"X: 1"] * 20000),
    "header without a colon": get(b"GET /health HTTP/1.1", b"nonsense"),
    "header with a space before its colon": get(b"GET /health HTTP/1.1", b"X : 1"),
    "half a request, then silence": b"GET /health HT",
    "a body that does not come": sized(b"100"),
    "a body over the limit": post(b"x", b"Content-Length: 1073741824"),
}
CONTENT = {  # well framed, but refused
    "path with %zz": get(b"GET /observations/%zz HTTP/1.1"),
    "path with %ff%fe": get(b"GET /observations/%ff%fe HTTP/1.1"),
    "path with %00": get(b"GET /observations/%00 HTTP/1.1"),
    "path with ..%2f": get(b"GET /observations/..%2f..%2fetc HTTP/1.1"),
    "TRACE": get(b"TRACE /health HTTP/1.1"),
    "CONNECT": get(b"CONNECT example.org:443 HTTP/1.1"),
    "JSON 65 deep": json_body(b"[" * 65 + b"]" * 65),
    "JSON 100,000 deep": json_body(b"[" * 100000),
    "JSON with bad UTF-8": json_body(b'{"title": "\xff\xfe"}'),
    "JSON with a lone surrogate": json_body(b'{"title": "\\ud800"}'),
    "JSON with a key twice": json_body(b'{"a": 1, "a": 2}'),
    "JSON with 1e999": json_body(b'{"a": 1e999}'),
    "JSON with text behind it": json_body(b"{} {}"),
    "JSON null": json_body(b"null"),
    "an empty body": json_body(b""),
    "gzip that is none": json_body(b"\x1f\x8b\x08\0", b"Content-Encoding: gzip"),
}
CASES = {**FRAMING, **CONTENT}

TWICE = get(b"GET /health HTTP/1.1") + get(b"GET /health HTTP/1.1", b"Connection: close")


class Answer:
    def __init__(self, raw, closed, seconds):
        self.raw, self.closed, self.seconds = raw, closed, seconds
        statuses = [int(s) for s in re.findall(rb"HTTP/1\.[01] (\d{3}) ", raw)]
        self.statuses = [s for s in statuses if s != 100]

    def refused(self):
        """Closed without an answer, or exactly one answer with a status of 400 or more, but not 500."""
        if not self.statuses:
            return self.closed
        return len(self.statuses) == 1 and 400 <= self.statuses[0] != 500

    def __repr__(self):
        return f"{self.statuses or 'no answer'}, {'closed' if self.closed else 'left open'} after {self.seconds:.1f} s"


def exchange(address, raw, until_closed=False):
    """Sends the bytes and reads until the program closes the connection, a whole answer arrived, or DEADLINE_S is over.
    `until_closed`: also waits for the close, at most CLOSE_S after the answer."""
    host, port = address.rsplit(":", 1)
    started = time.monotonic()
    received, closed = b"", False
    with socket.create_connection((host, int(port)), timeout=DEADLINE_S) as connection:
        try:
            connection.sendall(raw)
        except OSError:
            pass  # refused before all bytes were sent; the answer may still be readable
        while not closed:
            try:
                piece = connection.recv(65536)
            except ConnectionError:
                piece = b""
            except OSError:
                break  # the deadline
            received, closed = received + piece, not piece
            if complete(received):
                if not until_closed:
                    break
                connection.settimeout(CLOSE_S)
    return Answer(received, closed, time.monotonic() - started)


def complete(raw):
    """True if `raw` has a final answer with its body; does not wait for further answers."""
    for match in re.finditer(rb"^HTTP/1\.[01] (\d{3}).*?\r\n\r\n", raw, re.S | re.M):
        if match[1] != b"100":
            size = re.search(rb"content-length: *(\d+)", match[0], re.I)
            return size is not None and len(raw) - match.end() >= int(size[1])
    return False


def attack(program, path):
    """Sends all cases in parallel, since some take as long as the server's timeouts. → {what: answer}"""
    def one(what):
        return exchange(program.api, filled(CASES[what], program, path), what in FRAMING)

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        return dict(zip(CASES, pool.map(one, CASES)))


def filled(raw, program, path):
    return raw.replace(b"HOST", program.api.encode()).replace(b"PATH", path)


def judge(checks, name, program, path, answers):
    checks.chapter(f"{name}: {len(CASES)} hostile requests")
    for what, answer in answers.items():
        good = answer.refused() and (answer.closed or what in CONTENT)
        checks.that(good, f"{what}: {answer}", answer.raw[:300])
    checks.that(program.running, "the process is alive", program.tail())
    for what, raw, wanted in (
            ("chunked, with an extension and a trailer", chunked(b"2;note=x\r\n{}\r\n0\r\nX-Trailer: y\r\n\r\n"), [400]),
            ("Expect: 100-continue", post(b"{}", b"Content-Length: 2", b"Expect: 100-continue"), [400]),
            ("two requests in one packet", TWICE, [200, 200])):
        answer = exchange(program.api, filled(raw, program, path), raw is TWICE)
        checks.equal(answer.statuses, wanted, f"honest, if rare: {what}: {answer}")


def main():
    checks = Checks()
    folder = tempfile.mkdtemp(prefix="agent-memory-hostile-")
    started = []
    try:
        server = targets.Server(folder).program(patient=False)
        started.append(server.start())
        sidecar = targets.Sidecar(folder, "http://" + server.api).program(patient=False)
        started.append(sidecar.start())
        sidecar.ready()
        both = (("server", server, b"/observations"), ("sidecar", sidecar, b"/v1/hooks"))
        before = [programs.resident(program.pid)[1] for _, program, _ in both]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda each: attack(*each[1:]), both))
        for (name, program, path), said, anon in zip(both, answers, before):
            judge(checks, name, program, path, said)
            after = programs.resident(program.pid)[1]
            checks.that(after - anon < GROWTH_KIB, f"RssAnon {anon} → {after} KiB")
            checks.equal(wire.ask(program.api, "GET", "/health")[0], 200, "the next good request is served")
        for name, program, _ in both:
            hostile_bodies.attack(checks, name, program)
    except (Exception, SystemExit) as failure:  # counts as a failed check
        checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
    finally:
        for program in started:
            program.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
