"""Memory for agents: a client of the memory server and of its sidecar, sync and async."""
from .client import AsyncClient, AsyncConversation, Client, Conversation
from .errors import (AgentMemoryError, Conflict, Damaged, Denied, Full, Invalid, KeyReused, Misdirected, NotFound, OverQuota,
                     PreconditionFailed, TooLarge, Unauthenticated, Unavailable, Unreachable)
from .turns import Verdict
from .wire import UNSET, Retries

__version__ = "0.1.0"
__all__ = [
    "UNSET", "AgentMemoryError", "AsyncClient", "AsyncConversation", "Client", "Conflict", "Conversation", "Damaged", "Denied",
    "Full", "Invalid", "KeyReused", "Misdirected", "NotFound", "OverQuota", "PreconditionFailed", "Retries", "TooLarge",
    "Unauthenticated", "Unavailable", "Unreachable", "Verdict", "__version__"]
