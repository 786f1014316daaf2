"""A client of the AEGIS memory service, written from its pages: models of its documented bodies and answers, and a method
per endpoint, without our additions. Runs in a Python with httpx and pydantic (aegis_test.py creates one).

    aegis_client.py URL [--without-episodes]

$MEMORY_TOKEN is the bearer token for a server with authentication. The last line is 'N passed, M failed'."""
import argparse
import datetime
import os
import sys
import uuid
from typing import Any

import httpx
import pydantic

KIB_64 = 65_536


class WorkingMemory(pydantic.BaseModel):
    conversation_id: str
    fields: dict[str, Any]
    bytes: int
    version: int
    ttl_seconds: int | None
    expires_at: datetime.datetime | None


class Deleted(pydantic.BaseModel):
    deleted: int


class LedgerItem(pydantic.BaseModel):
    item: str
    value: str
    turn: int
    marked_at: datetime.datetime


class Ledger(pydantic.BaseModel):
    conversation: str
    items: list[LedgerItem]


class Injected(pydantic.BaseModel):
    conversation: str
    item: str
    injected: bool


class Stored(pydantic.BaseModel):
    id: int
    created_at: datetime.datetime


class Episode(pydantic.BaseModel):
    id: int
    conversation_id: str
    agent_id: str
    user_id: str | None
    summary: str
    key_decisions: list[str | dict]
    entities: list[str | dict]
    tools_used: list[str]
    metadata: dict[str, Any]
    created_at: datetime.datetime


class Found(Episode):
    similarity: float = pydantic.Field(ge=0, le=1)
    method: str


class Results(pydantic.BaseModel):
    results: list[Found]


class Memories(pydantic.BaseModel):
    conversation_id: str
    memories: list[Episode]


class Health(pydantic.BaseModel):
    status: str


class Client:
    def __init__(self, url):
        token = os.environ.get("MEMORY_TOKEN")
        self.http = httpx.Client(base_url=url, timeout=30, headers={"Authorization": f"Bearer {token}"} if token else {})

    def ask(self, model, method, path, body=None, **more):
        answer = self.http.request(method, path, json=body, **more)
        answer.raise_for_status()
        return model.model_validate_json(answer.text, strict=False)

    def get_all(self, conversation):
        return self.ask(WorkingMemory, "GET", f"/working-memory/{conversation}")

    def set(self, conversation, fields, ttl_seconds=None, version=None):
        body = {"fields": fields} | ({"ttl_seconds": ttl_seconds} if ttl_seconds else {})
        headers = {"If-Match": f'"{version}"'} if version is not None else {}
        return self.ask(WorkingMemory, "PUT", f"/working-memory/{conversation}", body, headers=headers)

    def delete(self, conversation, fields=None):
        return self.ask(Deleted, "DELETE", f"/working-memory/{conversation}", {"fields": fields} if fields else None).deleted

    def set_scratchpad(self, conversation, text):
        return self.set(conversation, {"scratchpad": text})

    def get_scratchpad(self, conversation):
        return self.get_all(conversation).fields.get("scratchpad")

    def set_entities(self, conversation, entities):
        return self.set(conversation, {"entities": entities})

    def get_entities(self, conversation):
        return self.get_all(conversation).fields.get("entities", [])

    def ledger(self, conversation):
        return self.ask(Ledger, "GET", f"/ledger/{conversation}")

    def post_ledger(self, conversation, what, **body):
        return self.ask(Injected, "POST", f"/ledger/{conversation}/{what}", body).injected

    def store(self, **episode):
        return self.ask(Stored, "POST", "/episodic/store", episode)

    def search(self, query, agent, **more):
        return self.ask(Results, "POST", "/episodic/search", {"query": query, "agent_id": agent, **more}).results

    def memories(self, conversation):
        return self.ask(Memories, "GET", f"/episodic/{conversation}").memories

    def health(self):
        return self.ask(Health, "GET", "/health")


class Counts:
    passed = failed = 0

    def equal(self, got, wanted, what):
        good = got == wanted
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        print(f"{'ok  ' if good else 'FAIL'} {what}" + ("" if good else f": {got!r}, not {wanted!r}"))

    def refused(self, status, call, what):
        try:
            call()
            self.equal("no error", status, what)
        except httpx.HTTPStatusError as error:
            answer = error.response
            self.equal((answer.status_code, sorted(answer.json())), (status, ["code", "error"]), what)


