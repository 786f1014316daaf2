#!/usr/bin/env python3
"""Writes src/{models,calls,methods}.ts from the OpenAPI document of the server, whose operations are read as for Python.

    generate_typescript.py            asks `agent-memory-server openapi` of $AGENT_MEMORY_BIN or build/release/bin
    generate_typescript.py --check    changes nothing; exit 1 and the names of files that differ
"""
from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
from generate import Operation, Schema, document, operations, python_name  # noqa: E402

HEAD = "// {what} Written by generate_typescript.py from the OpenAPI document: do not edit.\n"
WORD = re.compile(r"[A-Za-z_$][\w$]*")


def type_of(schema: Schema, prefix: str = "") -> str:
    if "$ref" in schema:
        return prefix + str(schema["$ref"]).rsplit("/", 1)[1]
    if "enum" in schema:
        return " | ".join(json.dumps(word) for word in schema["enum"])
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return " | ".join(type_of({**schema, "type": kind}, prefix) for kind in kinds)
    if "oneOf" in schema or "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(one, prefix) for one in schema.get("oneOf") or schema["anyOf"]))
    if kinds == "array":
        item = type_of(schema.get("items", {}), prefix)
        return f"({item})[]" if "|" in item else f"{item}[]"
    return {"object": "Record<string, unknown>", "string": "string", "integer": "number", "number": "number", "boolean": "boolean",
            "null": "null"}.get(str(kinds), "unknown")


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def word(name: str) -> str:
    return name if WORD.fullmatch(name) else json.dumps(name)


def answer(op: Operation) -> str:
    if op.name == "list_shared":
        return "Record<string, unknown>"
    names = dict.fromkeys("void" if one == {"type": "null"} else type_of(one, "models.") for one in op.answers)
    return " | ".join(sorted(names, key=lambda name: name == "void"))


class Fields:
    """The arguments of an operation: those of its path and a whole body in order, the others as fields of an object."""

    def __init__(self, op: Operation) -> None:
        self.path = [(p["name"], type_of(p["schema"])) for p in op.parameters if p["in"] == "path"]
        taken = {name for name, _ in self.path}
        if op.whole_body:
            self.path.append(("value", "unknown"))
        self.body: list[str] = []
        self.query: list[str] = []
        self.headers: list[tuple[str, str]] = []  # on the wire, field
        self.rows: list[tuple[str, bool, str]] = []  # field, required, type
        fields = {} if op.whole_body else op.body.get("properties", {})
        needed = set(op.body.get("required", ()))
        found: list[tuple[str, str, str, bool, Any]] = [
            ("body", name, name, name in needed, schema) for name, schema in fields.items() if name != "reserved"]
        for place in ("query", "header"):
            found += [(place, p["name"], python_name(p["name"]) if place == "header" else p["name"], bool(p.get("required")), p["schema"])
                      for p in op.parameters if p["in"] == place]
        for place, wire, field, required, schema in found:
            if field in taken:
                continue
            taken.add(field)
            self.rows.append((field, required, type_of(schema, "models.")))
            if place == "body":
                self.body.append(field)
            elif place == "query":
                self.query.append(field)
            else:
                self.headers.append((wire, field))

    @property
    def optional(self) -> bool:
        return not any(required for _, required, _ in self.rows)

    def parameters(self, kind: str) -> str:
        words = [f"{name}: {schema}" for name, schema in self.path]
        words += [f"fields: {kind}" + (" = {}" if self.optional else "")] if self.rows else []
        return ", ".join(words)

    def passed(self) -> str:
        return ", ".join([name for name, _ in self.path] + (["fields"] if self.rows else []))


def models(told: Schema) -> str:
    shapes = told["components"]["schemas"]
    text = HEAD.format(what="Bodies and answers of the memory API.")
    for name in sorted(shapes):
        needed = set(shapes[name].get("required", ()))
        rows = "".join(f"  {word(field)}{'' if field in needed else '?'}: {type_of(schema)};\n"
                       for field, schema in shapes[name].get("properties", {}).items())
        text += f"\nexport interface {name} {{\n{rows}}}\n"
    return text


