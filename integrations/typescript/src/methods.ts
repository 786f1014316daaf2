// The methods of Client. Written by generate_typescript.py from the OpenAPI document: do not edit.
import * as calls from "./calls.js";
import type * as models from "./models.js";
import type { Call } from "./wire.js";

/** Beneath Client, which sends. */
export abstract class Methods {
  abstract call<T>(call: Call<T>): Promise<T>;
  abstract pages<T>(call: Call<unknown>): AsyncGenerator<T>;

  /** What a prompt gets: last sessions, observations that fit, and what is due. */
  getContext(fields: calls.GetContextFields = {}): Promise<models.Context> {
    return this.call(calls.getContext(fields));
  }

  /** Conversations, the last used first, in pages. */
  listConversations(fields: calls.ListConversationsFields = {}): Promise<models.Conversations> {
    return this.call(calls.listConversations(fields));
  }

  /** All pages of listConversations, row by row. */
  iterConversations(fields: calls.ListConversationsFields = {}): AsyncGenerator<models.Conversation> {
    return this.pages(calls.listConversations(fields));
  }

  /** The newest open conversation. */
  getCurrentConversation(): Promise<models.Conversation> {
    return this.call(calls.getCurrentConversation());
  }

  /** Removes a conversation with all that is kept about it. */
  deleteConversation(id: string): Promise<void> {
    return this.call(calls.deleteConversation(id));
  }

  /** The blocks of a conversation, in pages. */
  listBlocks(id: string, fields: calls.ListBlocksFields = {}): Promise<models.Blocks> {
    return this.call(calls.listBlocks(id, fields));
  }

  /** All pages of listBlocks, row by row. */
  iterBlocks(id: string, fields: calls.ListBlocksFields = {}): AsyncGenerator<models.Block> {
    return this.pages(calls.listBlocks(id, fields));
  }

  /** Begins a block, and closes the one before. */
  beginBlock(id: string): Promise<models.BegunBlock> {
    return this.call(calls.beginBlock(id));
  }

  /** Closes the open block. */
  closeBlock(id: string, fields: calls.CloseBlockFields = {}): Promise<models.Block> {
    return this.call(calls.closeBlock(id, fields));
  }

  /** A block with its messages, original or compact. */
  getBlock(id: string, n: number, fields: calls.GetBlockFields = {}): Promise<models.BlockMessages> {
    return this.call(calls.getBlock(id, n, fields));
  }

  /** All pages of getBlock, row by row. */
  iterBlockMessages(id: string, n: number, fields: calls.GetBlockFields = {}): AsyncGenerator<models.Message> {
    return this.pages(calls.getBlock(id, n, fields));
  }

  /** The last sound checkpoint, in pages. */
  getCheckpoint(id: string, fields: calls.GetCheckpointFields = {}): Promise<models.Checkpoint> {
    return this.call(calls.getCheckpoint(id, fields));
  }

  /** Saves where an agent goes on after a crash. */
  saveCheckpoint(id: string, fields: calls.SaveCheckpointFields): Promise<models.SavedCheckpoint> {
    return this.call(calls.saveCheckpoint(id, fields));
  }

  /** The generations of checkpoints. */
  listCheckpoints(id: string): Promise<models.Checkpoints> {
    return this.call(calls.listCheckpoints(id));
  }

  /** The blocks that fit the window of a model. */
  getConversationContext(id: string, fields: calls.GetConversationContextFields): Promise<models.PromptContext> {
    return this.call(calls.getConversationContext(id, fields));
  }

  /** Messages by number, or the newest that fit a number of tokens. */
  getMessages(id: string, fields: calls.GetMessagesFields = {}): Promise<models.Messages> {
    return this.call(calls.getMessages(id, fields));
  }

  /** All pages of getMessages, row by row. */
  iterMessages(id: string, fields: calls.GetMessagesFields = {}): AsyncGenerator<models.Message> {
    return this.pages(calls.getMessages(id, fields));
  }

  /** Appends messages, and fields of the runtime. */
  appendMessages(id: string, fields: calls.AppendMessagesFields): Promise<models.Appended> {
    return this.call(calls.appendMessages(id, fields));
  }

  /** The task as text for a prompt. */
  renderTask(id: string, fields: calls.RenderTaskFields = {}): Promise<models.RenderedTask> {
    return this.call(calls.renderTask(id, fields));
  }

