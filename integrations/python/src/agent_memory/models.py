"""Bodies and answers of the memory API as typed dictionaries. Written by generate.py from the OpenAPI document: do not edit."""
from __future__ import annotations

from typing import Any, Literal, TypedDict


class Appended(TypedDict):
    count: int
    last: int


class BegunBlock(TypedDict):
    block: int


Block = TypedDict("Block", {
    "block": "int",
    "closed_at": "str | None",
    "from": "int",
    "opened_at": "str",
    "query": "str",
    "state": "Literal[\"open\", \"closed\"]",
    "summary": "str",
    "to": "int",
    "tokens": "int",
    "tools": "dict[str, Any]",
})


_BlockMessagesRequired = TypedDict("_BlockMessagesRequired", {
    "block": "int",
    "closed_at": "str | None",
    "from": "int",
    "messages": "list[Message]",
    "opened_at": "str",
    "query": "str",
    "state": "Literal[\"open\", \"closed\"]",
    "summary": "str",
    "to": "int",
    "tokens": "int",
    "tools": "dict[str, Any]",
})


class BlockMessages(_BlockMessagesRequired, total=False):
    next_cursor: str
    partial: bool


class _BlocksRequired(TypedDict):
    blocks: list[Block]
    conversation: str


class Blocks(_BlocksRequired, total=False):
    next_cursor: str
    partial: bool


class ChangedTrace(TypedDict):
    updated: bool


class _CheckpointRequired(TypedDict):
    bytes: int
    conversation: str
    expires_at: str
    generation: int
    messages: list[dict[str, Any]]
    saved_at: str
    sha256: str
    step: int


class Checkpoint(_CheckpointRequired, total=False):
    memory: dict[str, Any]
    messages_removed: int
    next_cursor: str
    partial: bool
    skipped: list[Any]
    tool_state: dict[str, Any]


class CheckpointRow(TypedDict):
    bytes: int
    expires_at: str
    generation: int
    saved_at: str
    sha256: str
    step: int


class Checkpoints(TypedDict):
    checkpoints: list[CheckpointRow]
    conversation: str


class Considered(TypedDict):
    key: str
    rule: str
    store: bool


class _ContextRequired(TypedDict):
    recent_observations: list[Recalled]
    recent_sessions: list[SessionSummary]


class Context(_ContextRequired, total=False):
    due: list[DueTrace]
    partial: bool


class Conversation(TypedDict):
    conversation: str
    created_at: str
    id: str
    memory_session_id: str
    message_count: int
    state: str
    turn: int
    updated_at: str


class _ConversationsRequired(TypedDict):
    conversations: list[Conversation]


class Conversations(_ConversationsRequired, total=False):
    next_cursor: str
    partial: bool


class DeletedFields(TypedDict):
    deleted: int


class DeletedTrace(TypedDict):
    deleted: bool


class _DueTraceRequired(TypedDict):
    content: str
    createdAt: int
    emotions: dict[str, Any]
    id: str
    lastAccessed: int
    metadata: dict[str, Any]
    observationId: int
    project: str
    retrievalCount: int
    revisions: int
    scope: Literal["thread", "user", "persona", "organization"]
    scopeId: str
    source: Source
    strength: float
    tags: list[str]
    type: Literal["episodic", "semantic", "procedural", "prospective"]


class DueTrace(_DueTraceRequired, total=False):
    deletedAt: int
    reason: str
    remindAt: int


class DueTraces(TypedDict):
    traces: list[DueTrace]


class Edge(TypedDict):
    kind: str
    to: str
    weight: float


class EndedSession(TypedDict):
    message_count: int
    session_id: str
    summary: str
    tool_results: int


class Episode(TypedDict):
    agent_id: str
    conversation_id: str
    created_at: str
    entities: list[Any]
    id: int
    key_decisions: list[Any]
    metadata: dict[str, Any]
    summary: str
    tools_used: list[str]
    user_id: str | None


class Episodes(TypedDict):
    conversation_id: str
    memories: list[Episode]


class Error(TypedDict):
    code: str
    error: str


class FoundEpisode(TypedDict):
    agent_id: str
    conversation_id: str
    created_at: str
    entities: list[Any]
    id: int
    key_decisions: list[Any]
    metadata: dict[str, Any]
    method: str
    similarity: float
    summary: str
    tools_used: list[str]
    user_id: str | None


class FoundEpisodes(TypedDict):
    results: list[FoundEpisode]