def working_memory(c, client):
    one = f"conversation-{uuid.uuid4()}"
    c.equal(client.get_all(one).model_dump(), {"conversation_id": one, "fields": {}, "bytes": 0, "version": 0,
                                               "ttl_seconds": None, "expires_at": None}, "never written: empty, no error")
    client.set_scratchpad(one, "Current analysis of Rule 37 for well API 42-123-45678…")
    entities = [{"type": "Well", "id": "42-123-45678", "name": "Smith #1"}]
    client.set_entities(one, entities)
    kept = client.set(one, {"well_api": "42-123-45678", "depth": 9_250.5, "open": None, "nested": {"a": [1, True]}})
    c.equal((client.get_scratchpad(one), client.get_entities(one)),
            ("Current analysis of Rule 37 for well API 42-123-45678…", entities), "scratchpad and entities come back")
    c.equal(sorted(kept.fields), ["depth", "entities", "nested", "open", "scratchpad", "well_api"], "PUT merges")
    c.equal((kept.fields["open"], kept.fields["nested"], kept.fields["depth"]), (None, {"a": [1, True]}, 9_250.5),
            "values are JSON, and null is a value")
    c.equal(kept.ttl_seconds, 86_400, "the default is 24 hours")
    held = client.set(one, {"gated": {"tool": "drop_table"}}, ttl_seconds=7 * 86_400)
    c.equal((held.ttl_seconds, client.set(one, {"approved": True}).ttl_seconds), (604_800, 604_800),
            "a hold is not shortened by a later write")
    left = held.expires_at - datetime.datetime.now(datetime.timezone.utc)
    c.equal(abs(left.total_seconds() - 604_800) < 60, True, "it expires in seven days")
    version = client.get_all(one).version
    c.refused(412, lambda: client.set(one, {"x": 1}, version=version - 1), "If-Match of an older version: 412")
    c.equal(client.set(one, {"x": 1}, version=version).version, version + 1, "If-Match of this version: written")
    before = client.get_all(one)
    c.refused(413, lambda: client.set(one, {"x": 2, "big": "x" * KIB_64}), "over 64 KB: 413")
    c.equal((client.get_all(one).fields, client.get_all(one).version), (before.fields, before.version), "and nothing changed")
    c.refused(400, lambda: client.set_scratchpad(one, 7), "a scratchpad that is no text: 400")
    c.refused(400, lambda: client.set_entities(one, ["Well"]), "entities that are no objects: 400")
    c.refused(400, lambda: client.set(one, {}, ttl_seconds=31_536_001), "a ttl of over a year: 400")
    c.equal(client.delete(one, ["x", "open", "never"]), 2, "DELETE of fields counts those that were there")
    c.equal(client.delete(one), len(before.fields) - 2, "DELETE without a body takes all")
    c.equal(client.get_all(one).fields, {}, "and it is empty")


def ledger(c, client):
    one = f"conversation-{uuid.uuid4()}"
    c.equal(client.ledger(one).items, [], "an unknown ledger is empty")
    c.equal(client.post_ledger(one, "check", item="skill:rule-37"), False, "turn 1: not injected yet")
    c.equal(client.post_ledger(one, "mark", item="skill:rule-37"), True, "marked")
    c.equal(client.post_ledger(one, "check", item="skill:rule-37"), True, "turn 2: not injected again")
    c.equal([(i.item, i.value) for i in client.ledger(one).items], [("skill:rule-37", "injected")], "the ledger shows it")
    client.post_ledger(one, "mark", item="skill:rule-37", value="revision-2")
    c.equal([client.post_ledger(one, "check", item="skill:rule-37", value=v) for v in ("revision-2", "revision-3")],
            [True, False], "with a value: a changed skill may be injected again")
    c.equal(client.post_ledger(one, "evict", item="skill:rule-37"), False, "evicted")
    c.equal(client.post_ledger(one, "check", item="skill:rule-37"), False, "may be injected again")


def episodes(c, client):
    one, agent = f"conversation-{uuid.uuid4()}", f"analyst-{uuid.uuid4()}"
    c.equal((client.memories(one), client.search("well spacing", agent)), ([], []), "nothing is stored: nothing is found")
    full = {"conversation_id": one, "agent_id": agent, "user_id": "u1", "summary": "Rule 37 spacing was checked for Smith #1.",
            "key_decisions": ["ask for an exception"], "entities": [{"type": "Well", "name": "Smith #1"}],
            "tools_used": ["gis"], "metadata": {"turns": 7}}
    stored = client.store(**full)
    kept = client.memories(one)[0].model_dump()
    c.equal({name: kept[name] for name in full}, full, "an episode comes back with all its fields")
    c.equal(client.store(**full).id, stored.id, "the same summary again is the first episode")
    client.store(conversation_id=one, agent_id=agent, user_id="u2", summary="The invoice of March was paid late.")
    client.store(conversation_id=one, agent_id="another", summary="Rule 37 spacing of another agent.")
    c.equal(len(client.memories(one)), 3, "all episodes of a conversation")
    found = client.search("what did we check about spacing rules?", agent)
    c.equal(found[0].id, stored.id, "the search has the nearest first")
    c.equal({row.agent_id for row in found}, {agent}, "those of the agent alone")
    c.equal([row.similarity for row in found], sorted((row.similarity for row in found), reverse=True), "by similarity")
    c.equal({row.user_id for row in client.search("rule invoice", agent, user_id="u2")}, {"u2"}, "and of the user alone")
    c.equal(len(client.search("rule invoice", agent, top_k=1)), 1, "top_k")
    c.refused(400, lambda: client.search("rule", agent, top_k=0), "top_k of 0: 400")
    c.refused(400, lambda: client.store(conversation_id=one, agent_id=agent, summary="x" * 50_001), "a summary too long: 400")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--without-episodes", action="store_true", help="they are the server's, which may be away")
    options = parser.parse_args()
    c, client = Counts(), Client(options.url)
    c.equal(client.health().status, "ok", "health")
    working_memory(c, client)
    ledger(c, client)
    if not options.without_episodes:
        episodes(c, client)
    print(f"{c.passed} passed, {c.failed} failed")
    return c.failed > 0


if __name__ == "__main__":
    sys.exit(main())
