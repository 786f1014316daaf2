"""A function for each operation: its request, and the type of its answer. Written by generate.py from the OpenAPI document: do not edit."""
from __future__ import annotations

from typing import Any, Literal

from . import models
from .wire import UNSET, Call, quote


def get_context(
        *, q: str | None = None, query: str | None = None, project: str | None = None, type: str | None = None,
        scope: str | None = None, limit: int | None = None, sessions: int | None = None,
        backfill: bool | None = None, due: int | None = None, as_of: str | None = None,
        conversation: str | None = None, user: str | None = None, agent: str | None = None) -> Call[models.Context]:
    """What a prompt gets: last sessions, observations that fit, and what is due."""
    return Call(
        "GET",
        "/context",
        query={
                "q": q, "query": query, "project": project, "type": type, "scope": scope, "limit": limit,
                "sessions": sessions, "backfill": backfill, "due": due, "as_of": as_of,
                "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def list_conversations(
        *, state: str | None = None, limit: int | None = None, cursor: int | None = None) -> Call[models.Conversations]:
    """Conversations, the last used first, in pages."""
    return Call(
        "GET",
        "/conversations",
        query={"state": state, "limit": limit, "cursor": cursor},
        repeats=True,
        rows="conversations",
    )


def get_current_conversation() -> Call[models.Conversation]:
    """The newest open conversation."""
    return Call(
        "GET",
        "/conversations/current",
        repeats=True,
    )


def delete_conversation(id: str) -> Call[None]:
    """Removes a conversation with all that is kept about it."""
    return Call(
        "DELETE",
        f"/conversations/{quote(id)}",
        repeats=True,
    )


def list_blocks(id: str, *, limit: int | None = None, cursor: int | None = None) -> Call[models.Blocks]:
    """The blocks of a conversation, in pages."""
    return Call(
        "GET",
        f"/conversations/{quote(id)}/blocks",
        query={"limit": limit, "cursor": cursor},
        repeats=True,
        rows="blocks",
    )


def begin_block(id: str) -> Call[models.BegunBlock]:
    """Begins a block, and closes the one before."""
    return Call(
        "POST",
        f"/conversations/{quote(id)}/blocks",
        body={},
    )


def close_block(id: str, *, outcome: str | None = None) -> Call[models.Block]:
    """Closes the open block."""
    return Call(
        "POST",
        f"/conversations/{quote(id)}/blocks/close",
        body={"outcome": outcome},
    )


def get_block(
        id: str, n: int, *, form: Literal["original", "compact"] | None = None, limit: int | None = None,
        cursor: int | None = None) -> Call[models.BlockMessages]:
    """A block with its messages, original or compact."""
    return Call(
        "GET",
        f"/conversations/{quote(id)}/blocks/{quote(n)}",
        query={"form": form, "limit": limit, "cursor": cursor},
        repeats=True,
        rows="messages",
    )


def get_checkpoint(
        id: str, *, generation: int | None = None, cursor: int | None = None) -> Call[models.Checkpoint]:
    """The last sound checkpoint, in pages."""
    return Call(
        "GET",
        f"/conversations/{quote(id)}/checkpoint",
        query={"generation": generation, "cursor": cursor},
        repeats=True,
    )


def save_checkpoint(
        id: str, *, step: int, memory: dict[str, Any] | None = None,
        messages: list[dict[str, Any]] | None = None, tool_state: dict[str, Any] | None = None,
        ttl: str | int | None = None) -> Call[models.SavedCheckpoint]:
    """Saves where an agent goes on after a crash."""
    return Call(
        "PUT",
        f"/conversations/{quote(id)}/checkpoint",
        body={
                "memory": memory, "messages": messages, "step": step, "tool_state": tool_state, "ttl": ttl},
        repeats=True,
    )


def list_checkpoints(id: str) -> Call[models.Checkpoints]:
    """The generations of checkpoints."""
    return Call(
        "GET",
        f"/conversations/{quote(id)}/checkpoints",
        repeats=True,
    )


def get_conversation_context(id: str, *, max_tokens: int) -> Call[models.PromptContext]:
    """The blocks that fit the window of a model."""
    return Call(
        "GET",
        f"/conversations/{quote(id)}/context",
        query={"max_tokens": max_tokens},
        repeats=True,
    )


def get_messages(
        id: str, *, max_tokens: int | None = None, from_: int | None = None, to: int | None = None,
        limit: int | None = None, newest: int | None = None, max_bytes: int | None = None,
        cursor: int | None = None) -> Call[models.Messages]:
    """Messages by number, or the newest that fit a number of tokens."""
    return Call(
        "GET",
        f"/conversations/{quote(id)}/messages",
        query={
                "max_tokens": max_tokens, "from": from_, "to": to, "limit": limit, "newest": newest,
                "max_bytes": max_bytes, "cursor": cursor},
        repeats=True,
        rows="messages",
    )


def append_messages(
        id: str, *, messages: list[models.Message], delegation: Any = UNSET,
        toolMeta: dict[str, Any] | None = None) -> Call[models.Appended]:
    """Appends messages, and fields of the runtime."""
    return Call(
        "POST",
        f"/conversations/{quote(id)}/messages",
        body={
                "delegation": delegation, "messages": messages, "toolMeta": toolMeta},
        nulls=("delegation",),
    )


def render_task(id: str, *, max_chars: int | None = None) -> Call[models.RenderedTask]:
    """The task as text for a prompt."""
    return Call(
        "GET",
        f"/conversations/{quote(id)}/render",
        query={"max_chars": max_chars},
        repeats=True,
    )


def get_snapshot(id: str) -> Call[models.Snapshot]:
    """The task as a value."""
    return Call(
        "GET",
        f"/conversations/{quote(id)}/snapshot",
        repeats=True,
    )


def put_snapshot(
        id: str, *, files_modified: list[str] | None = None, files_read: list[str] | None = None,
        plan: models.Plan | None = None, task: str | None = None) -> Call[models.Snapshot]:
    """Starts with the task of another conversation."""
    return Call(
        "PUT",
        f"/conversations/{quote(id)}/snapshot",
        body={
                "files_modified": files_modified, "files_read": files_read, "plan": plan, "task": task},
        repeats=True,
    )


def set_conversation_state(id: str, *, state: Literal["open", "ended"] | None = None) -> Call[models.Conversation]:
    """Opens or ends a conversation, and sets fields of the runtime."""
    return Call(
        "PUT",
        f"/conversations/{quote(id)}/state",
        body={"state": state},
        repeats=True,
    )


def put_working(
        id: str, *, actions: list[str] | None = None, budget: models.TaskBudget | None = None,
        files_modified: list[str] | None = None, files_read: list[str] | None = None,
        plan: models.Plan | None = None, task: str | None = None) -> Call[models.Snapshot]:
    """Changes the task."""
    return Call(
        "PUT",
        f"/conversations/{quote(id)}/working",
        body={
                "actions": actions, "budget": budget, "files_modified": files_modified,
                "files_read": files_read, "plan": plan, "task": task},
        repeats=True,
    )


def search_episodes(
        *, agent_id: str, query: str, min_similarity: float | None = None, project: str | None = None,
        top_k: int | None = None, user_id: str | None = None) -> Call[models.FoundEpisodes]:
    """Episodes of an agent that fit a query, best first."""
    return Call(
        "POST",
        "/episodic/search",
        body={
                "agent_id": agent_id, "min_similarity": min_similarity, "project": project, "query": query,
                "top_k": top_k, "user_id": user_id},
        repeats=True,
    )


def store_episode(
        *, agent_id: str, conversation_id: str, summary: str, created_at: str | None = None,
        entities: list[Any] | None = None, key_decisions: list[Any] | None = None,
        metadata: dict[str, Any] | None = None, project: str | None = None, source: models.Source | None = None,
        tools_used: list[str] | None = None, user_id: str | None = None, idempotency_key: str | None = None) -> Call[models.SavedEpisode]:
    """Stores the summary of a conversation."""
    return Call(
        "POST",
        "/episodic/store",
        headers={"Idempotency-Key": idempotency_key},
        body={
                "agent_id": agent_id, "conversation_id": conversation_id, "created_at": created_at,
                "entities": entities, "key_decisions": key_decisions, "metadata": metadata, "project": project,
                "source": source, "summary": summary, "tools_used": tools_used, "user_id": user_id},
    )


def list_episodes(conversation: str, *, project: str | None = None) -> Call[models.Episodes]:
    """The episodes of a conversation."""
    return Call(
        "GET",
        f"/episodic/{quote(conversation)}",
        query={"project": project},
        repeats=True,
    )


def get_health() -> Call[models.Health]:
    """Whether the server is up; needs no token."""
    return Call(
        "GET",
        "/health",
        repeats=True,
    )


def post_turn(
        *, assistant: str | None = None, conversation: str | None = None, project: str | None = None,
        settings: models.IngestSettings | None = None, source: models.Source | None = None,
        user: str | None = None, agent: str | None = None, idempotency_key: str | None = None) -> Call[models.Turn]:
    """Takes a turn, whose facts become traces later."""
    return Call(
        "POST",
        "/ingest/turns",
        headers={
                "X-Memory-Agent": agent, "Idempotency-Key": idempotency_key},
        body={
                "assistant": assistant, "conversation": conversation, "project": project, "settings": settings,
                "source": source, "user": user},
    )


def get_turn(
        turn: str, *, project: str | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> Call[models.TurnState]:
    """The state of a turn, and what became of its facts."""
    return Call(
        "GET",
        f"/ingest/turns/{quote(turn)}",
        query={"project": project, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def retry_turn(
        turn: str, *, conversation: str | None = None, project: str | None = None,
        source: models.Source | None = None, user: str | None = None, agent: str | None = None) -> Call[models.Turn]:
    """Tries a turn again."""
    return Call(
        "POST",
        f"/ingest/turns/{quote(turn)}/retry",
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        body={
                "conversation": conversation, "project": project, "source": source},
    )


def find_items(
        *, project: str | None = None, query: str | None = None, limit: int | None = None) -> Call[models.FoundItems]:
    """Items that fit a query, best first; without one those used last."""
    return Call(
        "GET",
        "/items",
        query={"project": project, "query": query, "limit": limit},
        repeats=True,
    )


def consider_item(
        *, answer: str, user_input: str, project: str | None = None,
        rules: list[models.StoreRule] | None = None) -> Call[models.Considered]:
    """Stores an exchange as an item if a rule selects it."""
    return Call(
        "POST",
        "/items/consider",
        body={
                "answer": answer, "project": project, "rules": rules, "user_input": user_input},
    )


def render_items(
        *, project: str | None = None, query: str | None = None, limit: int | None = None) -> Call[models.RenderedItems]:
    """The same as text for a prompt."""
    return Call(
        "GET",
        "/items/render",
        query={"project": project, "query": query, "limit": limit},
        repeats=True,
    )


def delete_item(key: str, *, project: str | None = None) -> Call[None]:
    """Deletes an item."""
    return Call(
        "DELETE",
        f"/items/{quote(key)}",
        query={"project": project},
        repeats=True,
    )


def get_item(key: str, *, project: str | None = None) -> Call[models.Item]:
    """One item."""
    return Call(
        "GET",
        f"/items/{quote(key)}",
        query={"project": project},
        repeats=True,
    )


def change_item(
        key: str, *, metadata: dict[str, Any] | None = None, ttl: str | int | None = None, value: Any = UNSET,
        project: str | None = None, if_match: str | None = None, if_none_match: str | None = None) -> Call[models.Item]:
    """Changes value, metadata or ttl of an item."""
    return Call(
        "PATCH",
        f"/items/{quote(key)}",
        query={"project": project},
        headers={"If-Match": if_match, "If-None-Match": if_none_match},
        body={"metadata": metadata, "ttl": ttl, "value": value},
        nulls=("value",),
    )


def put_item(
        key: str, *, value: Any, metadata: dict[str, Any] | None = None, ttl: str | int | None = None,
        project: str | None = None, if_match: str | None = None, if_none_match: str | None = None) -> Call[models.Item]:
    """Stores a value under a key; its life begins again."""
    return Call(
        "PUT",
        f"/items/{quote(key)}",
        query={"project": project},
        headers={"If-Match": if_match, "If-None-Match": if_none_match},
        body={"metadata": metadata, "ttl": ttl, "value": value},
        nulls=("value",),
        repeats=True,
    )


def list_ledger(
        conversation: str, *, limit: int | None = None, cursor: str | None = None) -> Call[models.Ledger]:
    """What a conversation has in its transcript, in pages."""
    return Call(
        "GET",
        f"/ledger/{quote(conversation)}",
        query={"limit": limit, "cursor": cursor},
        repeats=True,
        rows="items",
    )


def check_ledger(conversation: str, *, item: str, value: str | None = None) -> Call[models.LedgerAnswer]:
    """Whether an item is marked."""
    return Call(
        "POST",
        f"/ledger/{quote(conversation)}/check",
        body={"item": item, "value": value},
        repeats=True,
    )


def evict_from_ledger(conversation: str, *, item: str, value: str | None = None) -> Call[models.LedgerAnswer]:
    """Removes the mark of an item."""
    return Call(
        "POST",
        f"/ledger/{quote(conversation)}/evict",
        body={"item": item, "value": value},
    )


def mark_in_ledger(conversation: str, *, item: str, value: str | None = None) -> Call[models.LedgerAnswer]:
    """Marks an item as injected."""
    return Call(
        "POST",
        f"/ledger/{quote(conversation)}/mark",
        body={"item": item, "value": value},
    )


def save_observation(
        *, content: str, project: str, session_id: str, title: str, type: str, replace_user: bool | None = None,
        scope: str | None = None, source: models.Source | None = None, tags: list[str] | None = None,
        topic_key: str | None = None, idempotency_key: str | None = None) -> Call[models.SavedObservation]:
    """Stores an observation, updates the one of its topic key, or counts a repetition."""
    return Call(
        "POST",
        "/observations",
        headers={"Idempotency-Key": idempotency_key},
        body={
                "content": content, "project": project, "replace_user": replace_user, "scope": scope,
                "session_id": session_id, "source": source, "tags": tags, "title": title,
                "topic_key": topic_key, "type": type},
    )


def list_hidden(
        *, project: str | None = None, type: str | None = None, scope: str | None = None,
        limit: int | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> Call[list[models.HiddenObservation]]:
    """The observations that clients hid, the one hidden last first."""
    return Call(
        "GET",
        "/observations/hidden",
        query={
                "project": project, "type": type, "scope": scope, "limit": limit, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def list_observations(
        *, project: str | None = None, type: str | None = None, scope: str | None = None,
        limit: int | None = None, cursor: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> Call[list[models.Observation]]:
    """The newest observations, in pages."""
    return Call(
        "GET",
        "/observations/recent",
        query={
                "project": project, "type": type, "scope": scope, "limit": limit, "cursor": cursor,
                "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
        rows="",
    )


def delete_observation(
        id: int, *, hard: bool | None = None, report: bool | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> Call[models.Quotes | None]:
    """Hides an observation; with hard erases it, and reports what still quotes it."""
    return Call(
        "DELETE",
        f"/observations/{quote(id)}",
        query={
                "hard": hard, "report": report, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def get_observation(
        id: int, *, revision: int | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> Call[models.Observation]:
    """One observation, or a revision of it."""
    return Call(
        "GET",
        f"/observations/{quote(id)}",
        query={"revision": revision, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def change_observation(
        id: int, *, buried: bool | None = None, content: str | None = None, pinned: bool | None = None,
        replace_user: bool | None = None, source: models.Source | None = None, tags: list[str] | None = None,
        title: str | None = None, type: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None, if_match: str | None = None) -> Call[models.Observation]:
    """Changes fields of an observation; the old text is kept as a revision."""
    return Call(
        "PATCH",
        f"/observations/{quote(id)}",
        query={"conversation": conversation},
        headers={
                "X-Memory-User": user, "X-Memory-Agent": agent, "If-Match": if_match},
        body={
                "buried": buried, "content": content, "pinned": pinned, "replace_user": replace_user,
                "source": source, "tags": tags, "title": title, "type": type},
    )


def restore_observation(
        id: int, *, conversation: str | None = None, user: str | None = None, agent: str | None = None) -> Call[models.Observation]:
    """Shows a hidden observation again."""
    return Call(
        "POST",
        f"/observations/{quote(id)}/restore",
        query={"conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
    )


def list_revisions(
        id: int, *, limit: int | None = None, cursor: int | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> Call[list[models.Revision]]:
    """The texts that an observation had, in pages."""
    return Call(
        "GET",
        f"/observations/{quote(id)}/revisions",
        query={
                "limit": limit, "cursor": cursor, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
        rows="",
    )


def get_openapi() -> Call[Any]:
    """This document."""
    return Call(
        "GET",
        "/openapi.json",
        repeats=True,
    )


def get_retention(*, project: str) -> Call[models.Retention]:
    """How long a project's observations are kept."""
    return Call(
        "GET",
        "/retention",
        query={"project": project},
        repeats=True,
    )


def set_retention(*, retention: list[models.RetentionRule], project: str) -> Call[models.Retention]:
    """Sets how long a project's observations are kept."""
    return Call(
        "PUT",
        "/retention",
        query={"project": project},
        body={"retention": retention},
        repeats=True,
    )


def search(
        *, q: str | None = None, query: str | None = None, syntax: Literal["plain", "fts5"] | None = None,
        project: str | None = None, type: str | None = None, scope: str | None = None, limit: int | None = None,
        as_of: str | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> Call[list[models.Hit]]:
    """Observations that fit a query, best first."""
    return Call(
        "GET",
        "/search",
        query={
                "q": q, "query": query, "syntax": syntax, "project": project, "type": type, "scope": scope,
                "limit": limit, "as_of": as_of, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def begin_session(*, id: str, project: str, predecessor: str | None = None) -> Call[models.Session]:
    """Begins a session; one that exists is returned as it is."""
    return Call(
        "POST",
        "/sessions",
        body={"id": id, "predecessor": predecessor, "project": project},
    )


def list_sessions(
        *, project: str | None = None, limit: int | None = None, cursor: str | None = None,
        conversation: str | None = None, user: str | None = None, agent: str | None = None) -> Call[list[models.Session]]:
    """The newest sessions, in pages."""
    return Call(
        "GET",
        "/sessions/recent",
        query={
                "project": project, "limit": limit, "cursor": cursor, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
        rows="",
    )


def end_session(
        id: str, *, messages: list[models.SummaryMessage] | None = None, omitted: int | None = None,
        project: str | None = None, interim: bool | None = None) -> Call[models.EndedSession]:
    """Ends a session with its transcript, of which a summary is made."""
    return Call(
        "POST",
        f"/sessions/{quote(id)}/end",
        query={"project": project, "interim": interim},
        body={"messages": messages, "omitted": omitted},
    )


def list_shared(
        *, agent: str | None = None, as_: str | None = None, cursor: str | None = None) -> Call[dict[str, Any]]:
    """The values that the caller may read, in pages."""
    return Call(
        "GET",
        "/shared",
        query={"agent": agent, "as": as_, "cursor": cursor},
        repeats=True,
        rows="*",
    )


def delete_shared(
        agent: str, key: str, *, as_: str | None = None, if_match: str | None = None,
        if_none_match: str | None = None) -> Call[None]:
    """Deletes a shared value."""
    return Call(
        "DELETE",
        f"/shared/{quote(agent)}/{quote(key)}",
        query={"as": as_},
        headers={"If-Match": if_match, "If-None-Match": if_none_match},
        repeats=True,
    )


def get_shared(agent: str, key: str, *, as_: str | None = None) -> Call[Any]:
    """A value that an Agent shares."""
    return Call(
        "GET",
        f"/shared/{quote(agent)}/{quote(key)}",
        query={"as": as_},
        repeats=True,
    )


def put_shared(
        agent: str, key: str, value: Any, *, as_: str | None = None, ttl: str | None = None,
        if_match: str | None = None, if_none_match: str | None = None) -> Call[models.SavedShared]:
    """Shares a value."""
    return Call(
        "PUT",
        f"/shared/{quote(agent)}/{quote(key)}",
        query={"as": as_, "ttl": ttl},
        headers={"If-Match": if_match, "If-None-Match": if_none_match},
        whole=value,
        repeats=True,
    )


def get_stats(
        *, project: str | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> Call[models.Stats]:
    """Counts of sessions and observations, and the projects."""
    return Call(
        "GET",
        "/stats",
        query={"project": project, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def get_timeline(
        *, observation_id: int, before: int | None = None, after: int | None = None, limit: int | None = None,
        cursor: str | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> Call[list[models.Observation]]:
    """The observations of a session around one of them."""
    return Call(
        "GET",
        "/timeline",
        query={
                "observation_id": observation_id, "before": before, "after": after, "limit": limit,
                "cursor": cursor, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def add_trace(
        *, content: str, conversation: str | None = None, emotions: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None, project: str | None = None, remindAt: Any = UNSET,
        scope: Literal["thread", "user", "persona", "organization"] | None = None,
        source: models.Source | None = None, tags: list[str] | None = None,
        type: Literal["episodic", "semantic", "procedural", "prospective"] | None = None,
        user: str | None = None, agent: str | None = None) -> Call[models.SavedTrace]:
    """Adds a trace, or finds the one that says the same."""
    return Call(
        "POST",
        "/traces",
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        body={
                "content": content, "conversation": conversation, "emotions": emotions, "metadata": metadata,
                "project": project, "remindAt": remindAt, "scope": scope, "source": source, "tags": tags,
                "type": type},
        nulls=("remindAt",),
    )


def list_due(
        *, limit: int | None = None, project: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> Call[models.DueTraces]:
    """Reminders whose time has come, the latest first."""
    return Call(
        "GET",
        "/traces/due",
        query={
                "limit": limit, "project": project, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def merge_traces(
        *, traceIds: list[str], content: str | None = None, conversation: str | None = None,
        project: str | None = None, replace_user: bool | None = None, source: models.Source | None = None,
        user: str | None = None, agent: str | None = None) -> Call[models.MergedTraces]:
    """Makes one trace of several."""
    return Call(
        "POST",
        "/traces/merge",
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        body={
                "content": content, "conversation": conversation, "project": project,
                "replace_user": replace_user, "source": source, "traceIds": traceIds},
    )


def reflect(
        *, conversation: str | None = None, dryRun: bool | None = None, project: str | None = None,
        source: models.Source | None = None, topic: str | None = None, user: str | None = None,
        agent: str | None = None) -> Call[models.Run]:
    """Runs a consolidation."""
    return Call(
        "POST",
        "/traces/reflect",
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        body={
                "conversation": conversation, "dryRun": dryRun, "project": project, "source": source,
                "topic": topic},
    )


def list_runs(
        *, limit: int | None = None, project: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> Call[models.Runs]:
    """The last runs of consolidation."""
    return Call(
        "GET",
        "/traces/reflect/runs",
        query={
                "limit": limit, "project": project, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def undo_run(
        run: str, *, conversation: str | None = None, project: str | None = None,
        source: models.Source | None = None, user: str | None = None, agent: str | None = None) -> Call[models.RunCounts]:
    """Undoes a run of consolidation."""
    return Call(
        "POST",
        f"/traces/reflect/runs/{quote(run)}/undo",
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        body={
                "conversation": conversation, "project": project, "source": source},
    )


def search_traces(
        *, query: str, conversation: str | None = None, limit: int | None = None,
        mood: dict[str, Any] | None = None, project: str | None = None,
        scope: Literal["thread", "user", "persona", "organization"] | None = None,
        settings: models.IngestSettings | None = None, source: models.Source | None = None,
        type: Literal["episodic", "semantic", "procedural", "prospective"] | None = None,
        user: str | None = None, agent: str | None = None) -> Call[models.FoundTraces]:
    """Traces that fit a query, best first."""
    return Call(
        "POST",
        "/traces/search",
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        body={
                "conversation": conversation, "limit": limit, "mood": mood, "project": project, "query": query,
                "scope": scope, "settings": settings, "source": source, "type": type},
        repeats=True,
    )


def delete_trace(
        id: str, *, conversation: str | None = None, project: str | None = None, reason: str | None = None,
        replace_user: bool | None = None, source: models.Source | None = None, user: str | None = None,
        agent: str | None = None) -> Call[models.DeletedTrace]:
    """Hides a trace, with the reason."""
    return Call(
        "DELETE",
        f"/traces/{quote(id)}",
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        body={
                "conversation": conversation, "project": project, "reason": reason,
                "replace_user": replace_user, "source": source},
        repeats=True,
    )


def get_trace(
        id: str, *, deleted: bool | None = None, project: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> Call[models.WholeTrace]:
    """A trace with its edges and sources."""
    return Call(
        "GET",
        f"/traces/{quote(id)}",
        query={
                "deleted": deleted, "project": project, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def change_trace(
        id: str, *, content: str | None = None, conversation: str | None = None, project: str | None = None,
        replace_user: bool | None = None, source: models.Source | None = None, tags: list[str] | None = None,
        user: str | None = None, agent: str | None = None) -> Call[models.ChangedTrace]:
    """Changes content or tags of a trace."""
    return Call(
        "PATCH",
        f"/traces/{quote(id)}",
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        body={
                "content": content, "conversation": conversation, "project": project,
                "replace_user": replace_user, "source": source, "tags": tags},
    )


def delete_edge(
        id: str, to: str, *, conversation: str | None = None, project: str | None = None,
        source: models.Source | None = None, user: str | None = None, agent: str | None = None) -> Call[None]:
    """Deletes an edge."""
    return Call(
        "DELETE",
        f"/traces/{quote(id)}/edges/{quote(to)}",
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        body={
                "conversation": conversation, "project": project, "source": source},
        repeats=True,
    )


def put_edge(
        id: str, to: str, *, conversation: str | None = None, kind: str | None = None,
        project: str | None = None, source: models.Source | None = None, weight: float | None = None,
        user: str | None = None, agent: str | None = None) -> Call[models.Edge]:
    """Sets an edge from one trace to another."""
    return Call(
        "PUT",
        f"/traces/{quote(id)}/edges/{quote(to)}",
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        body={
                "conversation": conversation, "kind": kind, "project": project, "source": source,
                "weight": weight},
        repeats=True,
    )


def get_original(
        id: str, *, project: str | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> Call[models.OriginalText]:
    """The text of a trace before its gist."""
    return Call(
        "GET",
        f"/traces/{quote(id)}/original",
        query={"project": project, "conversation": conversation},
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        repeats=True,
    )


def unmerge_trace(
        id: str, *, conversation: str | None = None, project: str | None = None,
        replace_user: bool | None = None, source: models.Source | None = None, user: str | None = None,
        agent: str | None = None) -> Call[models.RestoredTraces]:
    """Restores the sources of a merged trace."""
    return Call(
        "POST",
        f"/traces/{quote(id)}/unmerge",
        headers={"X-Memory-User": user, "X-Memory-Agent": agent},
        body={
                "conversation": conversation, "project": project, "replace_user": replace_user,
                "source": source},
    )


def delete_working_memory(conversation_id: str, *, fields: list[str] | None = None) -> Call[models.DeletedFields]:
    """Deletes fields by name, or all."""
    return Call(
        "DELETE",
        f"/working-memory/{quote(conversation_id)}",
        body={"fields": fields},
        repeats=True,
    )


def get_working_memory(conversation_id: str) -> Call[models.WorkingMemory]:
    """The fields of a conversation; they live on from now."""
    return Call(
        "GET",
        f"/working-memory/{quote(conversation_id)}",
        repeats=True,
    )


def put_working_memory(
        conversation_id: str, *, fields: dict[str, Any], ttl_seconds: int | None = None,
        if_match: str | None = None) -> Call[models.WorkingMemory]:
    """Sets fields by name."""
    return Call(
        "PUT",
        f"/working-memory/{quote(conversation_id)}",
        headers={"If-Match": if_match},
        body={"fields": fields, "ttl_seconds": ttl_seconds},
        repeats=True,
    )
