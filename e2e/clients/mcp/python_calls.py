"""Makes the calls of a JSON file, [[tool, arguments], …], with the official Python client, and prints each result as a
JSON line {"text", "structured", "error"}. e2e/clients/model_sees_test.py judges the results.

    python_calls.py CALLS.json URL
"""
import asyncio
import json
import sys

from mcp import Client, MCPError


async def one(client, tool, arguments):
    try:
        result = await client.call_tool(tool, arguments)
    except MCPError as error:
        return {"text": error.error.message, "structured": None, "error": True}
    return {"text": result.content[0].text, "structured": result.structured_content, "error": result.is_error}


async def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        calls = json.load(file)
    async with Client(sys.argv[2], mode="auto") as client:
        for tool, arguments in calls:
            print(json.dumps(await one(client, tool, arguments)), flush=True)


asyncio.run(main())
