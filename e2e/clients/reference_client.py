#!/usr/bin/env python3
"""A client of the reference memory service, written from its API page alone: standard library, the page's routes,
fields and defaults, without our additions. It runs a whole conversation against the built server.
memory/contract tests limits and errors.

    reference_client.py       the program from build/release/bin or $AGENT_MEMORY_BIN

The last line is 'N passed, M failed'."""
import json
import os
import re
import shutil
import sys
import tempfile
import urllib.parse
import urllib.request
import uuid

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import programs  # noqa: E402
from checks import Checks  # noqa: E402

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


class Client:
    """The page's routes as methods, which check the status and the content type."""

    def __init__(self, base):
        self.base = base

    def call(self, method, path, expected, body=None, **query):
        query = {name: value for name, value in query.items() if value is not None}
        url = self.base + path + ("?" + urllib.parse.urlencode(query) if query else "")
        request = urllib.request.Request(url, method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
            if answer.status != expected:
                raise AssertionError(f"{method} {path}: {answer.status}, the page says {expected}")
            if expected == 204:
                return text
            if not answer.headers["Content-Type"].startswith("application/json"):
                raise AssertionError(f"{method} {path}: {answer.headers['Content-Type']}")
            return json.loads(text)

    def health(self):
        return self.call("GET", "/health", 200)

    def create_session(self, session, project):
        return self.call("POST", "/sessions", 201, {"id": session, "project": project})

    def end_session(self, session, messages):
        return self.call("POST", f"/sessions/{session}/end", 200, {"messages": messages})

    def recent_sessions(self, **query):
        return self.call("GET", "/sessions/recent", 200, **query)

    def create(self, **observation):
        return self.call("POST", "/observations", 201, observation)

    def recent(self, **query):
        return self.call("GET", "/observations/recent", 200, **query)

    def get(self, number):
        return self.call("GET", f"/observations/{number}", 200)

    def patch(self, number, **fields):
        return self.call("PATCH", f"/observations/{number}", 200, fields)

    def delete(self, number, hard=None):
        return self.call("DELETE", f"/observations/{number}", 204, hard=hard)

    def search(self, **query):
        return self.call("GET", "/search", 200, **query)

    def context(self, **query):
        return self.call("GET", "/context", 200, **query)

    def timeline(self, number, **query):
        return self.call("GET", "/timeline", 200, observation_id=number, **query)

    def stats(self, **query):
        return self.call("GET", "/stats", 200, **query)

    def export(self, **query):
        return self.call("GET", "/export", 200, **query)

    def import_(self, exported):
        return self.call("POST", "/import", 200, exported)


def typed(value, fields):
    """True if each field is present with its type, as a decoder into a struct requires."""
    return all(isinstance(value.get(name), kind) and not (kind is int and isinstance(value.get(name), bool))
               for name, kind in fields.items())


SESSION = {"id": str, "project": str, "started_at": str, "message_count": int}
SAVED = {"id": int, "action": str, "revision_count": int, "duplicate_count": int}
OBSERVATION = {"id": int, "session_id": str, "type": str, "title": str, "content": str, "tags": list, "project": str,
               "scope": str, "topic_key": str, "normalized_hash": str, "revision_count": int, "duplicate_count": int,
               "last_seen_at": str, "created_at": str, "updated_at": str}
HIT = {"id": int, "type": str, "title": str, "content": str, "rank": float, "topic_key": str}
MESSAGES = [{"role": "user", "content": "Fix the deployment timeout"},
            {"role": "assistant", "content": "I found the issue..."}]


def sessions(checks, client, session):
    checks.chapter("sessions")
    checks.equal(client.health(), {"status": "ok"}, "health")
    made = client.create_session(session, "my-agent")
    checks.that(typed(made, SESSION) and TIME.fullmatch(made["started_at"]), "a session is made", made)
    checks.equal((made["id"], made["project"], made["message_count"]), (session, "my-agent", 0), "with what was asked")
    ended = client.end_session(session, MESSAGES)
    checks.that(typed(ended, {"session_id": str, "summary": str, "message_count": int}), "it ends", ended)
    checks.equal((ended["session_id"], ended["message_count"]), (session, 2), "with both messages counted")
    checks.that("Fix the deployment timeout" in ended["summary"], "and summarized", ended)
    recent = client.recent_sessions(project="my-agent", limit=5)
    checks.that(len(recent) == 1 and typed(recent[0], {**SESSION, "ended_at": str, "summary": str}), "it is listed", recent)


def observations(checks, client, session):
    checks.chapter("observations")
    storage = {"session_id": session, "type": "decision", "title": "Use SQLite for memory storage",
               "content": "Chose SQLite with FTS5 over PostgreSQL because...", "tags": ["architecture", "database"],
               "project": "my-agent", "scope": "project", "topic_key": "memory-storage-choice"}
    made = client.create(**storage)
    checks.that(typed(made, SAVED), "an answer to a write", made)
    checks.equal((made["action"], made["revision_count"], made["duplicate_count"]), ("created", 1, 0), "created")
    again = client.create(**{**storage, "content": "Still SQLite, now with WAL."})
    checks.equal((again["id"], again["action"], again["revision_count"]), (made["id"], "updated", 2), "updated by topic key")
    plain = {name: storage[name] for name in ("session_id", "type", "title", "content", "project")}
    first, twin = client.create(**plain), client.create(**{**plain, "content": plain["content"].upper()})
    checks.equal((twin["id"], twin["action"], twin["duplicate_count"]), (first["id"], "deduplicated", 1), "deduplicated")
    row = client.get(made["id"])
    checks.that(typed(row, OBSERVATION), "an observation has the page's fields", row)
    checks.equal({name: row[name] for name in storage}, {**storage, "content": "Still SQLite, now with WAL."}, "as written")
    checks.that(all(TIME.fullmatch(row[name]) for name in ("created_at", "updated_at", "last_seen_at")), "times", row)
    changed = client.patch(first["id"], type="lesson", tags=["new-tag"])
    checks.equal((changed["type"], changed["tags"], changed["title"]), ("lesson", ["new-tag"], plain["title"]), "patched")
    listed = client.recent(project="my-agent", type="lesson", scope="project", limit=20)
    checks.equal([row["id"] for row in listed], [first["id"]], "filtered by type and scope")
    checks.that(all(typed(row, OBSERVATION) for row in client.recent()), "a list of observations")
    return made["id"], first["id"]


def finding(checks, client, storage, lesson):
    checks.chapter("finding")
    hits = client.search(q="what did we choose for storage?", project="my-agent", limit=10)
    checks.that(hits and all(typed(hit, HIT) for hit in hits), "a sentence finds", hits)
    checks.that(all(a["rank"] <= b["rank"] < 0 for a, b in zip(hits, hits[1:])), "the lowest rank first", hits)
    checks.equal([hit["id"] for hit in client.search(q="WAL", type="decision")], [storage], "filtered by type")
    context = client.context(project="my-agent", query="storage", limit=5)
    checks.that([s["summary"] for s in context["recent_sessions"]] and
                {row["title"] for row in context["recent_observations"]} == {"Use SQLite for memory storage"} and
                all(typed(row, {"type": str, "title": str, "content": str}) for row in context["recent_observations"]),
                "context for a prompt", context)
    checks.equal(len(client.context(project="my-agent")["recent_observations"]), 2, "context by recency")
    around = client.timeline(lesson, before=3, after=3)
    checks.equal([row["id"] for row in around], [storage, lesson], "the timeline around one")
    stats = client.stats(project="my-agent")
    checks.equal((stats["total_sessions"], stats["total_observations"], stats["projects"]), (1, 2, ["my-agent"]), "statistics")


def moving(checks, client, storage, lesson):
    checks.chapter("moving and deleting")
    exported = client.export(project="my-agent")
    checks.that(typed(exported, {"exported_at": str, "sessions": list, "observations": list}), "an export", exported)
    checks.equal((len(exported["sessions"]), len(exported["observations"])), (1, 2), "of everything")
    imported = client.import_(exported)
    checks.that(typed(imported, {"imported_sessions": int, "imported_observations": int}), "is taken back", imported)
    checks.equal(client.stats()["total_observations"], 2, "and makes nothing twice")
    checks.equal(client.delete(lesson), b"", "a soft delete")
    checks.equal([row["id"] for row in client.recent()], [storage], "hides")
    checks.equal(client.delete(lesson, hard="true"), b"", "a hard delete")
    checks.equal(client.stats()["total_observations"], 1, "leaves the other")


def main():
    checks = Checks()
    folder = tempfile.mkdtemp(prefix="agent-memory-reference-")
    server = programs.server(folder)
    try:
        client = Client("http://" + server.start().api)
        session = str(uuid.uuid4())
        sessions(checks, client, session)
        numbers = observations(checks, client, session)
        finding(checks, client, *numbers)
        moving(checks, client, *numbers)
    except (Exception, SystemExit) as failure:  # counts as a failed check
        checks.that(False, f"broke off: {type(failure).__name__}: {failure}")
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
