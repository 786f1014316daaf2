"""An agent's loop, one call a step: turn, allow, tool, answer, end. They are hook events of a sidecar, which answers after it
has written them to disk."""
from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import NotFound
from .wire import Call, Flow, ask

NO_HOOKS = "this address has no hooks: it is a memory server's, and hooks are a sidecar's"


@dataclass(frozen=True)
class Verdict:
    """Whether a tool may run, why not, and what memory has about the call."""

    allowed: bool
    reason: str = ""
    context: str = ""


@dataclass(frozen=True)
class Turns:
    """The events of one conversation as flows."""

    conversation: str
    fields: Mapping[str, Any] = field(default_factory=dict)  # of each event, such as cwd

    def event(self, name: str, **fields: Any) -> Flow[dict[str, Any]]:
        """→ what the sidecar says to the agent. The same event again (prompt_id, tool_use_id) gets the same answer."""
        body = {"hook_event_name": name, "session_id": self.conversation, **self.fields, **fields}
        call: Call[dict[str, Any]] = Call("POST", "/v1/hooks", body=body, repeats=True)
        try:
            answer = yield from ask(call)
        except NotFound as missing:
            raise NotFound(NO_HOOKS, code=missing.code, status=missing.status,
                           remedy="give the address of a sidecar: AGENT_MEMORY_URL in a Pod, `agent-memory url` on a laptop") from missing
        return dict(answer.get("hookSpecificOutput", {}))

    def turn(self, prompt: str) -> Flow[str]:
        """Before the model is asked → the text to put in front of the prompt, or ""."""
        said = yield from self.event("UserPromptSubmit", prompt=prompt, prompt_id=str(uuid.uuid4()))
        return str(said.get("additionalContext", ""))

    def allow(self, name: str, arguments: Mapping[str, Any], call_id: str) -> Flow[Verdict]:
        """Before a tool runs."""
        said = yield from self.event("PreToolUse", tool_name=name, tool_input=dict(arguments), tool_use_id=call_id)
        return Verdict(said.get("permissionDecision") != "deny", str(said.get("permissionDecisionReason", "")),
                       str(said.get("additionalContext", "")))

    def tool(self, name: str, arguments: Mapping[str, Any], call_id: str, result: Any, error: str | None) -> Flow[None]:
        """After a tool ran, or failed with `error`."""
        outcome = {"tool_response": result} if error is None else {"error": error}
        yield from self.event("PostToolUse" if error is None else "PostToolUseFailure", tool_name=name,
                              tool_input=dict(arguments), tool_use_id=call_id, **outcome)

    def answer(self, text: str) -> Flow[None]:
        """The model's answer to the prompt is complete."""
        yield from self.event("Stop", last_assistant_message=text)

    def end(self, reason: str) -> Flow[None]:
        yield from self.event("SessionEnd", reason=reason)
