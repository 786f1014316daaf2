"""The checkpointer under a real graph, killed and resumed; what two writers, a deletion and a large value do to a thread."""
from __future__ import annotations

import asyncio
import operator
import os
import random
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from agent_memory import Client, Damaged
from agent_memory.langgraph import AgentMemorySaver
from agent_memory.langgraph.records import BLOBS, conversation_of

STEPS = 60


@pytest.fixture
def saver(server: Any) -> Iterator[AgentMemorySaver]:
    with AgentMemorySaver(server.api) as one:
        yield one


def config_of(thread: str) -> Any:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}


def put(saver: AgentMemorySaver, thread: str, values: dict[str, Any], parent: Any = None, **metadata: Any) -> Any:
    checkpoint = empty_checkpoint()
    versions: Any = {channel: saver.get_next_version(None, None) for channel in values}
    checkpoint["channel_values"], checkpoint["channel_versions"] = values, versions
    told: Any = {"source": "loop", "step": 1, **metadata}
    return saver.put(parent or config_of(thread), checkpoint, told, versions)


class Steps(TypedDict):
    done: Annotated[list[str], operator.add]


def joined(state: list[str], writes: list[list[str]]) -> list[str]:
    return [*state, *(word for write in writes for word in write)]


class Words(TypedDict):
    words: Annotated[list[str], DeltaChannel(joined, snapshot_frequency=5)]


def pending(saver: AgentMemorySaver, thread: str) -> list[Any]:
    found = saver.get_tuple(config_of(thread))
    return list(found.pending_writes or ()) if found else []


class Life:
    """Of one process: who keeps its state, the step in which it dies, where nodes note that they ran."""

    saver: AgentMemorySaver
    thread: str
    dies_at: int
    log: Path


def graph_of(life: Life) -> Any:
    """STEPS supersteps of two nodes each, a and b. A node notes that it ran. b of the step `dies_at` kills the process after the
    writes of a are stored, before it ran."""
    graph = StateGraph(Steps)

    def node(name: str, step: int) -> Any:
        def work(_: Steps) -> dict[str, list[str]]:
            if name == "b" and step == life.dies_at:
                while not any(f"a{step}" in str(write[2]) for write in pending(life.saver, life.thread)):
                    pass
                os.kill(os.getpid(), signal.SIGKILL)
            with open(life.log, "a", encoding="utf-8") as file:
                file.write(f"{name}{step}\n")
            return {"done": [f"{name}{step}"]}
        return work

    for step in range(STEPS):
        for name in "ab":
            graph.add_node(f"{name}{step}", node(name, step))
            if step:
                for before in "ab":
                    graph.add_edge(f"{before}{step - 1}", f"{name}{step}")
            else:
                graph.add_edge(START, f"{name}0")
    return graph.compile()


def lived(compiled: Any, life: Life, url: str) -> int:
    """Runs the graph in a process of its own, from where it is → the signal that ended it, or 0."""
    child = os.fork()
    if child == 0:
        try:
            compiled.checkpointer = life.saver = AgentMemorySaver(url)
            config: Any = {**config_of(life.thread), "recursion_limit": STEPS + 5}
            begun = life.saver.get_tuple(config) is not None
            compiled.invoke(None if begun else {"done": []}, config, durability="sync")
            os._exit(0)
        except BaseException as error:
            print(f"step {life.dies_at}: {type(error).__name__}: {error}", flush=True)
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, f"the life that dies at {life.dies_at} failed"
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def test_a_graph_killed_at_every_superstep_runs_each_node_once(server: Any, tmp_path: Path) -> None:
    life = Life()
    life.thread, life.log = uuid.uuid4().hex, tmp_path / "log"
    compiled = graph_of(life)
    for life.dies_at in range(STEPS):
        assert lived(compiled, life, server.api) == signal.SIGKILL
    life.dies_at = -1
    assert lived(compiled, life, server.api) == 0
    ran = life.log.read_text(encoding="utf-8").split()
    assert sorted(ran) == sorted(f"{name}{step}" for step in range(STEPS) for name in "ab")


def test_a_killed_server_has_what_it_acknowledged(folder: Path) -> None:
    from world import a_server
    server = a_server(folder / "killed")
    try:
        with AgentMemorySaver(server.api) as saver:
            stored = put(saver, "t", {"a": 1, "large": "x" * 300_000})
            saver.put_writes(stored, [("a", 2)], "task")
            server.kill()
            server.start()
        with AgentMemorySaver(server.api) as saver:
            found = saver.get_tuple(config_of("t"))
            assert found and found.checkpoint["channel_values"] == {"a": 1, "large": "x" * 300_000}
            assert found.pending_writes == [("task", "a", 2)]
    finally:
        server.kill()


def test_a_large_value_comes_back_and_is_written_once(saver: AgentMemorySaver, client: Client) -> None:
    thread, value = uuid.uuid4().hex, random.Random(7).randbytes(20 << 20)
    blobs = conversation_of(thread) + BLOBS
    stored = put(saver, thread, {"a": value, "b": value, "n": 1})
    count = client.get_messages(blobs, limit=1)["last"]
    stored = put(saver, thread, {"a": value, "n": 2}, stored)
    assert client.get_messages(blobs, limit=1)["last"] == count
    with AgentMemorySaver(saver.clients.url) as other:
        found = other.get_tuple(stored)
        assert found and found.checkpoint["channel_values"] == {"a": value, "n": 2}
        put(other, thread, {"a": value}, stored)
    assert client.get_messages(blobs, limit=1)["last"] == count, "another process writes it again"