  /** The task as a value. */
  getSnapshot(id: string): Promise<models.Snapshot> {
    return this.call(calls.getSnapshot(id));
  }

  /** Starts with the task of another conversation. */
  putSnapshot(id: string, fields: calls.PutSnapshotFields = {}): Promise<models.Snapshot> {
    return this.call(calls.putSnapshot(id, fields));
  }

  /** Opens or ends a conversation, and sets fields of the runtime. */
  setConversationState(id: string, fields: calls.SetConversationStateFields = {}): Promise<models.Conversation> {
    return this.call(calls.setConversationState(id, fields));
  }

  /** Changes the task. */
  putWorking(id: string, fields: calls.PutWorkingFields = {}): Promise<models.Snapshot> {
    return this.call(calls.putWorking(id, fields));
  }

  /** Episodes of an agent that fit a query, best first. */
  searchEpisodes(fields: calls.SearchEpisodesFields): Promise<models.FoundEpisodes> {
    return this.call(calls.searchEpisodes(fields));
  }

  /** Stores the summary of a conversation. */
  storeEpisode(fields: calls.StoreEpisodeFields): Promise<models.SavedEpisode> {
    return this.call(calls.storeEpisode(fields));
  }

  /** The episodes of a conversation. */
  listEpisodes(conversation: string, fields: calls.ListEpisodesFields = {}): Promise<models.Episodes> {
    return this.call(calls.listEpisodes(conversation, fields));
  }

  /** Whether the server is up; needs no token. */
  getHealth(): Promise<models.Health> {
    return this.call(calls.getHealth());
  }

  /** Takes a turn, whose facts become traces later. */
  postTurn(fields: calls.PostTurnFields = {}): Promise<models.Turn> {
    return this.call(calls.postTurn(fields));
  }

  /** The state of a turn, and what became of its facts. */
  getTurn(turn: string, fields: calls.GetTurnFields = {}): Promise<models.TurnState> {
    return this.call(calls.getTurn(turn, fields));
  }

  /** Tries a turn again. */
  retryTurn(turn: string, fields: calls.RetryTurnFields = {}): Promise<models.Turn> {
    return this.call(calls.retryTurn(turn, fields));
  }

  /** Items that fit a query, best first; without one those used last. */
  findItems(fields: calls.FindItemsFields = {}): Promise<models.FoundItems> {
    return this.call(calls.findItems(fields));
  }

  /** Stores an exchange as an item if a rule selects it. */
  considerItem(fields: calls.ConsiderItemFields): Promise<models.Considered> {
    return this.call(calls.considerItem(fields));
  }

  /** The same as text for a prompt. */
  renderItems(fields: calls.RenderItemsFields = {}): Promise<models.RenderedItems> {
    return this.call(calls.renderItems(fields));
  }

  /** Deletes an item. */
  deleteItem(key: string, fields: calls.DeleteItemFields = {}): Promise<void> {
    return this.call(calls.deleteItem(key, fields));
  }

  /** One item. */
  getItem(key: string, fields: calls.GetItemFields = {}): Promise<models.Item> {
    return this.call(calls.getItem(key, fields));
  }

  /** Changes value, metadata or ttl of an item. */
  changeItem(key: string, fields: calls.ChangeItemFields = {}): Promise<models.Item> {
    return this.call(calls.changeItem(key, fields));
  }

  /** Stores a value under a key; its life begins again. */
  putItem(key: string, fields: calls.PutItemFields): Promise<models.Item> {
    return this.call(calls.putItem(key, fields));
  }

  /** What a conversation has in its transcript, in pages. */
  listLedger(conversation: string, fields: calls.ListLedgerFields = {}): Promise<models.Ledger> {
    return this.call(calls.listLedger(conversation, fields));
  }

  /** All pages of listLedger, row by row. */
  iterLedger(conversation: string, fields: calls.ListLedgerFields = {}): AsyncGenerator<models.LedgerEntry> {
    return this.pages(calls.listLedger(conversation, fields));
  }

  /** Whether an item is marked. */
  checkLedger(conversation: string, fields: calls.CheckLedgerFields): Promise<models.LedgerAnswer> {
    return this.call(calls.checkLedger(conversation, fields));
  }

  /** Removes the mark of an item. */
  evictFromLedger(conversation: string, fields: calls.EvictFromLedgerFields): Promise<models.LedgerAnswer> {
    return this.call(calls.evictFromLedger(conversation, fields));
  }

