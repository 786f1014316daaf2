"""The OpenAI Agents SDK on agent memory: a session, and memories before a prompt. Needs openai-agents
(pip install agent-memory[openai-agents])."""
from ..adapters import said_if_untested
from .session import AgentMemorySession

__all__ = ["AgentMemorySession"]

said_if_untested("openai-agents", (0, 24), (0, 25))
