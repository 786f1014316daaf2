"""HTTP with JSON for the end-to-end tests: one request, its status and its decoded answer. Standard
library only; no retries, no redirects."""
import http.client
import json
import time
import urllib.parse


PATIENCE_S = 60  # suffices for any machine; no test is about the time that an answer takes


def ask(url, method, path, body=None, headers=None, timeout=PATIENCE_S):
    """→ (status, decoded JSON or text); status 0: no answer, and the text is the error."""
    where = urllib.parse.urlsplit(url if "//" in url else "http://" + url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=timeout)
    try:
        return on(connection, method, path, body, headers)
    finally:
        connection.close()


def on(connection, method, path, body=None, headers=None):
    """Like ask(), over a connection of the caller."""
    raw = None if body is None else json.dumps(body).encode()
    head = {**({"Content-Type": "application/json"} if raw is not None else {}), **(headers or {})}
    try:
        connection.request(method, path, body=raw, headers=head)
        answer = connection.getresponse()
        return answer.status, decode(answer.read())
    except (OSError, http.client.HTTPException) as failure:
        connection.close()
        return 0, f"{type(failure).__name__}: {failure}"


def decode(raw):
    text = raw.decode(errors="replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


def quote(text):
    return urllib.parse.quote(text, safe="")


def until(condition, deadline_s, every_s=0.02):
    """Polls the condition until it is true or the deadline is over → its last value."""
    end = time.monotonic() + deadline_s
    while True:
        value = condition()
        if value or time.monotonic() >= end:
            return value
        time.sleep(every_s)
