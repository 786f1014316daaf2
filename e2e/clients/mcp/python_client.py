"""Runs every step of steps.json with the official Python client against a running sidecar; the client validates the
results against the tools' output schemas. Prints a JSON line per check; e2e/clients/mcp_test.py counts them.

    python_client.py STEPS.json CLIENT MODE TARGET...    MODE: legacy, auto, or a revision; TARGET: a URL or a command
"""
import asyncio
import json
import re
import sys

from mcp import Client, MCPError, StdioServerParameters

STEPS, CLIENT, MODE, TARGET = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
KEPT = {"client": CLIENT}


def say(check, ok, why=""):
    print(json.dumps({"check": check, "ok": bool(ok), "why": "" if ok else str(why)}), flush=True)


def filled(value):
    if isinstance(value, dict):
        return {name: filled(item) for name, item in value.items()}
    if isinstance(value, list):
        return [filled(item) for item in value]
    if value == "$id":
        return KEPT["id"]
    return re.sub(r"\$(\w+)", lambda name: str(KEPT[name[1]]), value) if isinstance(value, str) else value


async def step(client, number, raw):
    wanted = filled(raw)
    check = f"step {number} {wanted['tool']}"
    try:
        result = await client.call_tool(wanted["tool"], wanted["arguments"])
    except MCPError as error:
        return say(check, wanted.get("error") and error.error.code == -32602, error)
    text, found = result.content[0].text, result.structured_content or {}
    for name, field in raw.get("keep", {}).items():
        KEPT[name] = found.get(field)
    wrong = [f"{name} is {found.get(name)!r}" for name, value in wanted.get("equal", {}).items() if found.get(name) != value]
    wrong += [f"no {part!r} in {text!r}" for part in wanted.get("text", []) if part not in text]
    if not result.is_error and found.get("text") != text:
        wrong.append(f"structured content has another text: {found.get('text')!r}")
    refused = result.is_error and wanted["refused"] in text if "refused" in wanted else not result.is_error
    return say(check, not wanted.get("error") and refused and not wrong, f"{wrong} {text}")


async def main():
    with open(STEPS, encoding="utf-8") as file:
        story = json.load(file)
    target = TARGET[0] if TARGET[0].startswith("http") else StdioServerParameters(command=TARGET[0], args=TARGET[1:])
    async with Client(target, mode=MODE) as client:
        agreed = {"legacy": "2025-11-25", "auto": "2026-07-28"}.get(MODE, MODE)
        say(f"agrees on {agreed}", client.protocol_version == agreed, client.protocol_version)
        listed = (await client.list_tools()).tools
        say("lists the tools", [tool.name for tool in listed] == story["tools"], [tool.name for tool in listed])
        say("tools are described", all(tool.title and tool.output_schema and tool.annotations for tool in listed))
        for number, raw in enumerate(story["steps"], 1):
            await step(client, number, raw)


asyncio.run(main())
