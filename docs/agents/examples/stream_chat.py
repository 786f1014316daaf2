#!/usr/bin/env python3
"""A chat with memory that prints the answer while it arrives: asyncio, and the package `openai`. OPENAI_BASE_URL and
OPENAI_API_KEY name an endpoint with OpenAI's chat API, MODEL its model."""
import asyncio
import json
import os
import sys
import uuid
from asyncio.subprocess import PIPE

from openai import AsyncOpenAI

MODEL = os.environ.get("MODEL", "gpt-4.1-mini")


class Memory:
    """Memory of one conversation. Other conversations of the same loop have objects of their own."""

    def __init__(self):
        self.session = str(uuid.uuid4())

    async def hook(self, event, **fields):
        """→ what memory adds to the event; nothing if memory does not answer, and then stderr says why."""
        body = json.dumps({"hook_event_name": event, "session_id": self.session, **fields})
        process = await asyncio.create_subprocess_exec("agent-memory", "hook", event, stdin=PIPE, stdout=PIPE)
        out, _ = await process.communicate(body.encode())
        return json.loads(out or b"{}").get("hookSpecificOutput", {}).get("additionalContext", "")


async def stream(model, messages):
    async for chunk in await model.chat.completions.create(model=MODEL, messages=messages, stream=True):
        if chunk.choices and chunk.choices[0].delta.content:
            yield chunk.choices[0].delta.content


async def main():
    model, memory, messages = AsyncOpenAI(), Memory(), []
    while line := await asyncio.to_thread(sys.stdin.readline):
        if not (prompt := line.strip()):
            continue
        context = await memory.hook("UserPromptSubmit", prompt=prompt)
        messages.append({"role": "user", "content": f"{context}\n\n{prompt}".strip()})
        said = ""
        try:
            async for part in stream(model, messages):
                said += part
                print(part, end="", flush=True)
        finally:  # an answer that was cut off is remembered as far as it came
            await memory.hook("Stop", last_assistant_message=said)
        messages.append({"role": "assistant", "content": said})
        print()
    await memory.hook("SessionEnd", reason="exit")


asyncio.run(main())
