#!/usr/bin/env python3
"""Writes src/agent_memory/{models,calls,sync_methods,async_methods}.py from the OpenAPI document of the server.

    generate.py            asks `agent-memory-server openapi` of $AGENT_MEMORY_BIN or build/release/bin
    generate.py --check    changes nothing; exit 1 and the names of files that differ
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "src/agent_memory"
HEAD = '"""{what} Written by generate.py from the OpenAPI document: do not edit."""\n'
KEYWORDS = {"from", "as", "import"}
# Of these a lost answer may be asked for again: the server stores a key once, or the request changes nothing.
WITH_KEY = "Idempotency-Key"
READS = {"search_episodes", "search_traces", "check_ledger"}
# Written by hand in client.py: streams of bytes.
STREAMS = {"export", "import"}
LEFT_OUT = {"forget"} | STREAMS
WIDTH = 110

Schema = dict[str, Any]


def document() -> Schema:
    folder = os.environ.get("AGENT_MEMORY_BIN", str(HERE.parents[1] / "build/release/bin"))
    told = subprocess.run([os.path.join(folder, "agent-memory-server"), "openapi"], capture_output=True, text=True, check=True)
    return dict(json.loads(told.stdout))


def python_name(name: str) -> str:
    plain = name.replace("-", "_").lower() if "-" in name else name
    plain = plain.removeprefix("x_memory_")
    return plain + "_" if plain in KEYWORDS else plain


def type_of(schema: Schema, prefix: str = "") -> str:
    if "$ref" in schema:
        return prefix + str(schema["$ref"]).rsplit("/", 1)[1]
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(word) for word in schema['enum'])}]"
    kinds = schema.get("type")
    if isinstance(kinds, list):
        names = [type_of({**schema, "type": kind}, prefix) for kind in kinds if kind != "null"]
        return " | ".join(names + (["None"] if "null" in kinds else []))
    if "oneOf" in schema or "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(one, prefix) for one in schema.get("oneOf") or schema["anyOf"]))
    if kinds == "array":
        return f"list[{type_of(schema.get('items', {}), prefix)}]"
    if kinds == "object":
        return "dict[str, Any]"
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}.get(str(kinds), "Any")


def model(name: str, schema: Schema) -> str:
    fields, needed = schema.get("properties", {}), set(schema.get("required", ()))
    if any(not field.isidentifier() or field in KEYWORDS for field in fields):
        def listed(wanted: bool) -> str:
            return "".join(f'\n    "{f}": {quoted(type_of(s))},' for f, s in fields.items() if (f in needed) == wanted)

        def quoted(kind: str) -> str:
            return json.dumps(kind)
        optional = listed(False)
        base = f'_{name}Required' if optional else name
        text = f'{base} = TypedDict("{base}", {{{listed(True)}\n}})\n'
        if not optional:
            return text
        kinds = "".join(f"    {f}: {type_of(s)}\n" for f, s in fields.items() if f not in needed)
        return text + f"\n\nclass {name}({base}, total=False):\n{kinds}"
    first = "".join(f"    {f}: {type_of(s)}\n" for f, s in fields.items() if f in needed)
    rest = "".join(f"    {f}: {type_of(s)}\n" for f, s in fields.items() if f not in needed)
    if not first or not rest:
        return f"class {name}(TypedDict{', total=False' if rest else ''}):\n{first or rest or '    pass' + chr(10)}"
    return f"class _{name}Required(TypedDict):\n{first}\n\nclass {name}(_{name}Required, total=False):\n{rest}"


def models(told: Schema) -> str:
    shapes = told["components"]["schemas"]
    text = HEAD.format(what="Bodies and answers of the memory API as typed dictionaries.")
    text += "from __future__ import annotations\n\nfrom typing import Any, Literal, TypedDict\n"
    return text + "".join("\n\n" + model(name, shapes[name]) for name in sorted(shapes))


class Operation:
    def __init__(self, path: str, method: str, told: Schema, shapes: Schema) -> None:
        self.name: str = told["operationId"]
        self.path, self.method, self.told = path, method.upper(), told
        self.summary: str = told["summary"]
        self.parameters: list[Schema] = told.get("parameters", [])
        self.body: Schema = {}
        for content in told.get("requestBody", {}).get("content", {}).values():
            self.body = content["schema"]
            break
        self.whole_body = "requestBody" in told and self.body.get("type") != "object"
        self.answers: list[Schema] = [
            next(iter(answer["content"].values()))["schema"] if answer.get("content") else {"type": "null"}
            for status, answer in told["responses"].items() if status[0] == "2"]
        self.shapes = shapes

    @property
    def answer(self) -> str:
        names = list(dict.fromkeys(type_of(one, "models.") for one in self.answers))
        if self.name == "list_shared":
            return "dict[str, Any]"
        return " | ".join(sorted(names, key=lambda name: name == "None"))

    def arguments(self) -> list[tuple[str, str, str, bool, str]]:
        """→ (argument, where, name on the wire, required, type), each argument once, those of the path first."""
        rows: list[tuple[str, str, str, bool, str]] = []
        for where in ("path", "body", "query", "header"):
            if where == "body":
                fields = {} if self.whole_body else self.body.get("properties", {})
                needed = set(self.body.get("required", ()))
                found = [(python_name(f), "json", f, f in needed, type_of(s, "models.")) for f, s in fields.items() if f != "reserved"]
                rows += [("value", "whole", "", True, "Any")] if self.whole_body else []
            else:
                found = [(python_name(p["name"]), where, p["name"], bool(p.get("required")), type_of(p["schema"], "models."))
                         for p in self.parameters if p["in"] == where]
            rows += [row for row in found if row[0] not in {name for name, *_ in rows}]
        return rows

    def is_path(self, row: tuple[str, str, str, bool, str]) -> bool:
        return row[1] in ("path", "whole")

    def signature(self, first: str) -> str:
        rows = self.arguments()
        words = [first] if first else []
        words += [f"{name}: {kind}" for name, where, _, _, kind in rows if where in ("path", "whole")]
        named = [row for row in rows if not self.is_path(row)]
        if named:
            words.append("*")
        words += [f"{name}: {kind}" for name, _, _, needed, kind in named if needed]
        words += [f"{name}: {kind} = UNSET" if kind == "Any" else f"{name}: {kind} | None = None"
                  for name, _, _, needed, kind in named if not needed]
        return wrapped(words)

    def passed(self) -> str:
        return wrapped([name if self.is_path(row) else f"{name}={name}" for row in self.arguments() for name in row[:1]], 8)

    def repeats(self) -> bool:
        """Whether a request whose answer was lost may be sent again."""
        return self.method in ("GET", "PUT", "DELETE") or self.name in READS

    def page(self) -> tuple[str, str] | None:
        """→ (the key of the rows in the answer, their type) of a list with a cursor; "" is the answer itself, "*" its pairs."""
        if not any(p["name"] == "cursor" for p in self.parameters) or self.name in ("get_checkpoint", "get_timeline"):
            return None
        if self.name == "list_shared":
            return "*", "tuple[str, Any]"
        answer = self.answers[0]
        if answer.get("type") == "array":
            return "", type_of(answer["items"], "models.")
        fields = self.shapes[answer["$ref"].rsplit("/", 1)[1]]["properties"]
        key = "messages" if "messages" in fields else next(f for f, s in fields.items() if s.get("type") == "array")
        return key, type_of(fields[key]["items"], "models.")


def wrapped(words: list[str], indent: int = 4) -> str:
    line = ", ".join(words)
    if len(line) + indent < WIDTH - 40:
        return line
    lines, margin = [""], " " * (indent + 4)
    for word in words:
        if len(margin) + len(lines[-1]) + len(word) > WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word + ","
    return "\n" + "\n".join(margin + line for line in lines).rstrip(",")


def builder(op: Operation) -> str:
    path = op.path
    for name, where, wire, _, _ in op.arguments():
        if where == "path":
            path = path.replace("{" + wire + "}", "{quote(" + name + ")}")
    parts = [f'"{op.method}"', ('f' if "{" in path else "") + f'"{path}"']
    for where, word in (("query", "query"), ("header", "headers"), ("json", "body")):
        rows = [f'"{wire}": {name}' for name, place, wire, _, _ in op.arguments() if place == where]
        if rows:
            parts.append(f"{word}={{{wrapped(rows, 12)}}}")
    nulls = [wire for _, where, wire, _, kind in op.arguments() if where == "json" and kind == "Any"]
    if nulls:
        parts.append(f"nulls={tuple(nulls)!r}".replace("'", '"'))
    if op.whole_body:
        parts.append("whole=value")
    elif "requestBody" in op.told and not any("body=" in part for part in parts):
        parts.append("body={}")
    if op.repeats():
        parts.append("repeats=True")
    page = op.page()
    if page:
        parts.append(f"rows={json.dumps(page[0])}")
    inner = ",\n        ".join(parts)
    return (f"\n\ndef {op.name}({op.signature('')}) -> Call[{op.answer}]:\n"
            f'    """{op.summary}"""\n    return Call(\n        {inner},\n    )\n')


def operations(told: Schema) -> list[Operation]:
    found = [Operation(path, method, row, told["components"]["schemas"])
             for path, methods in told["paths"].items() for method, row in methods.items()]
    return [op for op in found if op.name not in LEFT_OUT]


def calls(told: Schema) -> str:
    text = HEAD.format(what="A function for each operation: its request, and the type of its answer.")
    text += "from __future__ import annotations\n\nfrom typing import Any, Literal\n\n"
    text += "from . import models\nfrom .wire import UNSET, Call, quote\n"
    return text + "".join(builder(op) for op in operations(told))


def methods(told: Schema, sync: bool) -> str:
    what, word, wait = ("Methods of Client.", "def", "") if sync else ("Methods of AsyncClient.", "async def", "await ")
    iterator, name, base = ("Iterator", "SyncMethods", "Client") if sync else ("AsyncIterator", "AsyncMethods", "AsyncClient")
    text = HEAD.format(what=what) + "from __future__ import annotations\n\n"
    text += f"from collections.abc import {iterator}\nfrom typing import Any, Literal, TypeVar\n\n"
    text += "from . import calls, models\nfrom .wire import UNSET, Call\n\nT = TypeVar(\"T\")\n"
    text += f"\n\nclass {name}:\n    \"\"\"Beneath {base}, which sends.\"\"\"\n\n"
    text += f"    {word} call(self, call: Call[T]) -> T:\n        raise NotImplementedError\n\n"
    text += f"    def pages(self, call: Call[Any]) -> {iterator}[Any]:\n        raise NotImplementedError\n"
    for op in operations(told):
        text += (f"\n    {word} {op.name}({op.signature('self')}) -> {op.answer}:\n"
                 f'        """{op.summary}"""\n        return {wait}self.call(calls.{op.name}({op.passed()}))\n')
        page = op.page()
        if page:
            subject = op.name.removeprefix("list_").removeprefix("get_") + ("_messages" if op.name == "get_block" else "")
            text += (f"\n    def iter_{subject}({op.signature('self')}) -> {iterator}[{page[1]}]:\n"
                     f'        """All pages of {op.name}, row by row."""\n        return self.pages(calls.{op.name}({op.passed()}))\n')
    return text


def main() -> int:
    told = document()
    files = {"models.py": models(told), "calls.py": calls(told), "sync_methods.py": methods(told, True),
             "async_methods.py": methods(told, False)}
    different = [name for name, text in files.items()
                 if not (PACKAGE / name).exists() or (PACKAGE / name).read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        for name in different:
            print(f"{PACKAGE / name} differs from the server's document: run integrations/python/generate.py", file=sys.stderr)
        return 1 if different else 0
    for name in different:
        (PACKAGE / name).write_text(files[name], encoding="utf-8")
        print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