  /** Marks an item as injected. */
  markInLedger(conversation: string, fields: calls.MarkInLedgerFields): Promise<models.LedgerAnswer> {
    return this.call(calls.markInLedger(conversation, fields));
  }

  /** Stores an observation, updates the one of its topic key, or counts a repetition. */
  saveObservation(fields: calls.SaveObservationFields): Promise<models.SavedObservation> {
    return this.call(calls.saveObservation(fields));
  }

  /** The observations that clients hid, the one hidden last first. */
  listHidden(fields: calls.ListHiddenFields = {}): Promise<models.HiddenObservation[]> {
    return this.call(calls.listHidden(fields));
  }

  /** The newest observations, in pages. */
  listObservations(fields: calls.ListObservationsFields = {}): Promise<models.Observation[]> {
    return this.call(calls.listObservations(fields));
  }

  /** All pages of listObservations, row by row. */
  iterObservations(fields: calls.ListObservationsFields = {}): AsyncGenerator<models.Observation> {
    return this.pages(calls.listObservations(fields));
  }

  /** Hides an observation; with hard erases it, and reports what still quotes it. */
  deleteObservation(id: number, fields: calls.DeleteObservationFields = {}): Promise<models.Quotes | void> {
    return this.call(calls.deleteObservation(id, fields));
  }

  /** One observation, or a revision of it. */
  getObservation(id: number, fields: calls.GetObservationFields = {}): Promise<models.Observation> {
    return this.call(calls.getObservation(id, fields));
  }

  /** Changes fields of an observation; the old text is kept as a revision. */
  changeObservation(id: number, fields: calls.ChangeObservationFields = {}): Promise<models.Observation> {
    return this.call(calls.changeObservation(id, fields));
  }

  /** Shows a hidden observation again. */
  restoreObservation(id: number, fields: calls.RestoreObservationFields = {}): Promise<models.Observation> {
    return this.call(calls.restoreObservation(id, fields));
  }

  /** The texts that an observation had, in pages. */
  listRevisions(id: number, fields: calls.ListRevisionsFields = {}): Promise<models.Revision[]> {
    return this.call(calls.listRevisions(id, fields));
  }

  /** All pages of listRevisions, row by row. */
  iterRevisions(id: number, fields: calls.ListRevisionsFields = {}): AsyncGenerator<models.Revision> {
    return this.pages(calls.listRevisions(id, fields));
  }

  /** This document. */
  getOpenapi(): Promise<unknown> {
    return this.call(calls.getOpenapi());
  }

  /** How long a project's observations are kept. */
  getRetention(fields: calls.GetRetentionFields): Promise<models.Retention> {
    return this.call(calls.getRetention(fields));
  }

  /** Sets how long a project's observations are kept. */
  setRetention(fields: calls.SetRetentionFields): Promise<models.Retention> {
    return this.call(calls.setRetention(fields));
  }

  /** Observations that fit a query, best first. */
  search(fields: calls.SearchFields = {}): Promise<models.Hit[]> {
    return this.call(calls.search(fields));
  }

  /** Begins a session; one that exists is returned as it is. */
  beginSession(fields: calls.BeginSessionFields): Promise<models.Session> {
    return this.call(calls.beginSession(fields));
  }

  /** The newest sessions, in pages. */
  listSessions(fields: calls.ListSessionsFields = {}): Promise<models.Session[]> {
    return this.call(calls.listSessions(fields));
  }

  /** All pages of listSessions, row by row. */
  iterSessions(fields: calls.ListSessionsFields = {}): AsyncGenerator<models.Session> {
    return this.pages(calls.listSessions(fields));
  }

  /** Ends a session with its transcript, of which a summary is made. */
  endSession(id: string, fields: calls.EndSessionFields = {}): Promise<models.EndedSession> {
    return this.call(calls.endSession(id, fields));
  }

  /** The values that the caller may read, in pages. */
  listShared(fields: calls.ListSharedFields = {}): Promise<Record<string, unknown>> {
    return this.call(calls.listShared(fields));
  }

  /** All pages of listShared, row by row. */
  iterShared(fields: calls.ListSharedFields = {}): AsyncGenerator<[string, unknown]> {
    return this.pages(calls.listShared(fields));
  }

  /** Deletes a shared value. */
  deleteShared(agent: string, key: string, fields: calls.DeleteSharedFields = {}): Promise<void> {
    return this.call(calls.deleteShared(agent, key, fields));
  }