def kind_of(op: Operation) -> str:
    name = camel(op.name)
    return name[0].upper() + name[1:] + "Fields"


def builder(op: Operation) -> str:
    fields = Fields(op)
    path = op.path
    for name, _ in fields.path:
        path = path.replace("{" + name + "}", "${quote(" + name + ")}")
    parts = [f'method: "{op.method}"', "path: " + (f"`{path}`" if "${" in path else f'"{path}"')]
    for place, names in (("query", fields.query), ("body", fields.body)):
        if names:
            parts.append(f"{place}: {{ {', '.join(f'{word(name)}: fields.{name}' for name in names)} }}")
    if fields.headers:
        parts.append("headers: { " + ", ".join(f"{word(wire)}: fields.{name}" for wire, name in fields.headers) + " }")
    if op.whole_body:
        parts.append("whole: value")
    elif "requestBody" in op.told and not fields.body:
        parts.append("body: {}")
    if op.repeats():
        parts.append("repeats: true")
    page = op.page()
    if page:
        parts.append(f"rows: {json.dumps(page[0])}")
    rows = "".join(f"  {word(name)}{'' if required else '?'}: {kind}{'' if required else ' | undefined'};\n" for name, required, kind in fields.rows)
    shape = f"\nexport interface {kind_of(op)} {{\n{rows}}}\n" if fields.rows else ""
    return (f"{shape}\n/** {op.summary} */\n"
            f"export function {camel(op.name)}({fields.parameters(kind_of(op))}): Call<{answer(op)}> {{\n"
            "  return {\n    " + ",\n    ".join(parts) + ",\n  };\n}\n")


def calls(told: Schema) -> str:
    text = HEAD.format(what="A function for each operation: its request, and the type of its answer.")
    text += 'import type * as models from "./models.js";\nimport { type Call, quote } from "./wire.js";\n'
    return text + "".join(builder(op) for op in operations(told))


def row_type(op: Operation, key: str) -> str:
    if key == "*":
        return "[string, unknown]"
    shape = op.answers[0]
    if key:
        shape = op.shapes[shape["$ref"].rsplit("/", 1)[1]]["properties"][key]
    return type_of(shape["items"], "models.")


def methods(told: Schema) -> str:
    text = HEAD.format(what="The methods of Client.")
    text += 'import * as calls from "./calls.js";\nimport type * as models from "./models.js";\nimport type { Call } from "./wire.js";\n'
    text += "\n/** Beneath Client, which sends. */\nexport abstract class Methods {\n"
    text += "  abstract call<T>(call: Call<T>): Promise<T>;\n  abstract pages<T>(call: Call<unknown>): AsyncGenerator<T>;\n"
    for op in operations(told):
        fields, name = Fields(op), camel(op.name)
        parameters = fields.parameters(f"calls.{kind_of(op)}")
        text += (f"\n  /** {op.summary} */\n  {name}({parameters}): Promise<{answer(op)}> {{\n"
                 f"    return this.call(calls.{name}({fields.passed()}));\n  }}\n")
        page = op.page()
        if page:
            subject = op.name.removeprefix("list_").removeprefix("get_") + ("_messages" if op.name == "get_block" else "")
            text += (f"\n  /** All pages of {name}, row by row. */\n"
                     f"  {camel('iter_' + subject)}({parameters}): AsyncGenerator<{row_type(op, page[0])}> {{\n"
                     f"    return this.pages(calls.{name}({fields.passed()}));\n  }}\n")
    return text + "}\n"


def main() -> int:
    told = document()
    files = {"models.ts": models(told), "calls.ts": calls(told), "methods.ts": methods(told)}
    folder = HERE / "src"
    different = [name for name, text in files.items()
                 if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text]
    for name in different:
        if "--check" in sys.argv:
            print(f"{folder / name} differs from the server's document: run integrations/typescript/generate_typescript.py", file=sys.stderr)
        else:
            (folder / name).write_text(files[name], encoding="utf-8")
            print(f"wrote {name}")
    return 1 if "--check" in sys.argv and different else 0


if __name__ == "__main__":
    sys.exit(main())
