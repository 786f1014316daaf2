"""A value of the store as it stands in shared memory, filters and namespaces. Pure."""
from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from langgraph.store.base import Item, ListNamespacesOp, MatchCondition, SearchItem

NAME, PROJECT = "langgraph.", "langgraph:"


def now() -> str:
    return datetime.now(timezone.utc).isoformat()


def name_of(namespace: Iterable[str], key: str) -> str:
    """The key in shared memory: keys there have at most 200 characters."""
    return NAME + hashlib.sha256(json.dumps([*namespace, key]).encode()).hexdigest()


def project_of(namespace: Iterable[str]) -> str:
    """The project of a namespace's items. A sidecar puts the one of its policy in its place."""
    plain = PROJECT + ".".join(namespace)
    return plain if len(plain) <= 200 else PROJECT + "sha256:" + hashlib.sha256(plain.encode()).hexdigest()


@dataclass(frozen=True)
class Row:
    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    created: str
    updated: str
    ttl: float | None  # minutes
    fields: list[str]  # paths whose texts are found by meaning

    @property
    def name(self) -> str:
        return name_of(self.namespace, self.key)

    def stored(self) -> dict[str, Any]:
        return {"namespace": list(self.namespace), "key": self.key, "value": self.value, "created_at": self.created,
                "updated_at": self.updated, "ttl": self.ttl, "fields": self.fields}

    @staticmethod
    def of(stored: Mapping[str, Any]) -> Row:
        return Row(tuple(stored["namespace"]), stored["key"], dict(stored["value"]), stored["created_at"], stored["updated_at"],
                   stored["ttl"], list(stored["fields"]))

    @staticmethod
    def is_one(name: str, value: Any) -> bool:
        """Whether an entry of a list of shared memory is a row: an Agent may share other values, too."""
        return name.rsplit(":", 1)[-1].startswith(NAME) and isinstance(value, dict) and "namespace" in value

    def item(self) -> Item:
        return Item(value=self.value, key=self.key, namespace=self.namespace, created_at=datetime.fromisoformat(self.created),
                    updated_at=datetime.fromisoformat(self.updated))

    def found(self, score: float | None) -> SearchItem:
        return SearchItem(self.namespace, self.key, self.value, datetime.fromisoformat(self.created),
                          datetime.fromisoformat(self.updated), score)


def matches(value: Mapping[str, Any], filter: Mapping[str, Any] | None) -> bool:
    return all(compares(value.get(key), wanted) for key, wanted in (filter or {}).items())


def compares(value: Any, wanted: Any) -> bool:
    """As LangGraph's own stores do: operators, nested objects, lists element by element."""
    if isinstance(wanted, Mapping):
        if any(str(key).startswith("$") for key in wanted):
            return all(operates(value, key, operand) for key, operand in wanted.items())
        return isinstance(value, Mapping) and all(compares(value.get(key), inner) for key, inner in wanted.items())
    if isinstance(wanted, (list, tuple)):
        return isinstance(value, (list, tuple)) and len(value) == len(wanted) and all(map(compares, value, wanted))
    return bool(value == wanted)


def operates(value: Any, operator: str, operand: Any) -> bool:
    if operator == "$eq":
        return bool(value == operand)
    if operator == "$ne":
        return bool(value != operand)
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"unknown operator {operator}: $eq, $ne, $gt, $gte, $lt, $lte")
    try:
        left, right = float(value), float(operand)
    except (TypeError, ValueError):
        return False
    return {"$gt": left > right, "$gte": left >= right, "$lt": left < right, "$lte": left <= right}[operator]


def listed_namespaces(op: ListNamespacesOp, namespaces: set[tuple[str, ...]]) -> list[tuple[str, ...]]:
    found = {namespace[:op.max_depth] for namespace in namespaces
             if all(is_matched(condition, namespace) for condition in op.match_conditions or ())}
    return sorted(found)[op.offset:op.offset + op.limit]


def is_matched(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[:len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path):]
    return all(wanted in ("*", label) for wanted, label in zip(path, part))