def test_two_savers_see_each_others_records(server: Any, saver: AgentMemorySaver) -> None:
    thread = uuid.uuid4().hex
    with AgentMemorySaver(server.api) as other:
        first = put(saver, thread, {"a": 1})
        other.put_writes(first, [("a", "other")], "task-1")
        saver.put_writes(first, [("a", "mine")], "task-2")
        for one in (saver, other):
            found = one.get_tuple(config_of(thread))
            assert found and found.pending_writes == [("task-1", "a", "other"), ("task-2", "a", "mine")]
        second = put(other, thread, {"a": 2}, first)
        assert [one.config for one in saver.list(config_of(thread))] == [second, first]


def test_a_thread_that_another_deleted_and_began_anew_is_the_new_one(server: Any, saver: AgentMemorySaver) -> None:
    thread = uuid.uuid4().hex
    put(saver, thread, {"a": 1})
    assert saver.get_tuple(config_of(thread))
    with AgentMemorySaver(server.api) as other:
        other.delete_thread(thread)
        assert saver.get_tuple(config_of(thread)) is None
        put(saver, thread, {"a": 1})
        other.delete_thread(thread)
        new = put(other, thread, {"a": "new"})
        newer = put(other, thread, {"a": "newer"}, new)
        found = saver.get_tuple(config_of(thread))
        assert found and found.checkpoint["channel_values"] == {"a": "newer"}
        assert [one.config for one in saver.list(config_of(thread))] == [newer, new]


def test_deleting_a_thread_leaves_no_conversation(saver: AgentMemorySaver, client: Client) -> None:
    thread = uuid.uuid4().hex
    put(saver, thread, {"a": "x" * 50_000})
    saver.delete_thread(thread)
    assert not [row["id"] for row in client.iter_conversations() if thread in row["id"]]


def test_writes_come_in_the_order_of_a_live_run_and_the_first_stands(saver: AgentMemorySaver) -> None:
    stored = put(saver, uuid.uuid4().hex, {})
    saver.put_writes(stored, [("c", "late")], "aaa", "~__pregel_pull, z")
    saver.put_writes(stored, [("c", "early"), ("d", 1)], "bbb", "~__pregel_pull, b")
    saver.put_writes(stored, [("c", "again")], "bbb", "~__pregel_pull, b")
    saver.put_writes(stored, [("__error__", "one")], "ccc")
    saver.put_writes(stored, [("__error__", "two")], "ccc")
    found = saver.get_tuple(stored)
    assert found and found.pending_writes == [
        ("ccc", "__error__", "two"), ("bbb", "c", "early"), ("bbb", "d", 1), ("aaa", "c", "late")]


def test_any_thread_id_is_kept_and_listed(saver: AgentMemorySaver) -> None:
    names = ["a/b?c=d#e", "ü" * 150, "x" * 500, "with space", BLOBS]
    for name in names:
        put(saver, name, {"a": name}, mark="odd")
        found = saver.get_tuple(config_of(name))
        assert found and found.checkpoint["channel_values"] == {"a": name}
    listed = [one.config["configurable"]["thread_id"] for one in saver.list(None, filter={"mark": "odd"})]
    assert sorted(listed) == sorted(names)


def test_prune_keeps_what_delta_channels_need(saver: AgentMemorySaver) -> None:
    graph: Any = StateGraph(Words)
    for number in range(12):
        graph.add_node(f"n{number}", lambda _, number=number: {"words": [str(number)]})
        graph.add_edge(f"n{number - 1}" if number else START, f"n{number}")
    compiled = graph.compile(checkpointer=saver)
    config = config_of(uuid.uuid4().hex)
    words = compiled.invoke({"words": []}, config)["words"]
    assert words == [str(number) for number in range(12)] == compiled.get_state(config).values["words"]
    before = len(list(saver.list(config)))
    saver.prune([config["configurable"]["thread_id"]])
    after = len(list(saver.list(config)))
    assert 1 < after < before and compiled.get_state(config).values["words"] == words
    with AgentMemorySaver(saver.clients.url) as other:
        other.copy_thread(config["configurable"]["thread_id"], "copy-of-" + config["configurable"]["thread_id"])
        copy = config_of("copy-of-" + config["configurable"]["thread_id"])
        assert graph.compile(checkpointer=other).get_state(copy).values["words"] == words
    with pytest.raises(ValueError, match="keep_latest"):
        saver.prune([], strategy="all")


def test_a_value_that_changed_on_the_way_is_not_returned(saver: AgentMemorySaver) -> None:
    thread = uuid.uuid4().hex
    stored = put(saver, thread, {"a": "x" * 50_000, "b": "y" * 50_000})
    state = saver.log.thread(thread)
    places = {ref: place for ref, place in state.places.items() if isinstance(place, list)}
    (one, here), (other, there) = places.items()
    state.places[one], state.places[other] = there, here
    saver.log.values.kept.clear()
    with pytest.raises(Damaged, match="is not what was saved"):
        saver.get_tuple(stored)


def test_async_and_threads_share_a_saver(saver: AgentMemorySaver) -> None:
    graph: Any = StateGraph(Steps)
    graph.add_node("one", lambda _: {"done": ["one"]})
    graph.add_edge(START, "one")
    compiled = graph.compile(checkpointer=saver)

    async def many() -> list[Any]:
        return await asyncio.gather(*(compiled.ainvoke({"done": []}, config_of(f"many-{number}")) for number in range(20)))
    assert asyncio.run(many()) == [{"done": ["one"]}] * 20
    assert compiled.invoke({"done": []}, config_of("many-3")) == {"done": ["one", "one"]}