class FoundItem(TypedDict):
    accessed: str
    created: str
    key: str
    metadata: dict[str, Any]
    method: str
    score: float
    ttl: int
    value: Any
    version: int


class _FoundItemsRequired(TypedDict):
    items: list[FoundItem]


class FoundItems(_FoundItemsRequired, total=False):
    partial: bool


class FoundTrace(TypedDict):
    content: str
    id: str
    scope: str
    score: float
    scores: TraceScores
    source: Source
    strength: float
    tags: list[str]
    type: str


class _FoundTracesRequired(TypedDict):
    results: list[FoundTrace]


class FoundTraces(_FoundTracesRequired, total=False):
    partial: bool


class Health(TypedDict):
    status: str


class HiddenObservation(TypedDict):
    content: str
    created_at: str
    duplicate_count: int
    hidden_at: str
    id: int
    last_seen_at: str
    normalized_hash: str
    project: str
    revision_count: int
    scope: str
    session_id: str
    source: Source
    tags: list[str]
    title: str
    topic_key: str
    type: str
    updated_at: str


class _HitRequired(TypedDict):
    content: str
    created_at: str
    id: int
    method: str
    project: str
    rank: float
    revision_count: int
    scope: str
    session_id: str
    source: Source
    tags: list[str]
    title: str
    topic_key: str
    trust: str
    type: str


class Hit(_HitRequired, total=False):
    scores: Scores


class ImportReport(TypedDict):
    errors: list[Any]
    imported: int
    imported_observations: int
    imported_sessions: int
    skipped: int


class IngestSettings(TypedDict, total=False):
    personality: dict[str, Any]
    storage: dict[str, Any]


class Item(TypedDict):
    accessed: str
    created: str
    key: str
    metadata: dict[str, Any]
    ttl: int
    value: Any
    version: int


class _LedgerRequired(TypedDict):
    conversation: str
    items: list[LedgerEntry]


class Ledger(_LedgerRequired, total=False):
    next_cursor: str
    partial: bool


class _LedgerAnswerRequired(TypedDict):
    conversation: str
    injected: bool
    item: str


class LedgerAnswer(_LedgerAnswerRequired, total=False):
    evicted: bool
    marked_at: str
    turn: int
    value: str


class LedgerEntry(TypedDict):
    item: str
    marked_at: str
    turn: int
    value: str


class _LoggedRunRequired(TypedDict):
    compacted: int
    derive: str
    derived: int
    dryRun: bool
    durationMs: int
    merged: int
    pruned: int
    runId: str | None
    startedAt: int
    strengthened: int
    undoneAt: int | None


class LoggedRun(_LoggedRunRequired, total=False):
    busy: bool
    partial: bool


class MergedTraces(TypedDict):
    mergedTraceId: str
    sourcesDeleted: int


class _MessageRequired(TypedDict):
    role: Literal["user", "assistant", "tool", "system"]


class Message(_MessageRequired, total=False):
    content: str
    is_error: bool
    sequence: int
    tool_call_id: str
    tool_calls: list[Any]


class _MessagesRequired(TypedDict):
    conversation: str
    fields: dict[str, Any]
    last: int
    memory_session_id: str
    messages: list[Message]
    state: str


class Messages(_MessagesRequired, total=False):
    next_cursor: str
    partial: bool


class Observation(TypedDict):
    content: str
    created_at: str
    duplicate_count: int
    id: int
    last_seen_at: str
    normalized_hash: str
    project: str
    revision_count: int
    scope: str
    session_id: str
    source: Source
    tags: list[str]
    title: str
    topic_key: str
    type: str
    updated_at: str


class OriginalText(TypedDict):
    archivedAt: int | None
    verbatimContent: str | None


class Plan(TypedDict, total=False):
    goal: str
    steps: list[PlanStep]


class _PlanStepRequired(TypedDict):
    text: str


class PlanStep(_PlanStepRequired, total=False):
    id: str
    status: Literal["pending", "in_progress", "completed", "cancelled"]


class _PromptContextRequired(TypedDict):
    blocks: list[int]
    budget: int
    left_out: list[int]
    messages: list[Message]
    tokens: int


class PromptContext(_PromptContextRequired, total=False):
    partial: bool


class Quote(TypedDict):
    how: str
    name: str
    place: str


class _QuotesRequired(TypedDict):
    left: list[Quote]
    texts: list[str]
    titles: list[str]


