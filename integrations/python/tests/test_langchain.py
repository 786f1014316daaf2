"""What langchain-tests do not ask of the retriever and the key-value store: documents, namespaces, limits, redaction."""
from __future__ import annotations

import json
import random
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import FakeEmbeddings

from agent_memory import Client, Damaged, TooLarge
from agent_memory.langchain import AgentMemoryRetriever
from langchain_world import lamps, store_of


def test_a_document_has_what_is_known_of_the_memory(server: Any) -> None:
    lamps(server)
    found = AgentMemoryRetriever(url=server.api, project="billing", type="fact", k=1).invoke("lamp in the cellar")
    assert isinstance(found[0], Document) and found[0].page_content == "The lamp in the cellar is broken."
    assert found[0].metadata["title"] == "lamp of the cellar" and found[0].metadata["tags"] == ["house"]
    assert found[0].id and int(found[0].id) > 0


@pytest.mark.parametrize("where", ["server", "sidecar"])
def test_stores_of_two_namespaces_share_nothing_and_any_key_is_kept(where: str, server: Any, sidecar: Any) -> None:
    one, other = store_of(where, server, sidecar), store_of(where, server, sidecar)
    keys = ["", "a/b", "ü" * 400, "k" * 1000]
    one.mset([(key, key.encode()) for key in keys])
    assert one.mget(keys) == [key.encode() for key in keys] and other.mget(keys) == [None] * 4
    assert sorted(one.yield_keys()) == sorted(keys) and list(one.yield_keys(prefix="a/")) == ["a/b"] and list(other.yield_keys()) == []


def test_secrets_in_values_pass_a_sidecar_unchanged(server: Any, sidecar: Any) -> None:
    store, secret = store_of("sidecar", server, sidecar), b"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    store.mset([("k", secret)])
    assert store.mget(["k"]) == [secret]


def test_a_value_over_the_limit_and_a_damaged_one_are_errors(server: Any, sidecar: Any, client: Client) -> None:
    store = store_of("server", server, sidecar)
    with pytest.raises(TooLarge):
        store.mset([("k", random.Random(3).randbytes(64 << 10))])
    assert store.mget(["k"]) == [None]
    store.mset([("k", b"value")])
    client.put_shared("langchain", store.name("k"), {"key": "k", "value": "AAAA"}, as_="langchain")
    with pytest.raises(Damaged):
        store.mget(["k"])


def test_embeddings_are_cached_in_the_store(server: Any, sidecar: Any) -> None:
    store, vector = store_of("server", server, sidecar), FakeEmbeddings(size=1536).embed_query("x")
    store.mset([("e", json.dumps(vector).encode())])
    assert json.loads((store.mget(["e"])[0] or b"")) == vector
