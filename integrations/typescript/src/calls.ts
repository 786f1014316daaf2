// A function for each operation: its request, and the type of its answer. Written by generate_typescript.py from the OpenAPI document: do not edit.
import type * as models from "./models.js";
import { type Call, quote } from "./wire.js";

export interface GetContextFields {
  q?: string | undefined;
  query?: string | undefined;
  project?: string | undefined;
  type?: string | undefined;
  scope?: string | undefined;
  limit?: number | undefined;
  sessions?: number | undefined;
  backfill?: boolean | undefined;
  due?: number | undefined;
  as_of?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** What a prompt gets: last sessions, observations that fit, and what is due. */
export function getContext(fields: GetContextFields = {}): Call<models.Context> {
  return {
    method: "GET",
    path: "/context",
    query: { q: fields.q, query: fields.query, project: fields.project, type: fields.type, scope: fields.scope, limit: fields.limit, sessions: fields.sessions, backfill: fields.backfill, due: fields.due, as_of: fields.as_of, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface ListConversationsFields {
  state?: string | undefined;
  limit?: number | undefined;
  cursor?: number | undefined;
}

/** Conversations, the last used first, in pages. */
export function listConversations(fields: ListConversationsFields = {}): Call<models.Conversations> {
  return {
    method: "GET",
    path: "/conversations",
    query: { state: fields.state, limit: fields.limit, cursor: fields.cursor },
    repeats: true,
    rows: "conversations",
  };
}

/** The newest open conversation. */
export function getCurrentConversation(): Call<models.Conversation> {
  return {
    method: "GET",
    path: "/conversations/current",
    repeats: true,
  };
}

/** Removes a conversation with all that is kept about it. */
export function deleteConversation(id: string): Call<void> {
  return {
    method: "DELETE",
    path: `/conversations/${quote(id)}`,
    repeats: true,
  };
}

export interface ListBlocksFields {
  limit?: number | undefined;
  cursor?: number | undefined;
}

/** The blocks of a conversation, in pages. */
export function listBlocks(id: string, fields: ListBlocksFields = {}): Call<models.Blocks> {
  return {
    method: "GET",
    path: `/conversations/${quote(id)}/blocks`,
    query: { limit: fields.limit, cursor: fields.cursor },
    repeats: true,
    rows: "blocks",
  };
}

/** Begins a block, and closes the one before. */
export function beginBlock(id: string): Call<models.BegunBlock> {
  return {
    method: "POST",
    path: `/conversations/${quote(id)}/blocks`,
    body: {},
  };
}

export interface CloseBlockFields {
  outcome?: string | undefined;
}

/** Closes the open block. */
export function closeBlock(id: string, fields: CloseBlockFields = {}): Call<models.Block> {
  return {
    method: "POST",
    path: `/conversations/${quote(id)}/blocks/close`,
    body: { outcome: fields.outcome },
  };
}

export interface GetBlockFields {
  form?: "original" | "compact" | undefined;
  limit?: number | undefined;
  cursor?: number | undefined;
}

/** A block with its messages, original or compact. */
export function getBlock(id: string, n: number, fields: GetBlockFields = {}): Call<models.BlockMessages> {
  return {
    method: "GET",
    path: `/conversations/${quote(id)}/blocks/${quote(n)}`,
    query: { form: fields.form, limit: fields.limit, cursor: fields.cursor },
    repeats: true,
    rows: "messages",
  };
}

export interface GetCheckpointFields {
  generation?: number | undefined;
  cursor?: number | undefined;
}

/** The last sound checkpoint, in pages. */
export function getCheckpoint(id: string, fields: GetCheckpointFields = {}): Call<models.Checkpoint> {
  return {
    method: "GET",
    path: `/conversations/${quote(id)}/checkpoint`,
    query: { generation: fields.generation, cursor: fields.cursor },
    repeats: true,
  };
}

export interface SaveCheckpointFields {
  memory?: Record<string, unknown> | undefined;
  messages?: Record<string, unknown>[] | undefined;
  step: number;
  tool_state?: Record<string, unknown> | undefined;
  ttl?: string | number | undefined;
}

/** Saves where an agent goes on after a crash. */
export function saveCheckpoint(id: string, fields: SaveCheckpointFields): Call<models.SavedCheckpoint> {
  return {
    method: "PUT",
    path: `/conversations/${quote(id)}/checkpoint`,
    body: { memory: fields.memory, messages: fields.messages, step: fields.step, tool_state: fields.tool_state, ttl: fields.ttl },
    repeats: true,
  };
}

/** The generations of checkpoints. */
export function listCheckpoints(id: string): Call<models.Checkpoints> {
  return {
    method: "GET",
    path: `/conversations/${quote(id)}/checkpoints`,
    repeats: true,
  };
}

export interface GetConversationContextFields {
  max_tokens: number;
}

/** The blocks that fit the window of a model. */
export function getConversationContext(id: string, fields: GetConversationContextFields): Call<models.PromptContext> {
  return {
    method: "GET",
    path: `/conversations/${quote(id)}/context`,
    query: { max_tokens: fields.max_tokens },
    repeats: true,
  };
}

export interface GetMessagesFields {
  max_tokens?: number | undefined;
  from?: number | undefined;
  to?: number | undefined;
  limit?: number | undefined;
  newest?: number | undefined;
  max_bytes?: number | undefined;
  cursor?: number | undefined;
}

/** Messages by number, or the newest that fit a number of tokens. */
export function getMessages(id: string, fields: GetMessagesFields = {}): Call<models.Messages> {
  return {
    method: "GET",
    path: `/conversations/${quote(id)}/messages`,
    query: { max_tokens: fields.max_tokens, from: fields.from, to: fields.to, limit: fields.limit, newest: fields.newest, max_bytes: fields.max_bytes, cursor: fields.cursor },
    repeats: true,
    rows: "messages",
  };
}

export interface AppendMessagesFields {
  delegation?: unknown | undefined;
  messages: models.Message[];
  toolMeta?: Record<string, unknown> | undefined;
}

/** Appends messages, and fields of the runtime. */
export function appendMessages(id: string, fields: AppendMessagesFields): Call<models.Appended> {
  return {
    method: "POST",
    path: `/conversations/${quote(id)}/messages`,
    body: { delegation: fields.delegation, messages: fields.messages, toolMeta: fields.toolMeta },
  };
}

export interface RenderTaskFields {
  max_chars?: number | undefined;
}

/** The task as text for a prompt. */
export function renderTask(id: string, fields: RenderTaskFields = {}): Call<models.RenderedTask> {
  return {
    method: "GET",
    path: `/conversations/${quote(id)}/render`,
    query: { max_chars: fields.max_chars },
    repeats: true,
  };
}

/** The task as a value. */
export function getSnapshot(id: string): Call<models.Snapshot> {
  return {
    method: "GET",
    path: `/conversations/${quote(id)}/snapshot`,
    repeats: true,
  };
}

export interface PutSnapshotFields {
  files_modified?: string[] | undefined;
  files_read?: string[] | undefined;
  plan?: models.Plan | undefined;
  task?: string | undefined;
}

/** Starts with the task of another conversation. */
export function putSnapshot(id: string, fields: PutSnapshotFields = {}): Call<models.Snapshot> {
  return {
    method: "PUT",
    path: `/conversations/${quote(id)}/snapshot`,
    body: { files_modified: fields.files_modified, files_read: fields.files_read, plan: fields.plan, task: fields.task },
    repeats: true,
  };
}

export interface SetConversationStateFields {
  state?: "open" | "ended" | undefined;
}

/** Opens or ends a conversation, and sets fields of the runtime. */
export function setConversationState(id: string, fields: SetConversationStateFields = {}): Call<models.Conversation> {
  return {
    method: "PUT",
    path: `/conversations/${quote(id)}/state`,
    body: { state: fields.state },
    repeats: true,
  };
}

export interface PutWorkingFields {
  actions?: string[] | undefined;
  budget?: models.TaskBudget | undefined;
  files_modified?: string[] | undefined;
  files_read?: string[] | undefined;
  plan?: models.Plan | undefined;
  task?: string | undefined;
}

/** Changes the task. */
export function putWorking(id: string, fields: PutWorkingFields = {}): Call<models.Snapshot> {
  return {
    method: "PUT",
    path: `/conversations/${quote(id)}/working`,
    body: { actions: fields.actions, budget: fields.budget, files_modified: fields.files_modified, files_read: fields.files_read, plan: fields.plan, task: fields.task },
    repeats: true,
  };
}

export interface SearchEpisodesFields {
  agent_id: string;
  min_similarity?: number | undefined;
  project?: string | undefined;
  query: string;
  top_k?: number | undefined;
  user_id?: string | undefined;
}

/** Episodes of an agent that fit a query, best first. */
export function searchEpisodes(fields: SearchEpisodesFields): Call<models.FoundEpisodes> {
  return {
    method: "POST",
    path: "/episodic/search",
    body: { agent_id: fields.agent_id, min_similarity: fields.min_similarity, project: fields.project, query: fields.query, top_k: fields.top_k, user_id: fields.user_id },
    repeats: true,
  };
}

export interface StoreEpisodeFields {
  agent_id: string;
  conversation_id: string;
  created_at?: string | undefined;
  entities?: unknown[] | undefined;
  key_decisions?: unknown[] | undefined;
  metadata?: Record<string, unknown> | undefined;
  project?: string | undefined;
  source?: models.Source | undefined;
  summary: string;
  tools_used?: string[] | undefined;
  user_id?: string | undefined;
  idempotency_key?: string | undefined;
}

/** Stores the summary of a conversation. */
export function storeEpisode(fields: StoreEpisodeFields): Call<models.SavedEpisode> {
  return {
    method: "POST",
    path: "/episodic/store",
    body: { agent_id: fields.agent_id, conversation_id: fields.conversation_id, created_at: fields.created_at, entities: fields.entities, key_decisions: fields.key_decisions, metadata: fields.metadata, project: fields.project, source: fields.source, summary: fields.summary, tools_used: fields.tools_used, user_id: fields.user_id },
    headers: { "Idempotency-Key": fields.idempotency_key },
  };
}

export interface ListEpisodesFields {
  project?: string | undefined;
}

/** The episodes of a conversation. */
export function listEpisodes(conversation: string, fields: ListEpisodesFields = {}): Call<models.Episodes> {
  return {
    method: "GET",
    path: `/episodic/${quote(conversation)}`,
    query: { project: fields.project },
    repeats: true,
  };
}

/** Whether the server is up; needs no token. */
export function getHealth(): Call<models.Health> {
  return {
    method: "GET",
    path: "/health",
    repeats: true,
  };
}

export interface PostTurnFields {
  assistant?: string | undefined;
  conversation?: string | undefined;
  project?: string | undefined;
  settings?: models.IngestSettings | undefined;
  source?: models.Source | undefined;
  user?: string | undefined;
  agent?: string | undefined;
  idempotency_key?: string | undefined;
}

/** Takes a turn, whose facts become traces later. */
export function postTurn(fields: PostTurnFields = {}): Call<models.Turn> {
  return {
    method: "POST",
    path: "/ingest/turns",
    body: { assistant: fields.assistant, conversation: fields.conversation, project: fields.project, settings: fields.settings, source: fields.source, user: fields.user },
    headers: { "X-Memory-Agent": fields.agent, "Idempotency-Key": fields.idempotency_key },
  };
}

export interface GetTurnFields {
  project?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** The state of a turn, and what became of its facts. */
export function getTurn(turn: string, fields: GetTurnFields = {}): Call<models.TurnState> {
  return {
    method: "GET",
    path: `/ingest/turns/${quote(turn)}`,
    query: { project: fields.project, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface RetryTurnFields {
  conversation?: string | undefined;
  project?: string | undefined;
  source?: models.Source | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Tries a turn again. */
export function retryTurn(turn: string, fields: RetryTurnFields = {}): Call<models.Turn> {
  return {
    method: "POST",
    path: `/ingest/turns/${quote(turn)}/retry`,
    body: { conversation: fields.conversation, project: fields.project, source: fields.source },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
  };
}

export interface FindItemsFields {
  project?: string | undefined;
  query?: string | undefined;
  limit?: number | undefined;
}

/** Items that fit a query, best first; without one those used last. */
export function findItems(fields: FindItemsFields = {}): Call<models.FoundItems> {
  return {
    method: "GET",
    path: "/items",
    query: { project: fields.project, query: fields.query, limit: fields.limit },
    repeats: true,
  };
}

export interface ConsiderItemFields {
  answer: string;
  project?: string | undefined;
  rules?: models.StoreRule[] | undefined;
  user_input: string;
}

/** Stores an exchange as an item if a rule selects it. */
export function considerItem(fields: ConsiderItemFields): Call<models.Considered> {
  return {
    method: "POST",
    path: "/items/consider",
    body: { answer: fields.answer, project: fields.project, rules: fields.rules, user_input: fields.user_input },
  };
}

export interface RenderItemsFields {
  project?: string | undefined;
  query?: string | undefined;
  limit?: number | undefined;
}

/** The same as text for a prompt. */
export function renderItems(fields: RenderItemsFields = {}): Call<models.RenderedItems> {
  return {
    method: "GET",
    path: "/items/render",
    query: { project: fields.project, query: fields.query, limit: fields.limit },
    repeats: true,
  };
}

export interface DeleteItemFields {
  project?: string | undefined;
}

/** Deletes an item. */
export function deleteItem(key: string, fields: DeleteItemFields = {}): Call<void> {
  return {
    method: "DELETE",
    path: `/items/${quote(key)}`,
    query: { project: fields.project },
    repeats: true,
  };
}

export interface GetItemFields {
  project?: string | undefined;
}

/** One item. */
export function getItem(key: string, fields: GetItemFields = {}): Call<models.Item> {
  return {
    method: "GET",
    path: `/items/${quote(key)}`,
    query: { project: fields.project },
    repeats: true,
  };
}

export interface ChangeItemFields {
  metadata?: Record<string, unknown> | undefined;
  ttl?: string | number | undefined;
  value?: unknown | undefined;
  project?: string | undefined;
  if_match?: string | undefined;
  if_none_match?: string | undefined;
}

/** Changes value, metadata or ttl of an item. */
export function changeItem(key: string, fields: ChangeItemFields = {}): Call<models.Item> {
  return {
    method: "PATCH",
    path: `/items/${quote(key)}`,
    query: { project: fields.project },
    body: { metadata: fields.metadata, ttl: fields.ttl, value: fields.value },
    headers: { "If-Match": fields.if_match, "If-None-Match": fields.if_none_match },
  };
}

export interface PutItemFields {
  metadata?: Record<string, unknown> | undefined;
  ttl?: string | number | undefined;
  value: unknown;
  project?: string | undefined;
  if_match?: string | undefined;
  if_none_match?: string | undefined;
}

/** Stores a value under a key; its life begins again. */
export function putItem(key: string, fields: PutItemFields): Call<models.Item> {
  return {
    method: "PUT",
    path: `/items/${quote(key)}`,
    query: { project: fields.project },
    body: { metadata: fields.metadata, ttl: fields.ttl, value: fields.value },
    headers: { "If-Match": fields.if_match, "If-None-Match": fields.if_none_match },
    repeats: true,
  };
}

export interface ListLedgerFields {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** What a conversation has in its transcript, in pages. */
export function listLedger(conversation: string, fields: ListLedgerFields = {}): Call<models.Ledger> {
  return {
    method: "GET",
    path: `/ledger/${quote(conversation)}`,
    query: { limit: fields.limit, cursor: fields.cursor },
    repeats: true,
    rows: "items",
  };
}

export interface CheckLedgerFields {
  item: string;
  value?: string | undefined;
}

/** Whether an item is marked. */
export function checkLedger(conversation: string, fields: CheckLedgerFields): Call<models.LedgerAnswer> {
  return {
    method: "POST",
    path: `/ledger/${quote(conversation)}/check`,
    body: { item: fields.item, value: fields.value },
    repeats: true,
  };
}

export interface EvictFromLedgerFields {
  item: string;
  value?: string | undefined;
}

/** Removes the mark of an item. */
export function evictFromLedger(conversation: string, fields: EvictFromLedgerFields): Call<models.LedgerAnswer> {
  return {
    method: "POST",
    path: `/ledger/${quote(conversation)}/evict`,
    body: { item: fields.item, value: fields.value },
  };
}

export interface MarkInLedgerFields {
  item: string;
  value?: string | undefined;
}

/** Marks an item as injected. */
export function markInLedger(conversation: string, fields: MarkInLedgerFields): Call<models.LedgerAnswer> {
  return {
    method: "POST",
    path: `/ledger/${quote(conversation)}/mark`,
    body: { item: fields.item, value: fields.value },
  };
}

export interface SaveObservationFields {
  content: string;
  project: string;
  replace_user?: boolean | undefined;
  scope?: string | undefined;
  session_id: string;
  source?: models.Source | undefined;
  tags?: string[] | undefined;
  title: string;
  topic_key?: string | undefined;
  type: string;
  idempotency_key?: string | undefined;
}

/** Stores an observation, updates the one of its topic key, or counts a repetition. */
export function saveObservation(fields: SaveObservationFields): Call<models.SavedObservation> {
  return {
    method: "POST",
    path: "/observations",
    body: { content: fields.content, project: fields.project, replace_user: fields.replace_user, scope: fields.scope, session_id: fields.session_id, source: fields.source, tags: fields.tags, title: fields.title, topic_key: fields.topic_key, type: fields.type },
    headers: { "Idempotency-Key": fields.idempotency_key },
  };
}

export interface ListHiddenFields {
  project?: string | undefined;
  type?: string | undefined;
  scope?: string | undefined;
  limit?: number | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** The observations that clients hid, the one hidden last first. */
export function listHidden(fields: ListHiddenFields = {}): Call<models.HiddenObservation[]> {
  return {
    method: "GET",
    path: "/observations/hidden",
    query: { project: fields.project, type: fields.type, scope: fields.scope, limit: fields.limit, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface ListObservationsFields {
  project?: string | undefined;
  type?: string | undefined;
  scope?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** The newest observations, in pages. */
export function listObservations(fields: ListObservationsFields = {}): Call<models.Observation[]> {
  return {
    method: "GET",
    path: "/observations/recent",
    query: { project: fields.project, type: fields.type, scope: fields.scope, limit: fields.limit, cursor: fields.cursor, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
    rows: "",
  };
}

export interface DeleteObservationFields {
  hard?: boolean | undefined;
  report?: boolean | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Hides an observation; with hard erases it, and reports what still quotes it. */
export function deleteObservation(id: number, fields: DeleteObservationFields = {}): Call<models.Quotes | void> {
  return {
    method: "DELETE",
    path: `/observations/${quote(id)}`,
    query: { hard: fields.hard, report: fields.report, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface GetObservationFields {
  revision?: number | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** One observation, or a revision of it. */
export function getObservation(id: number, fields: GetObservationFields = {}): Call<models.Observation> {
  return {
    method: "GET",
    path: `/observations/${quote(id)}`,
    query: { revision: fields.revision, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface ChangeObservationFields {
  buried?: boolean | undefined;
  content?: string | undefined;
  pinned?: boolean | undefined;
  replace_user?: boolean | undefined;
  source?: models.Source | undefined;
  tags?: string[] | undefined;
  title?: string | undefined;
  type?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
  if_match?: string | undefined;
}

/** Changes fields of an observation; the old text is kept as a revision. */
export function changeObservation(id: number, fields: ChangeObservationFields = {}): Call<models.Observation> {
  return {
    method: "PATCH",
    path: `/observations/${quote(id)}`,
    query: { conversation: fields.conversation },
    body: { buried: fields.buried, content: fields.content, pinned: fields.pinned, replace_user: fields.replace_user, source: fields.source, tags: fields.tags, title: fields.title, type: fields.type },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent, "If-Match": fields.if_match },
  };
}

export interface RestoreObservationFields {
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Shows a hidden observation again. */
export function restoreObservation(id: number, fields: RestoreObservationFields = {}): Call<models.Observation> {
  return {
    method: "POST",
    path: `/observations/${quote(id)}/restore`,
    query: { conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
  };
}

export interface ListRevisionsFields {
  limit?: number | undefined;
  cursor?: number | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** The texts that an observation had, in pages. */
export function listRevisions(id: number, fields: ListRevisionsFields = {}): Call<models.Revision[]> {
  return {
    method: "GET",
    path: `/observations/${quote(id)}/revisions`,
    query: { limit: fields.limit, cursor: fields.cursor, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
    rows: "",
  };
}

/** This document. */
export function getOpenapi(): Call<unknown> {
  return {
    method: "GET",
    path: "/openapi.json",
    repeats: true,
  };
}

export interface GetRetentionFields {
  project: string;
}

/** How long a project's observations are kept. */
export function getRetention(fields: GetRetentionFields): Call<models.Retention> {
  return {
    method: "GET",
    path: "/retention",
    query: { project: fields.project },
    repeats: true,
  };
}

export interface SetRetentionFields {
  retention: models.RetentionRule[];
  project: string;
}

/** Sets how long a project's observations are kept. */
export function setRetention(fields: SetRetentionFields): Call<models.Retention> {
  return {
    method: "PUT",
    path: "/retention",
    query: { project: fields.project },
    body: { retention: fields.retention },
    repeats: true,
  };
}

export interface SearchFields {
  q?: string | undefined;
  query?: string | undefined;
  syntax?: "plain" | "fts5" | undefined;
  project?: string | undefined;
  type?: string | undefined;
  scope?: string | undefined;
  limit?: number | undefined;
  as_of?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Observations that fit a query, best first. */
export function search(fields: SearchFields = {}): Call<models.Hit[]> {
  return {
    method: "GET",
    path: "/search",
    query: { q: fields.q, query: fields.query, syntax: fields.syntax, project: fields.project, type: fields.type, scope: fields.scope, limit: fields.limit, as_of: fields.as_of, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface BeginSessionFields {
  id: string;
  predecessor?: string | undefined;
  project: string;
}

/** Begins a session; one that exists is returned as it is. */
export function beginSession(fields: BeginSessionFields): Call<models.Session> {
  return {
    method: "POST",
    path: "/sessions",
    body: { id: fields.id, predecessor: fields.predecessor, project: fields.project },
  };
}

export interface ListSessionsFields {
  project?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** The newest sessions, in pages. */
export function listSessions(fields: ListSessionsFields = {}): Call<models.Session[]> {
  return {
    method: "GET",
    path: "/sessions/recent",
    query: { project: fields.project, limit: fields.limit, cursor: fields.cursor, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
    rows: "",
  };
}

export interface EndSessionFields {
  messages?: models.SummaryMessage[] | undefined;
  omitted?: number | undefined;
  project?: string | undefined;
  interim?: boolean | undefined;
}

/** Ends a session with its transcript, of which a summary is made. */
export function endSession(id: string, fields: EndSessionFields = {}): Call<models.EndedSession> {
  return {
    method: "POST",
    path: `/sessions/${quote(id)}/end`,
    query: { project: fields.project, interim: fields.interim },
    body: { messages: fields.messages, omitted: fields.omitted },
  };
}

export interface ListSharedFields {
  agent?: string | undefined;
  as?: string | undefined;
  cursor?: string | undefined;
}

/** The values that the caller may read, in pages. */
export function listShared(fields: ListSharedFields = {}): Call<Record<string, unknown>> {
  return {
    method: "GET",
    path: "/shared",
    query: { agent: fields.agent, as: fields.as, cursor: fields.cursor },
    repeats: true,
    rows: "*",
  };
}

export interface DeleteSharedFields {
  as?: string | undefined;
  if_match?: string | undefined;
  if_none_match?: string | undefined;
}

/** Deletes a shared value. */
export function deleteShared(agent: string, key: string, fields: DeleteSharedFields = {}): Call<void> {
  return {
    method: "DELETE",
    path: `/shared/${quote(agent)}/${quote(key)}`,
    query: { as: fields.as },
    headers: { "If-Match": fields.if_match, "If-None-Match": fields.if_none_match },
    repeats: true,
  };
}

export interface GetSharedFields {
  as?: string | undefined;
}

/** A value that an Agent shares. */
export function getShared(agent: string, key: string, fields: GetSharedFields = {}): Call<unknown> {
  return {
    method: "GET",
    path: `/shared/${quote(agent)}/${quote(key)}`,
    query: { as: fields.as },
    repeats: true,
  };
}

export interface PutSharedFields {
  as?: string | undefined;
  ttl?: string | undefined;
  if_match?: string | undefined;
  if_none_match?: string | undefined;
}

/** Shares a value. */
export function putShared(agent: string, key: string, value: unknown, fields: PutSharedFields = {}): Call<models.SavedShared> {
  return {
    method: "PUT",
    path: `/shared/${quote(agent)}/${quote(key)}`,
    query: { as: fields.as, ttl: fields.ttl },
    headers: { "If-Match": fields.if_match, "If-None-Match": fields.if_none_match },
    whole: value,
    repeats: true,
  };
}

export interface GetStatsFields {
  project?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Counts of sessions and observations, and the projects. */
export function getStats(fields: GetStatsFields = {}): Call<models.Stats> {
  return {
    method: "GET",
    path: "/stats",
    query: { project: fields.project, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface GetTimelineFields {
  observation_id: number;
  before?: number | undefined;
  after?: number | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** The observations of a session around one of them. */
export function getTimeline(fields: GetTimelineFields): Call<models.Observation[]> {
  return {
    method: "GET",
    path: "/timeline",
    query: { observation_id: fields.observation_id, before: fields.before, after: fields.after, limit: fields.limit, cursor: fields.cursor, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface AddTraceFields {
  content: string;
  conversation?: string | undefined;
  emotions?: Record<string, unknown> | undefined;
  metadata?: Record<string, unknown> | undefined;
  project?: string | undefined;
  remindAt?: unknown | undefined;
  scope?: "thread" | "user" | "persona" | "organization" | undefined;
  source?: models.Source | undefined;
  tags?: string[] | undefined;
  type?: "episodic" | "semantic" | "procedural" | "prospective" | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Adds a trace, or finds the one that says the same. */
export function addTrace(fields: AddTraceFields): Call<models.SavedTrace> {
  return {
    method: "POST",
    path: "/traces",
    body: { content: fields.content, conversation: fields.conversation, emotions: fields.emotions, metadata: fields.metadata, project: fields.project, remindAt: fields.remindAt, scope: fields.scope, source: fields.source, tags: fields.tags, type: fields.type },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
  };
}

export interface ListDueFields {
  limit?: number | undefined;
  project?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Reminders whose time has come, the latest first. */
export function listDue(fields: ListDueFields = {}): Call<models.DueTraces> {
  return {
    method: "GET",
    path: "/traces/due",
    query: { limit: fields.limit, project: fields.project, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface MergeTracesFields {
  content?: string | undefined;
  conversation?: string | undefined;
  project?: string | undefined;
  replace_user?: boolean | undefined;
  source?: models.Source | undefined;
  traceIds: string[];
  user?: string | undefined;
  agent?: string | undefined;
}

/** Makes one trace of several. */
export function mergeTraces(fields: MergeTracesFields): Call<models.MergedTraces> {
  return {
    method: "POST",
    path: "/traces/merge",
    body: { content: fields.content, conversation: fields.conversation, project: fields.project, replace_user: fields.replace_user, source: fields.source, traceIds: fields.traceIds },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
  };
}

export interface ReflectFields {
  conversation?: string | undefined;
  dryRun?: boolean | undefined;
  project?: string | undefined;
  source?: models.Source | undefined;
  topic?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Runs a consolidation. */
export function reflect(fields: ReflectFields = {}): Call<models.Run> {
  return {
    method: "POST",
    path: "/traces/reflect",
    body: { conversation: fields.conversation, dryRun: fields.dryRun, project: fields.project, source: fields.source, topic: fields.topic },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
  };
}

export interface ListRunsFields {
  limit?: number | undefined;
  project?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** The last runs of consolidation. */
export function listRuns(fields: ListRunsFields = {}): Call<models.Runs> {
  return {
    method: "GET",
    path: "/traces/reflect/runs",
    query: { limit: fields.limit, project: fields.project, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface UndoRunFields {
  conversation?: string | undefined;
  project?: string | undefined;
  source?: models.Source | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Undoes a run of consolidation. */
export function undoRun(run: string, fields: UndoRunFields = {}): Call<models.RunCounts> {
  return {
    method: "POST",
    path: `/traces/reflect/runs/${quote(run)}/undo`,
    body: { conversation: fields.conversation, project: fields.project, source: fields.source },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
  };
}

export interface SearchTracesFields {
  conversation?: string | undefined;
  limit?: number | undefined;
  mood?: Record<string, unknown> | undefined;
  project?: string | undefined;
  query: string;
  scope?: "thread" | "user" | "persona" | "organization" | undefined;
  settings?: models.IngestSettings | undefined;
  source?: models.Source | undefined;
  type?: "episodic" | "semantic" | "procedural" | "prospective" | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Traces that fit a query, best first. */
export function searchTraces(fields: SearchTracesFields): Call<models.FoundTraces> {
  return {
    method: "POST",
    path: "/traces/search",
    body: { conversation: fields.conversation, limit: fields.limit, mood: fields.mood, project: fields.project, query: fields.query, scope: fields.scope, settings: fields.settings, source: fields.source, type: fields.type },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface DeleteTraceFields {
  conversation?: string | undefined;
  project?: string | undefined;
  reason?: string | undefined;
  replace_user?: boolean | undefined;
  source?: models.Source | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Hides a trace, with the reason. */
export function deleteTrace(id: string, fields: DeleteTraceFields = {}): Call<models.DeletedTrace> {
  return {
    method: "DELETE",
    path: `/traces/${quote(id)}`,
    body: { conversation: fields.conversation, project: fields.project, reason: fields.reason, replace_user: fields.replace_user, source: fields.source },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface GetTraceFields {
  deleted?: boolean | undefined;
  project?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** A trace with its edges and sources. */
export function getTrace(id: string, fields: GetTraceFields = {}): Call<models.WholeTrace> {
  return {
    method: "GET",
    path: `/traces/${quote(id)}`,
    query: { deleted: fields.deleted, project: fields.project, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface ChangeTraceFields {
  content?: string | undefined;
  conversation?: string | undefined;
  project?: string | undefined;
  replace_user?: boolean | undefined;
  source?: models.Source | undefined;
  tags?: string[] | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Changes content or tags of a trace. */
export function changeTrace(id: string, fields: ChangeTraceFields = {}): Call<models.ChangedTrace> {
  return {
    method: "PATCH",
    path: `/traces/${quote(id)}`,
    body: { content: fields.content, conversation: fields.conversation, project: fields.project, replace_user: fields.replace_user, source: fields.source, tags: fields.tags },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
  };
}

export interface DeleteEdgeFields {
  conversation?: string | undefined;
  project?: string | undefined;
  source?: models.Source | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Deletes an edge. */
export function deleteEdge(id: string, to: string, fields: DeleteEdgeFields = {}): Call<void> {
  return {
    method: "DELETE",
    path: `/traces/${quote(id)}/edges/${quote(to)}`,
    body: { conversation: fields.conversation, project: fields.project, source: fields.source },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface PutEdgeFields {
  conversation?: string | undefined;
  kind?: string | undefined;
  project?: string | undefined;
  source?: models.Source | undefined;
  weight?: number | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Sets an edge from one trace to another. */
export function putEdge(id: string, to: string, fields: PutEdgeFields = {}): Call<models.Edge> {
  return {
    method: "PUT",
    path: `/traces/${quote(id)}/edges/${quote(to)}`,
    body: { conversation: fields.conversation, kind: fields.kind, project: fields.project, source: fields.source, weight: fields.weight },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface GetOriginalFields {
  project?: string | undefined;
  conversation?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** The text of a trace before its gist. */
export function getOriginal(id: string, fields: GetOriginalFields = {}): Call<models.OriginalText> {
  return {
    method: "GET",
    path: `/traces/${quote(id)}/original`,
    query: { project: fields.project, conversation: fields.conversation },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
    repeats: true,
  };
}

export interface UnmergeTraceFields {
  conversation?: string | undefined;
  project?: string | undefined;
  replace_user?: boolean | undefined;
  source?: models.Source | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

/** Restores the sources of a merged trace. */
export function unmergeTrace(id: string, fields: UnmergeTraceFields = {}): Call<models.RestoredTraces> {
  return {
    method: "POST",
    path: `/traces/${quote(id)}/unmerge`,
    body: { conversation: fields.conversation, project: fields.project, replace_user: fields.replace_user, source: fields.source },
    headers: { "X-Memory-User": fields.user, "X-Memory-Agent": fields.agent },
  };
}

export interface DeleteWorkingMemoryFields {
  fields?: string[] | undefined;
}

/** Deletes fields by name, or all. */
export function deleteWorkingMemory(conversation_id: string, fields: DeleteWorkingMemoryFields = {}): Call<models.DeletedFields> {
  return {
    method: "DELETE",
    path: `/working-memory/${quote(conversation_id)}`,
    body: { fields: fields.fields },
    repeats: true,
  };
}

/** The fields of a conversation; they live on from now. */
export function getWorkingMemory(conversation_id: string): Call<models.WorkingMemory> {
  return {
    method: "GET",
    path: `/working-memory/${quote(conversation_id)}`,
    repeats: true,
  };
}

export interface PutWorkingMemoryFields {
  fields: Record<string, unknown>;
  ttl_seconds?: number | undefined;
  if_match?: string | undefined;
}

/** Sets fields by name. */
export function putWorkingMemory(conversation_id: string, fields: PutWorkingMemoryFields): Call<models.WorkingMemory> {
  return {
    method: "PUT",
    path: `/working-memory/${quote(conversation_id)}`,
    body: { fields: fields.fields, ttl_seconds: fields.ttl_seconds },
    headers: { "If-Match": fields.if_match },
    repeats: true,
  };
}
