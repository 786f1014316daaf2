"""The store beside LangGraph's own in memory, on a server and through a sidecar; lives of values, writers at once, meaning."""
from __future__ import annotations

import asyncio
import random
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from agent_memory import Client, TooLarge
from agent_memory.langgraph import AgentMemoryStore
from agent_memory.langgraph.store_rows import name_of, project_of

FILTERS: tuple[dict[str, Any] | None, ...] = (
    None, {"n": 3}, {"n": {"$gt": 2, "$lte": 5}}, {"n": {"$ne": 1}}, {"deep": {"a": 1}}, {"list": [1, 2]}, {"none": {"$eq": None}})
LABELS = ("a", "b", "users", "v1")


@pytest.fixture
def store(server: Any) -> Iterator[AgentMemoryStore]:
    with AgentMemoryStore(server.api, agent=f"a-{uuid.uuid4().hex}") as one:
        yield one


@pytest.fixture(params=["server", "sidecar"])
def either(request: pytest.FixtureRequest, server: Any, sidecar: Any) -> Iterator[AgentMemoryStore]:
    where, agent = (server, f"a-{uuid.uuid4().hex}") if request.param == "server" else (sidecar, "coder")
    with AgentMemoryStore(where.api, agent=agent) as one:
        for row in one.search((), limit=100_000):
            one.delete(row.namespace, row.key)
        yield one


def told(result: Any) -> Any:
    """A result without times; of a search the set, since the order without a query is a store's own."""
    if isinstance(result, list):
        return sorted((told(one) for one in result), key=repr)
    return (result.namespace, result.key, result.value) if hasattr(result, "namespace") else result


def test_a_random_history_answers_as_langgraphs_own_store(either: AgentMemoryStore) -> None:
    chance, model = random.Random(11), InMemoryStore()

    def namespace() -> tuple[str, ...]:
        return tuple(chance.choices(LABELS, k=chance.randint(1, 3)))

    def value() -> dict[str, Any]:
        return {"n": chance.randint(0, 6), "deep": {"a": chance.randint(0, 1), "b": 2}, "list": [1, chance.randint(1, 2)], "none": None,
                "word": chance.choice(["one", "two"])}

    for _ in range(60):
        ops: list[Any] = [PutOp(namespace(), f"k{chance.randint(0, 3)}", value() if chance.random() < 0.8 else None) for _ in range(2)]
        ops += [GetOp(namespace(), f"k{chance.randint(0, 3)}"),
                SearchOp(namespace()[:chance.randint(0, 2)], chance.choice(FILTERS), limit=1000)]
        ours, theirs = either.batch(ops), model.batch(ops)
        assert [told(one) for one in ours] == [told(one) for one in theirs], ops
        for space in [space for space, rows in model._data.items() if not rows]:
            del model._data[space]  # a read leaves it there
        listed: list[Op] = [ListNamespacesOp((MatchCondition(chance.choice(["prefix", "suffix"]), (chance.choice([*LABELS, "*"]),)),),
                                             chance.choice([None, 1, 2]), limit=1000)]
        assert either.batch(listed) == model.batch(listed), listed


def test_a_search_without_a_query_pages_from_the_newest_change(store: AgentMemoryStore) -> None:
    for number in range(5):
        store.put(("docs",), str(number), {"n": number})
    store.put(("docs",), "1", {"n": 10})
    keys = [[row.key for row in store.search(("docs",), limit=2, offset=offset)] for offset in (0, 2, 4)]
    assert keys == [["1", "4"], ["3", "2"], ["0"]]
    item = store.get(("docs",), "1")
    assert item and item.created_at < item.updated_at and item.value == {"n": 10}


def test_a_search_by_meaning_ranks_within_its_namespace(either: AgentMemoryStore) -> None:
    texts = {"car": "The automobile needs new tyres.", "cat": "A kitten sleeps on the sofa.", "sea": "Waves break at the shore."}
    for user in ("ann", "bob"):
        for key, text in texts.items():
            either.put(("memories", user), f"{key}", {"text": text, "user": user})
    either.put(("memories", "ann"), "secret", {"text": "a kitten, not to be found by its words"}, index=False)
    found = either.search(("memories", "ann"), query="which cat is sleeping?", limit=2)
    assert found[0].key == "cat" and found[0].namespace == ("memories", "ann") and (found[0].score or 0) > (found[1].score or 0)
    found = either.search(("memories",), query="kitten", filter={"user": "bob"})
    assert found[0].namespace == ("memories", "bob") and found[0].key == "cat" and len(found) == 3
    everything = either.search(("memories", "ann"), query="kitten")
    assert everything[-1].score is None and len(everything) == 4, "what has no score follows"
    either.delete(("memories", "ann"), "cat")
    assert "cat" not in [row.key for row in either.search(("memories", "ann"), query="kitten")]


