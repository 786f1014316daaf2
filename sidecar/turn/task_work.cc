// With afterLoss, offers the section once after the transcript lost it.
#include "sidecar/turn/task_work.h"

#include <utility>

#include "lib/conversation/block/blocks.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/conversation/task/task_changes.h"
#include "lib/conversation/task/task_state.h"
#include "lib/conversation/task/task_text.h"
#include "sidecar/recall/prompt.h"
#include "sidecar/text/persons_words.h"

namespace sidecar {
namespace {

using base::Result;
using conversation::TaskState;
using EventKind = api::HookEvent::Kind;

bool BeginsPrompt(const TurnDraft& draft) {
  return draft.BeginsTurn() || draft.event.kind == EventKind::kSessionStart;
}

// The snapshot of the conversation that a new one continues; empty: none.
Result<TaskState> Inherited(conversation::Rows& rows, const TurnDraft& draft,
                            const CutOff& cut_off) {
  ASSIGN_OR_RETURN(const auto known, rows.FindConversation(draft.event.session_id));
  ASSIGN_OR_RETURN(const auto latest, rows.LastUsed("", ""));
  if (known || !latest) return TaskState();
  const bool resumes =
      draft.event.kind == EventKind::kSessionStart && draft.event.source == "resume";
  const bool clears = draft.ClearsTranscript() && !resumes;
  const bool was_cut_off = cut_off && latest->id == cut_off->id && latest->state == "open" &&
                           latest->message_count == cut_off->message_count;
  if (!resumes && (clears || !was_cut_off)) return TaskState();
  ASSIGN_OR_RETURN(const TaskState before, conversation::ReadTask(rows, latest->id));
  ASSIGN_OR_RETURN(TaskState state, conversation::RestoreSnapshot({}, EncodeSnapshot(before)));
  state.lost = !draft.transcript_there;
  return state;
}

}  // namespace

CutOff FindCutOff(State& state) {
  return state
      .Read([](sqlite::Database& db) { return conversation::SqliteRows(db).LastUsed("open", ""); })
      .value_or(CutOff());
}

Result<TaskWork> TaskWork::Begin(conversation::Rows& rows, const TurnDraft& draft,
                                 const CutOff& cut_off) {
  TaskWork work;
  ASSIGN_OR_RETURN(work.stored_, conversation::ReadTask(rows, draft.event.session_id));
  work.state_ = work.stored_;
  if (work.stored_.empty() && BeginsPrompt(draft)) {
    ASSIGN_OR_RETURN(TaskState inherited, Inherited(rows, draft, cut_off));
    if (!inherited.empty()) work.state_ = std::move(inherited);
  }
  if (!draft.ClearsTranscript()) return work;
  if (draft.event.source == "clear") {
    ClearTask(work.state_);
    ASSIGN_OR_RETURN(work.state_.blocks_from,
                     conversation::NextBlock(rows, draft.event.session_id));
  }
  if (draft.event.source == "compact") work.state_.budget.used_tokens = 0;
  work.state_.lost = true;
  return work;
}

Result<std::string> TaskWork::Offer(conversation::Rows& rows, const TurnDraft& draft,
                                    const api::Policy& policy) {
  const api::WorkingSection& section = policy.working_section;
  // contextLimit 0 injects nothing, no task either.
  const bool offers = policy.context_limit > 0 && (section.inject == "everyTurn" ||
                                                   (section.inject == "afterLoss" && state_.lost));
  if (!offers || !BeginsPrompt(draft)) return std::string();
  state_.lost = false;
  const auto units = static_cast<size_t>(section.max_chars);
  ASSIGN_OR_RETURN(const auto catalogue, conversation::Catalogue(rows, draft.event.session_id,
                                                                 state_.blocks_from, units));
  // A character may have two UTF-16 units: half as many always fit.
  std::string text = TaskText(state_, catalogue, units);
  if (Utf16Units(text) > units) text = TaskText(state_, catalogue, units / 2);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

base::Status TaskWork::Commit(conversation::Rows& rows, const TurnDraft& draft,
                              const api::Policy& policy, int64_t now_ms) {
  if (draft.BeginsTurn()) BeginRequest(state_, PersonsWords(draft.event.prompt));
  Apply(state_, draft.task);
  if (policy.working_section.window_tokens > 0)
    state_.budget.window_tokens = policy.working_section.window_tokens;
  if (state_ == stored_) return {};
  return WriteTask(rows, draft.event.session_id, state_, now_ms);
}

}  // namespace sidecar
