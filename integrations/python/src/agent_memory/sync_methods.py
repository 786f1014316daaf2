"""Methods of Client. Written by generate.py from the OpenAPI document: do not edit."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeVar

from . import calls, models
from .wire import UNSET, Call

T = TypeVar("T")


class SyncMethods:
    """Beneath Client, which sends."""

    def call(self, call: Call[T]) -> T:
        raise NotImplementedError

    def pages(self, call: Call[Any]) -> Iterator[Any]:
        raise NotImplementedError

    def get_context(
        self, *, q: str | None = None, query: str | None = None, project: str | None = None,
        type: str | None = None, scope: str | None = None, limit: int | None = None,
        sessions: int | None = None, backfill: bool | None = None, due: int | None = None,
        as_of: str | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> models.Context:
        """What a prompt gets: last sessions, observations that fit, and what is due."""
        return self.call(calls.get_context(
            q=q, query=query, project=project, type=type, scope=scope, limit=limit, sessions=sessions,
            backfill=backfill, due=due, as_of=as_of, conversation=conversation, user=user, agent=agent))

    def list_conversations(
        self, *, state: str | None = None, limit: int | None = None, cursor: int | None = None) -> models.Conversations:
        """Conversations, the last used first, in pages."""
        return self.call(calls.list_conversations(state=state, limit=limit, cursor=cursor))

    def iter_conversations(
        self, *, state: str | None = None, limit: int | None = None, cursor: int | None = None) -> Iterator[models.Conversation]:
        """All pages of list_conversations, row by row."""
        return self.pages(calls.list_conversations(state=state, limit=limit, cursor=cursor))

    def get_current_conversation(self) -> models.Conversation:
        """The newest open conversation."""
        return self.call(calls.get_current_conversation())

    def delete_conversation(self, id: str) -> None:
        """Removes a conversation with all that is kept about it."""
        return self.call(calls.delete_conversation(id))

    def list_blocks(
        self, id: str, *, limit: int | None = None, cursor: int | None = None) -> models.Blocks:
        """The blocks of a conversation, in pages."""
        return self.call(calls.list_blocks(id, limit=limit, cursor=cursor))

    def iter_blocks(
        self, id: str, *, limit: int | None = None, cursor: int | None = None) -> Iterator[models.Block]:
        """All pages of list_blocks, row by row."""
        return self.pages(calls.list_blocks(id, limit=limit, cursor=cursor))

    def begin_block(self, id: str) -> models.BegunBlock:
        """Begins a block, and closes the one before."""
        return self.call(calls.begin_block(id))

    def close_block(self, id: str, *, outcome: str | None = None) -> models.Block:
        """Closes the open block."""
        return self.call(calls.close_block(id, outcome=outcome))

    def get_block(
        self, id: str, n: int, *, form: Literal["original", "compact"] | None = None, limit: int | None = None,
        cursor: int | None = None) -> models.BlockMessages:
        """A block with its messages, original or compact."""
        return self.call(calls.get_block(id, n, form=form, limit=limit, cursor=cursor))

    def iter_block_messages(
        self, id: str, n: int, *, form: Literal["original", "compact"] | None = None, limit: int | None = None,
        cursor: int | None = None) -> Iterator[models.Message]:
        """All pages of get_block, row by row."""
        return self.pages(calls.get_block(id, n, form=form, limit=limit, cursor=cursor))

    def get_checkpoint(
        self, id: str, *, generation: int | None = None, cursor: int | None = None) -> models.Checkpoint:
        """The last sound checkpoint, in pages."""
        return self.call(calls.get_checkpoint(id, generation=generation, cursor=cursor))

    def save_checkpoint(
        self, id: str, *, step: int, memory: dict[str, Any] | None = None,
        messages: list[dict[str, Any]] | None = None, tool_state: dict[str, Any] | None = None,
        ttl: str | int | None = None) -> models.SavedCheckpoint:
        """Saves where an agent goes on after a crash."""
        return self.call(calls.save_checkpoint(
            id, memory=memory, messages=messages, step=step, tool_state=tool_state, ttl=ttl))

    def list_checkpoints(self, id: str) -> models.Checkpoints:
        """The generations of checkpoints."""
        return self.call(calls.list_checkpoints(id))

    def get_conversation_context(self, id: str, *, max_tokens: int) -> models.PromptContext:
        """The blocks that fit the window of a model."""
        return self.call(calls.get_conversation_context(id, max_tokens=max_tokens))

    def get_messages(
        self, id: str, *, max_tokens: int | None = None, from_: int | None = None, to: int | None = None,
        limit: int | None = None, newest: int | None = None, max_bytes: int | None = None,
        cursor: int | None = None) -> models.Messages:
        """Messages by number, or the newest that fit a number of tokens."""
        return self.call(calls.get_messages(
            id, max_tokens=max_tokens, from_=from_, to=to, limit=limit, newest=newest, max_bytes=max_bytes,
            cursor=cursor))

    def iter_messages(
        self, id: str, *, max_tokens: int | None = None, from_: int | None = None, to: int | None = None,
        limit: int | None = None, newest: int | None = None, max_bytes: int | None = None,
        cursor: int | None = None) -> Iterator[models.Message]:
        """All pages of get_messages, row by row."""
        return self.pages(calls.get_messages(
            id, max_tokens=max_tokens, from_=from_, to=to, limit=limit, newest=newest, max_bytes=max_bytes,
            cursor=cursor))

    def append_messages(
        self, id: str, *, messages: list[models.Message], delegation: Any = UNSET,
        toolMeta: dict[str, Any] | None = None) -> models.Appended:
        """Appends messages, and fields of the runtime."""
        return self.call(calls.append_messages(
            id, delegation=delegation, messages=messages, toolMeta=toolMeta))

    def render_task(self, id: str, *, max_chars: int | None = None) -> models.RenderedTask:
        """The task as text for a prompt."""
        return self.call(calls.render_task(id, max_chars=max_chars))

    def get_snapshot(self, id: str) -> models.Snapshot:
        """The task as a value."""
        return self.call(calls.get_snapshot(id))

    def put_snapshot(
        self, id: str, *, files_modified: list[str] | None = None, files_read: list[str] | None = None,
        plan: models.Plan | None = None, task: str | None = None) -> models.Snapshot:
        """Starts with the task of another conversation."""
        return self.call(calls.put_snapshot(
            id, files_modified=files_modified, files_read=files_read, plan=plan, task=task))

    def set_conversation_state(self, id: str, *, state: Literal["open", "ended"] | None = None) -> models.Conversation:
        """Opens or ends a conversation, and sets fields of the runtime."""
        return self.call(calls.set_conversation_state(id, state=state))

    def put_working(
        self, id: str, *, actions: list[str] | None = None, budget: models.TaskBudget | None = None,
        files_modified: list[str] | None = None, files_read: list[str] | None = None,
        plan: models.Plan | None = None, task: str | None = None) -> models.Snapshot:
        """Changes the task."""
        return self.call(calls.put_working(
            id, actions=actions, budget=budget, files_modified=files_modified, files_read=files_read, plan=plan,
            task=task))

    def search_episodes(
        self, *, agent_id: str, query: str, min_similarity: float | None = None, project: str | None = None,
        top_k: int | None = None, user_id: str | None = None) -> models.FoundEpisodes:
        """Episodes of an agent that fit a query, best first."""
        return self.call(calls.search_episodes(
            agent_id=agent_id, min_similarity=min_similarity, project=project, query=query, top_k=top_k,
            user_id=user_id))

    def store_episode(
        self, *, agent_id: str, conversation_id: str, summary: str, created_at: str | None = None,
        entities: list[Any] | None = None, key_decisions: list[Any] | None = None,
        metadata: dict[str, Any] | None = None, project: str | None = None, source: models.Source | None = None,
        tools_used: list[str] | None = None, user_id: str | None = None, idempotency_key: str | None = None) -> models.SavedEpisode:
        """Stores the summary of a conversation."""
        return self.call(calls.store_episode(
            agent_id=agent_id, conversation_id=conversation_id, created_at=created_at, entities=entities,
            key_decisions=key_decisions, metadata=metadata, project=project, source=source, summary=summary,
            tools_used=tools_used, user_id=user_id, idempotency_key=idempotency_key))

    def list_episodes(self, conversation: str, *, project: str | None = None) -> models.Episodes:
        """The episodes of a conversation."""
        return self.call(calls.list_episodes(conversation, project=project))

    def get_health(self) -> models.Health:
        """Whether the server is up; needs no token."""
        return self.call(calls.get_health())

    def post_turn(
        self, *, assistant: str | None = None, conversation: str | None = None, project: str | None = None,
        settings: models.IngestSettings | None = None, source: models.Source | None = None,
        user: str | None = None, agent: str | None = None, idempotency_key: str | None = None) -> models.Turn:
        """Takes a turn, whose facts become traces later."""
        return self.call(calls.post_turn(
            assistant=assistant, conversation=conversation, project=project, settings=settings, source=source,
            user=user, agent=agent, idempotency_key=idempotency_key))

    def get_turn(
        self, turn: str, *, project: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> models.TurnState:
        """The state of a turn, and what became of its facts."""
        return self.call(calls.get_turn(
            turn, project=project, conversation=conversation, user=user, agent=agent))

    def retry_turn(
        self, turn: str, *, conversation: str | None = None, project: str | None = None,
        source: models.Source | None = None, user: str | None = None, agent: str | None = None) -> models.Turn:
        """Tries a turn again."""
        return self.call(calls.retry_turn(
            turn, conversation=conversation, project=project, source=source, user=user, agent=agent))

    def find_items(
        self, *, project: str | None = None, query: str | None = None, limit: int | None = None) -> models.FoundItems:
        """Items that fit a query, best first; without one those used last."""
        return self.call(calls.find_items(project=project, query=query, limit=limit))

    def consider_item(
        self, *, answer: str, user_input: str, project: str | None = None,
        rules: list[models.StoreRule] | None = None) -> models.Considered:
        """Stores an exchange as an item if a rule selects it."""
        return self.call(calls.consider_item(
            answer=answer, project=project, rules=rules, user_input=user_input))

    def render_items(
        self, *, project: str | None = None, query: str | None = None, limit: int | None = None) -> models.RenderedItems:
        """The same as text for a prompt."""
        return self.call(calls.render_items(project=project, query=query, limit=limit))

    def delete_item(self, key: str, *, project: str | None = None) -> None:
        """Deletes an item."""
        return self.call(calls.delete_item(key, project=project))

    def get_item(self, key: str, *, project: str | None = None) -> models.Item:
        """One item."""
        return self.call(calls.get_item(key, project=project))

    def change_item(
        self, key: str, *, metadata: dict[str, Any] | None = None, ttl: str | int | None = None,
        value: Any = UNSET, project: str | None = None, if_match: str | None = None,
        if_none_match: str | None = None) -> models.Item:
        """Changes value, metadata or ttl of an item."""
        return self.call(calls.change_item(
            key, metadata=metadata, ttl=ttl, value=value, project=project, if_match=if_match,
            if_none_match=if_none_match))

    def put_item(
        self, key: str, *, value: Any, metadata: dict[str, Any] | None = None, ttl: str | int | None = None,
        project: str | None = None, if_match: str | None = None, if_none_match: str | None = None) -> models.Item:
        """Stores a value under a key; its life begins again."""
        return self.call(calls.put_item(
            key, metadata=metadata, ttl=ttl, value=value, project=project, if_match=if_match,
            if_none_match=if_none_match))

    def list_ledger(
        self, conversation: str, *, limit: int | None = None, cursor: str | None = None) -> models.Ledger:
        """What a conversation has in its transcript, in pages."""
        return self.call(calls.list_ledger(conversation, limit=limit, cursor=cursor))

    def iter_ledger(
        self, conversation: str, *, limit: int | None = None, cursor: str | None = None) -> Iterator[models.LedgerEntry]:
        """All pages of list_ledger, row by row."""
        return self.pages(calls.list_ledger(conversation, limit=limit, cursor=cursor))

    def check_ledger(self, conversation: str, *, item: str, value: str | None = None) -> models.LedgerAnswer:
        """Whether an item is marked."""
        return self.call(calls.check_ledger(conversation, item=item, value=value))

    def evict_from_ledger(self, conversation: str, *, item: str, value: str | None = None) -> models.LedgerAnswer:
        """Removes the mark of an item."""
        return self.call(calls.evict_from_ledger(conversation, item=item, value=value))

    def mark_in_ledger(self, conversation: str, *, item: str, value: str | None = None) -> models.LedgerAnswer:
        """Marks an item as injected."""
        return self.call(calls.mark_in_ledger(conversation, item=item, value=value))

    def save_observation(
        self, *, content: str, project: str, session_id: str, title: str, type: str,
        replace_user: bool | None = None, scope: str | None = None, source: models.Source | None = None,
        tags: list[str] | None = None, topic_key: str | None = None, idempotency_key: str | None = None) -> models.SavedObservation:
        """Stores an observation, updates the one of its topic key, or counts a repetition."""
        return self.call(calls.save_observation(
            content=content, project=project, replace_user=replace_user, scope=scope, session_id=session_id,
            source=source, tags=tags, title=title, topic_key=topic_key, type=type,
            idempotency_key=idempotency_key))

    def list_hidden(
        self, *, project: str | None = None, type: str | None = None, scope: str | None = None,
        limit: int | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> list[models.HiddenObservation]:
        """The observations that clients hid, the one hidden last first."""
        return self.call(calls.list_hidden(
            project=project, type=type, scope=scope, limit=limit, conversation=conversation, user=user,
            agent=agent))

    def list_observations(
        self, *, project: str | None = None, type: str | None = None, scope: str | None = None,
        limit: int | None = None, cursor: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> list[models.Observation]:
        """The newest observations, in pages."""
        return self.call(calls.list_observations(
            project=project, type=type, scope=scope, limit=limit, cursor=cursor, conversation=conversation,
            user=user, agent=agent))

    def iter_observations(
        self, *, project: str | None = None, type: str | None = None, scope: str | None = None,
        limit: int | None = None, cursor: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> Iterator[models.Observation]:
        """All pages of list_observations, row by row."""
        return self.pages(calls.list_observations(
            project=project, type=type, scope=scope, limit=limit, cursor=cursor, conversation=conversation,
            user=user, agent=agent))

    def delete_observation(
        self, id: int, *, hard: bool | None = None, report: bool | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> models.Quotes | None:
        """Hides an observation; with hard erases it, and reports what still quotes it."""
        return self.call(calls.delete_observation(
            id, hard=hard, report=report, conversation=conversation, user=user, agent=agent))

    def get_observation(
        self, id: int, *, revision: int | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> models.Observation:
        """One observation, or a revision of it."""
        return self.call(calls.get_observation(
            id, revision=revision, conversation=conversation, user=user, agent=agent))

    def change_observation(
        self, id: int, *, buried: bool | None = None, content: str | None = None, pinned: bool | None = None,
        replace_user: bool | None = None, source: models.Source | None = None, tags: list[str] | None = None,
        title: str | None = None, type: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None, if_match: str | None = None) -> models.Observation:
        """Changes fields of an observation; the old text is kept as a revision."""
        return self.call(calls.change_observation(
            id, buried=buried, content=content, pinned=pinned, replace_user=replace_user, source=source,
            tags=tags, title=title, type=type, conversation=conversation, user=user, agent=agent,
            if_match=if_match))

    def restore_observation(
        self, id: int, *, conversation: str | None = None, user: str | None = None, agent: str | None = None) -> models.Observation:
        """Shows a hidden observation again."""
        return self.call(calls.restore_observation(id, conversation=conversation, user=user, agent=agent))

    def list_revisions(
        self, id: int, *, limit: int | None = None, cursor: int | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> list[models.Revision]:
        """The texts that an observation had, in pages."""
        return self.call(calls.list_revisions(
            id, limit=limit, cursor=cursor, conversation=conversation, user=user, agent=agent))

    def iter_revisions(
        self, id: int, *, limit: int | None = None, cursor: int | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> Iterator[models.Revision]:
        """All pages of list_revisions, row by row."""
        return self.pages(calls.list_revisions(
            id, limit=limit, cursor=cursor, conversation=conversation, user=user, agent=agent))

    def get_openapi(self) -> Any:
        """This document."""
        return self.call(calls.get_openapi())

    def get_retention(self, *, project: str) -> models.Retention:
        """How long a project's observations are kept."""
        return self.call(calls.get_retention(project=project))

    def set_retention(self, *, retention: list[models.RetentionRule], project: str) -> models.Retention:
        """Sets how long a project's observations are kept."""
        return self.call(calls.set_retention(retention=retention, project=project))

    def search(
        self, *, q: str | None = None, query: str | None = None, syntax: Literal["plain", "fts5"] | None = None,
        project: str | None = None, type: str | None = None, scope: str | None = None, limit: int | None = None,
        as_of: str | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> list[models.Hit]:
        """Observations that fit a query, best first."""
        return self.call(calls.search(
            q=q, query=query, syntax=syntax, project=project, type=type, scope=scope, limit=limit, as_of=as_of,
            conversation=conversation, user=user, agent=agent))

    def begin_session(self, *, id: str, project: str, predecessor: str | None = None) -> models.Session:
        """Begins a session; one that exists is returned as it is."""
        return self.call(calls.begin_session(id=id, predecessor=predecessor, project=project))

    def list_sessions(
        self, *, project: str | None = None, limit: int | None = None, cursor: str | None = None,
        conversation: str | None = None, user: str | None = None, agent: str | None = None) -> list[models.Session]:
        """The newest sessions, in pages."""
        return self.call(calls.list_sessions(
            project=project, limit=limit, cursor=cursor, conversation=conversation, user=user, agent=agent))

    def iter_sessions(
        self, *, project: str | None = None, limit: int | None = None, cursor: str | None = None,
        conversation: str | None = None, user: str | None = None, agent: str | None = None) -> Iterator[models.Session]:
        """All pages of list_sessions, row by row."""
        return self.pages(calls.list_sessions(
            project=project, limit=limit, cursor=cursor, conversation=conversation, user=user, agent=agent))

    def end_session(
        self, id: str, *, messages: list[models.SummaryMessage] | None = None, omitted: int | None = None,
        project: str | None = None, interim: bool | None = None) -> models.EndedSession:
        """Ends a session with its transcript, of which a summary is made."""
        return self.call(calls.end_session(
            id, messages=messages, omitted=omitted, project=project, interim=interim))

    def list_shared(
        self, *, agent: str | None = None, as_: str | None = None, cursor: str | None = None) -> dict[str, Any]:
        """The values that the caller may read, in pages."""
        return self.call(calls.list_shared(agent=agent, as_=as_, cursor=cursor))

    def iter_shared(
        self, *, agent: str | None = None, as_: str | None = None, cursor: str | None = None) -> Iterator[tuple[str, Any]]:
        """All pages of list_shared, row by row."""
        return self.pages(calls.list_shared(agent=agent, as_=as_, cursor=cursor))

    def delete_shared(
        self, agent: str, key: str, *, as_: str | None = None, if_match: str | None = None,
        if_none_match: str | None = None) -> None:
        """Deletes a shared value."""
        return self.call(calls.delete_shared(
            agent, key, as_=as_, if_match=if_match, if_none_match=if_none_match))

    def get_shared(self, agent: str, key: str, *, as_: str | None = None) -> Any:
        """A value that an Agent shares."""
        return self.call(calls.get_shared(agent, key, as_=as_))

    def put_shared(
        self, agent: str, key: str, value: Any, *, as_: str | None = None, ttl: str | None = None,
        if_match: str | None = None, if_none_match: str | None = None) -> models.SavedShared:
        """Shares a value."""
        return self.call(calls.put_shared(
            agent, key, value, as_=as_, ttl=ttl, if_match=if_match, if_none_match=if_none_match))

    def get_stats(
        self, *, project: str | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> models.Stats:
        """Counts of sessions and observations, and the projects."""
        return self.call(calls.get_stats(
            project=project, conversation=conversation, user=user, agent=agent))

    def get_timeline(
        self, *, observation_id: int, before: int | None = None, after: int | None = None,
        limit: int | None = None, cursor: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> list[models.Observation]:
        """The observations of a session around one of them."""
        return self.call(calls.get_timeline(
            observation_id=observation_id, before=before, after=after, limit=limit, cursor=cursor,
            conversation=conversation, user=user, agent=agent))

    def add_trace(
        self, *, content: str, conversation: str | None = None, emotions: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None, project: str | None = None, remindAt: Any = UNSET,
        scope: Literal["thread", "user", "persona", "organization"] | None = None,
        source: models.Source | None = None, tags: list[str] | None = None,
        type: Literal["episodic", "semantic", "procedural", "prospective"] | None = None,
        user: str | None = None, agent: str | None = None) -> models.SavedTrace:
        """Adds a trace, or finds the one that says the same."""
        return self.call(calls.add_trace(
            content=content, conversation=conversation, emotions=emotions, metadata=metadata, project=project,
            remindAt=remindAt, scope=scope, source=source, tags=tags, type=type, user=user, agent=agent))

    def list_due(
        self, *, limit: int | None = None, project: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> models.DueTraces:
        """Reminders whose time has come, the latest first."""
        return self.call(calls.list_due(
            limit=limit, project=project, conversation=conversation, user=user, agent=agent))

    def merge_traces(
        self, *, traceIds: list[str], content: str | None = None, conversation: str | None = None,
        project: str | None = None, replace_user: bool | None = None, source: models.Source | None = None,
        user: str | None = None, agent: str | None = None) -> models.MergedTraces:
        """Makes one trace of several."""
        return self.call(calls.merge_traces(
            content=content, conversation=conversation, project=project, replace_user=replace_user,
            source=source, traceIds=traceIds, user=user, agent=agent))

    def reflect(
        self, *, conversation: str | None = None, dryRun: bool | None = None, project: str | None = None,
        source: models.Source | None = None, topic: str | None = None, user: str | None = None,
        agent: str | None = None) -> models.Run:
        """Runs a consolidation."""
        return self.call(calls.reflect(
            conversation=conversation, dryRun=dryRun, project=project, source=source, topic=topic, user=user,
            agent=agent))

    def list_runs(
        self, *, limit: int | None = None, project: str | None = None, conversation: str | None = None,
        user: str | None = None, agent: str | None = None) -> models.Runs:
        """The last runs of consolidation."""
        return self.call(calls.list_runs(
            limit=limit, project=project, conversation=conversation, user=user, agent=agent))

    def undo_run(
        self, run: str, *, conversation: str | None = None, project: str | None = None,
        source: models.Source | None = None, user: str | None = None, agent: str | None = None) -> models.RunCounts:
        """Undoes a run of consolidation."""
        return self.call(calls.undo_run(
            run, conversation=conversation, project=project, source=source, user=user, agent=agent))

    def search_traces(
        self, *, query: str, conversation: str | None = None, limit: int | None = None,
        mood: dict[str, Any] | None = None, project: str | None = None,
        scope: Literal["thread", "user", "persona", "organization"] | None = None,
        settings: models.IngestSettings | None = None, source: models.Source | None = None,
        type: Literal["episodic", "semantic", "procedural", "prospective"] | None = None,
        user: str | None = None, agent: str | None = None) -> models.FoundTraces:
        """Traces that fit a query, best first."""
        return self.call(calls.search_traces(
            conversation=conversation, limit=limit, mood=mood, project=project, query=query, scope=scope,
            settings=settings, source=source, type=type, user=user, agent=agent))

    def delete_trace(
        self, id: str, *, conversation: str | None = None, project: str | None = None,
        reason: str | None = None, replace_user: bool | None = None, source: models.Source | None = None,
        user: str | None = None, agent: str | None = None) -> models.DeletedTrace:
        """Hides a trace, with the reason."""
        return self.call(calls.delete_trace(
            id, conversation=conversation, project=project, reason=reason, replace_user=replace_user,
            source=source, user=user, agent=agent))

    def get_trace(
        self, id: str, *, deleted: bool | None = None, project: str | None = None,
        conversation: str | None = None, user: str | None = None, agent: str | None = None) -> models.WholeTrace:
        """A trace with its edges and sources."""
        return self.call(calls.get_trace(
            id, deleted=deleted, project=project, conversation=conversation, user=user, agent=agent))

    def change_trace(
        self, id: str, *, content: str | None = None, conversation: str | None = None,
        project: str | None = None, replace_user: bool | None = None, source: models.Source | None = None,
        tags: list[str] | None = None, user: str | None = None, agent: str | None = None) -> models.ChangedTrace:
        """Changes content or tags of a trace."""
        return self.call(calls.change_trace(
            id, content=content, conversation=conversation, project=project, replace_user=replace_user,
            source=source, tags=tags, user=user, agent=agent))

    def delete_edge(
        self, id: str, to: str, *, conversation: str | None = None, project: str | None = None,
        source: models.Source | None = None, user: str | None = None, agent: str | None = None) -> None:
        """Deletes an edge."""
        return self.call(calls.delete_edge(
            id, to, conversation=conversation, project=project, source=source, user=user, agent=agent))

    def put_edge(
        self, id: str, to: str, *, conversation: str | None = None, kind: str | None = None,
        project: str | None = None, source: models.Source | None = None, weight: float | None = None,
        user: str | None = None, agent: str | None = None) -> models.Edge:
        """Sets an edge from one trace to another."""
        return self.call(calls.put_edge(
            id, to, conversation=conversation, kind=kind, project=project, source=source, weight=weight,
            user=user, agent=agent))

    def get_original(
        self, id: str, *, project: str | None = None, conversation: str | None = None, user: str | None = None,
        agent: str | None = None) -> models.OriginalText:
        """The text of a trace before its gist."""
        return self.call(calls.get_original(
            id, project=project, conversation=conversation, user=user, agent=agent))

    def unmerge_trace(
        self, id: str, *, conversation: str | None = None, project: str | None = None,
        replace_user: bool | None = None, source: models.Source | None = None, user: str | None = None,
        agent: str | None = None) -> models.RestoredTraces:
        """Restores the sources of a merged trace."""
        return self.call(calls.unmerge_trace(
            id, conversation=conversation, project=project, replace_user=replace_user, source=source, user=user,
            agent=agent))

    def delete_working_memory(self, conversation_id: str, *, fields: list[str] | None = None) -> models.DeletedFields:
        """Deletes fields by name, or all."""
        return self.call(calls.delete_working_memory(conversation_id, fields=fields))

    def get_working_memory(self, conversation_id: str) -> models.WorkingMemory:
        """The fields of a conversation; they live on from now."""
        return self.call(calls.get_working_memory(conversation_id))

    def put_working_memory(
        self, conversation_id: str, *, fields: dict[str, Any], ttl_seconds: int | None = None,
        if_match: str | None = None) -> models.WorkingMemory:
        """Sets fields by name."""
        return self.call(calls.put_working_memory(
            conversation_id, fields=fields, ttl_seconds=ttl_seconds, if_match=if_match))