def test_chosen_fields_are_found_by_meaning(server: Any) -> None:
    with AgentMemoryStore(server.api, agent=f"a-{uuid.uuid4().hex}", fields=["text"]) as store:
        space = (uuid.uuid4().hex,)
        store.put(space, "1", {"text": "green apples", "hidden": "zeppelin"})
        store.put(space, "2", {"other": {"part": ["zeppelin"]}}, index=["other.part[*]"])
        assert [row.key for row in store.search(space, query="zeppelin")] == ["2", "1"]
        assert [row.key for row in store.search(space, query="apples")] == ["1", "2"]
        store.delete(space, "1")
        store.put(space, "2", {"other": 1}, index=False)
        with Client(server.api) as client:
            assert client.find_items(project=project_of(space))["items"] == [], "what is not to be found is in no index"


def test_a_life_ends_and_reading_prolongs_it(server: Any) -> None:
    with AgentMemoryStore(server.api, agent=f"a-{uuid.uuid4().hex}", ttl={"default_ttl": 1.5 / 60}) as store:
        store.put(("x",), "read", {"a": 1})
        store.put(("x",), "not read", {"a": 1})
        store.put(("x",), "stays", {"a": 1}, ttl=None)
        end = time.monotonic() + 60
        while store.get(("x",), "not read", refresh_ttl=False) and time.monotonic() < end:
            assert store.get(("x",), "read")
        assert store.get(("x",), "read") and {row.key for row in store.search(("x",), refresh_ttl=False)} == {"read", "stays"}
        while store.get(("x",), "read", refresh_ttl=False) and time.monotonic() < end:
            pass
        assert [row.key for row in store.search(("x",))] == ["stays"]


def test_writers_at_once_lose_no_creation_time_and_one_is_last(store: AgentMemoryStore) -> None:
    store.put(("x",), "k", {"n": -1})
    first = store.get(("x",), "k")
    failed: list[BaseException] = []

    def write(number: int) -> None:
        try:
            store.put(("x",), "k", {"n": number})
        except BaseException as error:
            failed.append(error)
    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    last = store.get(("x",), "k")
    assert not failed and first and last and last.created_at == first.created_at and last.value["n"] in range(4)


def test_a_read_that_prolongs_a_life_overwrites_no_newer_value(store: AgentMemoryStore) -> None:
    store.put(("x",), "k", {"n": "old"}, ttl=5)
    read = store.clients.run(store.reading(name_of(("x",), "k")))
    store.put(("x",), "k", {"n": "new"}, ttl=5)
    assert read
    store.clients.run(store.living_on(*read))
    found = store.get(("x",), "k")
    assert found and found.value == {"n": "new"}


def test_a_value_over_the_limit_is_refused_and_nothing_changes(store: AgentMemoryStore) -> None:
    store.put(("x",), "k", {"n": 1})
    with pytest.raises(TooLarge, match="65536"):
        store.put(("x",), "k", {"n": "x" * 70_000})
    found = store.get(("x",), "k")
    assert found and found.value == {"n": 1}


def test_other_values_of_the_agent_are_not_rows(store: AgentMemoryStore, client: Client) -> None:
    client.put_shared(store.agent, "plan", {"namespace": "mine"}, as_=store.agent)
    store.put(("x",), "k", {"n": 1})
    assert len(store.search(())) == 1 and store.list_namespaces() == [("x",)]


def test_async_has_the_same_store(store: AgentMemoryStore) -> None:
    async def run() -> None:
        await store.aput(("x",), "k", {"n": 1})
        found = await store.aget(("x",), "k")
        assert found and found.value == {"n": 1} and len(await store.asearch(("x",))) == 1
        await store.adelete(("x",), "k")
        assert await store.alist_namespaces() == []
    asyncio.run(run())