class Quotes(_QuotesRequired, total=False):
    partial: bool


class _RecalledRequired(TypedDict):
    content: str
    created_at: str
    id: int
    method: str
    rank: float
    revision_count: int
    scope: str
    session_id: str
    source: Source
    title: str
    trust: str
    type: str


class Recalled(_RecalledRequired, total=False):
    scores: Scores


class RenderedItems(TypedDict):
    items: list[str]
    suggested_role: str
    text: str


class _RenderedTaskRequired(TypedDict):
    chars: int
    suggested_role: str
    text: str


class RenderedTask(_RenderedTaskRequired, total=False):
    partial: bool


class RestoredTraces(TypedDict):
    restored: list[str]


class Retention(TypedDict):
    project: str
    retention: list[RetentionRule]


class RetentionRule(TypedDict, total=False):
    maxRows: int
    scope: Literal["project", "global"]
    ttl: str
    type: str


class _RevisionRequired(TypedDict):
    content: str
    revision: int
    tags: list[str]
    title: str
    trust: str
    type: str
    written_at: str


class Revision(_RevisionRequired, total=False):
    replaced_at: str


class _RunRequired(TypedDict):
    compacted: int
    derive: str
    derived: int
    dryRun: bool
    durationMs: int
    merged: int
    pruned: int
    runId: str | None
    strengthened: int


class Run(_RunRequired, total=False):
    busy: bool
    partial: bool


class RunCounts(TypedDict):
    compacted: int
    derived: int
    merged: int
    pruned: int
    strengthened: int


class Runs(TypedDict):
    runs: list[LoggedRun]


class SavedCheckpoint(TypedDict):
    bytes: int
    expires_at: str
    generation: int
    sha256: str
    step: int


class SavedEpisode(TypedDict):
    created_at: str
    id: int


class SavedObservation(TypedDict):
    action: Literal["created", "updated", "deduplicated"]
    duplicate_count: int
    id: int
    revision_count: int


class SavedShared(TypedDict):
    key: str
    version: int


class SavedTrace(TypedDict):
    traceId: str


class _ScoresRequired(TypedDict):
    lexical: float
    similarity: float | None


class Scores(_ScoresRequired, total=False):
    answer: float
    session: float
    soft: float


class _SessionRequired(TypedDict):
    id: str
    message_count: int
    project: str
    started_at: str


class Session(_SessionRequired, total=False):
    ended_at: str
    predecessor: str
    summary: str


class _SessionSummaryRequired(TypedDict):
    id: str
    summary: str


class SessionSummary(_SessionSummaryRequired, total=False):
    ended_at: str


class Snapshot(TypedDict):
    files_modified: list[str]
    files_read: list[str]
    plan: Plan
    task: str


class Source(TypedDict, total=False):
    origin: str
    rule: str
    tool: str
    tool_call_id: str


class Stats(TypedDict):
    projects: list[str]
    total_observations: int
    total_sessions: int


class StoreRule(TypedDict, total=False):
    match: str
    minLength: int


class SummaryMessage(TypedDict):
    content: str
    role: str


class TaskBudget(TypedDict, total=False):
    used_tokens: int
    window_tokens: int


class TraceScores(TypedDict):
    emotion: float
    graph: float
    importance: float
    lexical: float
    recency: float
    similarity: float
    strength: float


class Turn(TypedDict):
    turn: str


class _TurnStateRequired(TypedDict):
    facts: list[Any]
    state: Literal["pending", "done", "failed"]


class TurnState(_TurnStateRequired, total=False):
    reason: str


class _WholeTraceRequired(TypedDict):
    content: str
    createdAt: int
    edges: list[Edge]
    emotions: dict[str, Any]
    id: str
    lastAccessed: int
    mergedInto: str | None
    metadata: dict[str, Any]
    observationId: int
    project: str
    retrievalCount: int
    revisions: int
    scope: Literal["thread", "user", "persona", "organization"]
    scopeId: str
    source: Source
    sources: list[str]
    strength: float
    tags: list[str]
    type: Literal["episodic", "semantic", "procedural", "prospective"]


class WholeTrace(_WholeTraceRequired, total=False):
    deletedAt: int
    reason: str
    remindAt: int


class WorkingMemory(TypedDict):
    bytes: int
    conversation_id: str
    expires_at: str | None
    fields: dict[str, Any]
    ttl_seconds: int | None
    version: int
