"""What a call raises: an exception for each code of the server, with its message and what to do."""
from __future__ import annotations

from typing import Any


class AgentMemoryError(Exception):
    """`code` and `message` are the server's, `remedy` says what to do, `status` is 0 if there was no answer."""

    remedy_of_code = "see the message"

    def __init__(self, message: str, *, code: str = "", status: int = 0, request_id: str = "",
                 retry_after: float | None = None, remedy: str = "") -> None:
        super().__init__(message)
        self.message, self.code, self.status = message, code, status
        self.request_id, self.retry_after = request_id, retry_after
        self.remedy = remedy or self.remedy_of_code

    def __str__(self) -> str:
        place = " ".join(word for word in (self.code, str(self.status) if self.status else "") if word)
        return f"{self.message} [{place}] — {self.remedy}" if place else f"{self.message} — {self.remedy}"


class Invalid(AgentMemoryError):
    remedy_of_code = "change the field that the message names"


class Unauthenticated(AgentMemoryError):
    remedy_of_code = "give token= or token_file= a valid token of a ServiceAccount for this server"


class Denied(AgentMemoryError):
    remedy_of_code = "ask whoever owns the Agent or the namespace for the right, or leave this call out"


class Misdirected(Denied):
    remedy_of_code = "use a name of the server that it knows, such as 127.0.0.1"


class NotFound(AgentMemoryError):
    remedy_of_code = "it does not exist, is deleted, has expired, or belongs to another caller"


class Conflict(AgentMemoryError):
    remedy_of_code = "read what is there, then decide"


class PreconditionFailed(Conflict):
    remedy_of_code = "another writer was first: read again, then repeat the change"


class KeyReused(Conflict):
    remedy_of_code = "use a new Idempotency-Key for another body"


class TooLarge(AgentMemoryError):
    remedy_of_code = "send less, or in parts"


class OverQuota(AgentMemoryError):
    remedy_of_code = "retry after retry_after seconds"


class Unavailable(AgentMemoryError):
    remedy_of_code = "retry later; nothing was stored"


class Full(AgentMemoryError):
    remedy_of_code = "delete something, or raise the quota or the volume that the message names"


class Unreachable(AgentMemoryError):
    remedy_of_code = "check the address and that the server or sidecar runs (agent-memory status)"


class Damaged(AgentMemoryError):
    """What was read is not what was stored."""

    remedy_of_code = "continue from an earlier state"


BY_CODE: dict[str, type[AgentMemoryError]] = {
    "invalid": Invalid, "unauthenticated": Unauthenticated, "denied": Denied, "misdirected": Misdirected,
    "not_found": NotFound, "conflict": Conflict, "precondition_failed": PreconditionFailed, "too_large": TooLarge,
    "idempotency_key_reused": KeyReused, "over_quota": OverQuota, "unavailable": Unavailable, "full": Full}
BY_STATUS: dict[int, type[AgentMemoryError]] = {
    400: Invalid, 401: Unauthenticated, 403: Denied, 404: NotFound, 405: NotFound, 409: Conflict, 412: PreconditionFailed,
    413: TooLarge, 415: Invalid, 421: Misdirected, 422: KeyReused, 429: OverQuota, 503: Unavailable, 507: Full}


def error_of(status: int, body: Any, headers: dict[str, str]) -> AgentMemoryError:
    """The exception of an answer that is no success."""
    told = body if isinstance(body, dict) else {}
    code, message = str(told.get("code", "")), str(told.get("error", "")) or f"the answer has status {status}"
    kind = BY_CODE.get(code) or BY_STATUS.get(status, AgentMemoryError)
    return kind(message, code=code, status=status, request_id=headers.get("x-request-id", ""),
                retry_after=seconds(headers.get("retry-after")))


def seconds(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
