#!/usr/bin/env python3
"""An agent of the OpenAI Agents SDK (package `openai-agents`) with a shell and memory. OPENAI_BASE_URL and OPENAI_API_KEY
name an endpoint with OpenAI's chat API, MODEL its model."""
import asyncio, json, os, subprocess, sys, uuid  # noqa: E401

import agents
from agents.mcp import MCPServerStdio

SESSION = str(uuid.uuid4())
agents.set_default_openai_api("chat_completions")
agents.set_tracing_disabled(True)  # by default the SDK uploads each run to OpenAI


def hook(event, **fields):
    body = json.dumps({"hook_event_name": event, "session_id": SESSION, **fields})
    done = subprocess.run(["agent-memory", "hook", event], input=body, capture_output=True, text=True, check=False)
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode == 2:  # the policy denies calls, and nothing could check this one
        return {"permissionDecision": "deny", "permissionDecisionReason": done.stderr}
    return json.loads(done.stdout or "{}").get("hookSpecificOutput", {})


def call(context):
    return {"tool_name": "bash", "tool_input": json.loads(context.tool_arguments), "tool_use_id": context.tool_call_id, "cwd": os.getcwd()}


@agents.tool_input_guardrail
def allowed(asked):
    answer, output = hook("PreToolUse", **call(asked.context)), agents.ToolGuardrailFunctionOutput
    denied = answer.get("permissionDecision") == "deny"
    return output.reject_content(answer["permissionDecisionReason"]) if denied else output.allow()


@agents.function_tool(tool_input_guardrails=[allowed])
def bash(context: agents.tool.ToolContext, command: str) -> str:
    """Runs a shell command."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, errors="replace", timeout=600, check=False)
    output = done.stdout + done.stderr
    event, field = ("PostToolUse", "tool_response") if done.returncode == 0 else ("PostToolUseFailure", "error")
    hook(event, **call(context), **{field: output})
    return f"Exit code {done.returncode}\n{output}"


async def main():
    # The SDK does not pass on what an MCP server says about its use: SessionStart says it, too.
    told = hook("SessionStart", source="startup").get("additionalContext", "")
    async with MCPServerStdio({"command": "agent-memory", "args": ["mcp"]}) as tools:
        agent = agents.Agent("coder", instructions=f"You help with this repository.\n\n{told}", tools=[bash], mcp_servers=[tools],
                             model=os.environ.get("MODEL", "gpt-4.1-mini"))
        items = []
        for prompt in filter(None, map(str.strip, sys.stdin)):
            memory = hook("UserPromptSubmit", prompt=prompt).get("additionalContext", "")
            done = await agents.Runner.run(agent, [*items, {"role": "user", "content": f"{memory}\n\n{prompt}".strip()}])
            items = done.to_input_list()
            hook("Stop", last_assistant_message=done.final_output)
            print(done.final_output, flush=True)
    hook("SessionEnd", reason="exit")


asyncio.run(main())