  /** A value that an Agent shares. */
  getShared(agent: string, key: string, fields: calls.GetSharedFields = {}): Promise<unknown> {
    return this.call(calls.getShared(agent, key, fields));
  }

  /** Shares a value. */
  putShared(agent: string, key: string, value: unknown, fields: calls.PutSharedFields = {}): Promise<models.SavedShared> {
    return this.call(calls.putShared(agent, key, value, fields));
  }

  /** Counts of sessions and observations, and the projects. */
  getStats(fields: calls.GetStatsFields = {}): Promise<models.Stats> {
    return this.call(calls.getStats(fields));
  }

  /** The observations of a session around one of them. */
  getTimeline(fields: calls.GetTimelineFields): Promise<models.Observation[]> {
    return this.call(calls.getTimeline(fields));
  }

  /** Adds a trace, or finds the one that says the same. */
  addTrace(fields: calls.AddTraceFields): Promise<models.SavedTrace> {
    return this.call(calls.addTrace(fields));
  }

  /** Reminders whose time has come, the latest first. */
  listDue(fields: calls.ListDueFields = {}): Promise<models.DueTraces> {
    return this.call(calls.listDue(fields));
  }

  /** Makes one trace of several. */
  mergeTraces(fields: calls.MergeTracesFields): Promise<models.MergedTraces> {
    return this.call(calls.mergeTraces(fields));
  }

  /** Runs a consolidation. */
  reflect(fields: calls.ReflectFields = {}): Promise<models.Run> {
    return this.call(calls.reflect(fields));
  }

  /** The last runs of consolidation. */
  listRuns(fields: calls.ListRunsFields = {}): Promise<models.Runs> {
    return this.call(calls.listRuns(fields));
  }

  /** Undoes a run of consolidation. */
  undoRun(run: string, fields: calls.UndoRunFields = {}): Promise<models.RunCounts> {
    return this.call(calls.undoRun(run, fields));
  }

  /** Traces that fit a query, best first. */
  searchTraces(fields: calls.SearchTracesFields): Promise<models.FoundTraces> {
    return this.call(calls.searchTraces(fields));
  }

  /** Hides a trace, with the reason. */
  deleteTrace(id: string, fields: calls.DeleteTraceFields = {}): Promise<models.DeletedTrace> {
    return this.call(calls.deleteTrace(id, fields));
  }

  /** A trace with its edges and sources. */
  getTrace(id: string, fields: calls.GetTraceFields = {}): Promise<models.WholeTrace> {
    return this.call(calls.getTrace(id, fields));
  }

  /** Changes content or tags of a trace. */
  changeTrace(id: string, fields: calls.ChangeTraceFields = {}): Promise<models.ChangedTrace> {
    return this.call(calls.changeTrace(id, fields));
  }

  /** Deletes an edge. */
  deleteEdge(id: string, to: string, fields: calls.DeleteEdgeFields = {}): Promise<void> {
    return this.call(calls.deleteEdge(id, to, fields));
  }

  /** Sets an edge from one trace to another. */
  putEdge(id: string, to: string, fields: calls.PutEdgeFields = {}): Promise<models.Edge> {
    return this.call(calls.putEdge(id, to, fields));
  }

  /** The text of a trace before its gist. */
  getOriginal(id: string, fields: calls.GetOriginalFields = {}): Promise<models.OriginalText> {
    return this.call(calls.getOriginal(id, fields));
  }

  /** Restores the sources of a merged trace. */
  unmergeTrace(id: string, fields: calls.UnmergeTraceFields = {}): Promise<models.RestoredTraces> {
    return this.call(calls.unmergeTrace(id, fields));
  }

  /** Deletes fields by name, or all. */
  deleteWorkingMemory(conversation_id: string, fields: calls.DeleteWorkingMemoryFields = {}): Promise<models.DeletedFields> {
    return this.call(calls.deleteWorkingMemory(conversation_id, fields));
  }

  /** The fields of a conversation; they live on from now. */
  getWorkingMemory(conversation_id: string): Promise<models.WorkingMemory> {
    return this.call(calls.getWorkingMemory(conversation_id));
  }

  /** Sets fields by name. */
  putWorkingMemory(conversation_id: string, fields: calls.PutWorkingMemoryFields): Promise<models.WorkingMemory> {
    return this.call(calls.putWorkingMemory(conversation_id, fields));
  }
}
