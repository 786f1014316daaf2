// Takes the path of a hook event, turn/turn_draft.cc, and of a session's end, session/sessions.cc.
#include "sidecar/replay/session_replay.h"

#include <algorithm>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/digest.h"
#include "sidecar/rules/commits.h"
#include "sidecar/session/sessions.h"
#include "sidecar/text/tool_text.h"
#include "sidecar/turn/turn_draft.h"

namespace sidecar {
namespace {

using base::Json;

constexpr int64_t kSameWithinMs = 15 * 60'000;  // the default dedup-window of the server
constexpr size_t kMostRemembered = 10'000;

// Not the agent's id alone: the sidecar makes ids for the sessions of its hooks.
std::string SessionOf(const std::string& session) {
  const std::string id = "transcript-" + session;
  return id.size() <= api::kMaxSessionId ? id : "transcript-" + base::Sha256Hex(session);
}

// Whether a rule needs the output of the call to decide.
bool AskForOutput(const TurnDraft& draft) {
  using Outcome = RuleVerdict::Outcome;
  return std::ranges::any_of(draft.verdicts, [](const RuleVerdict& verdict) {
    return verdict.outcome == Outcome::kMatched || verdict.outcome == Outcome::kOutput ||
           verdict.outcome == Outcome::kOverBudget;
  });
}

// Most calls interest no rule, and digests have no output: the output is redacted and searched only
// if a rule asks for it.
TurnDraft Draft(const ActivePolicy& policy, api::HookEvent event) {
  if (event.tool_response.is_null()) return DraftTurn(policy, std::move(event), {});
  Json response = std::exchange(event.tool_response, nullptr);
  TurnDraft draft = DraftTurn(policy, event, {});
  const bool commits = policy.policy.save_commits && MakesCommit(Arguments(event.tool_input));
  if (!commits && !AskForOutput(draft)) return draft;
  event.tool_response = std::move(response);
  return DraftTurn(policy, std::move(event), {});
}

}  // namespace

base::Result<SessionReplay> SessionReplay::Begin(const std::string& session,
                                                 std::shared_ptr<const ActivePolicy> policy) {
  ASSIGN_OR_RETURN(auto account, SessionAccount::Begin(SessionOf(session), 0, policy->policy));
  return SessionReplay(std::move(account), std::move(policy));
}

std::vector<Json> SessionReplay::Handle(PastEvent past) {
  const TurnDraft draft = Draft(*policy_, std::move(past.event));
  if (past.at_ms > 0 && first_ms_ == 0) first_ms_ = past.at_ms;
  last_ms_ = std::max(last_ms_, past.at_ms);
  prompts_ += draft.BeginsTurn();
  messages_ += static_cast<int64_t>(draft.messages.size());
  account_.Add(draft.messages, messages_);
  std::vector<Json> rows;
  for (Capture capture : draft.captures) {
    if (capture.amends && !commit_topic_.empty()) capture.topic_key = commit_topic_;
    if (capture.rule == kCommitRule) commit_topic_ = capture.topic_key;
    Json row = ObservationBody(draft, capture, session(), policy_->policy);
    if (past.at_ms > 0) row["created_at"] = base::FormatTime(past.at_ms);
    if (!IsRepeated(row, past.at_ms)) rows.push_back(std::move(row));
  }
  return rows;
}

bool SessionReplay::IsRepeated(const Json& row, int64_t at_ms) {
  const std::string what =
      base::DumpJson({row["type"], row["scope"], base::StringAt(row, {"source", "rule"}),
                      api::NormalizedHash(base::StringAt(row, {"content"}))});
  const auto before = captured_ms_.find(what);
  if (before != captured_ms_.end() && at_ms - before->second <= kSameWithinMs) return true;
  if (captured_ms_.size() < kMostRemembered) captured_ms_[what] = at_ms;
  return false;
}

std::optional<SessionReplay::End> SessionReplay::Finish() const {
  if (messages_ == 0) return std::nullopt;
  const api::Policy& policy = policy_->policy;
  End end;
  end.session = {{"id", session()}, {"project", policy.project}};
  if (first_ms_ > 0) end.session["started_at"] = base::FormatTime(first_ms_);
  if (last_ms_ > 0) end.session["ended_at"] = base::FormatTime(last_ms_);
  end.said = policy.auto_summarize ? account_.EndBody() : Json{{"messages", Json::array()}};
  if (!policy.auto_summarize) return end;
  api::SummaryBuilder summary;
  for (const Json& message : end.said["messages"])
    summary.Add(base::StringAt(message, {"role"}), base::StringAt(message, {"content"}));
  summary.AddOmitted(end.said.value("omitted", int64_t{0}));
  end.session["summary"] = summary.Text();
  end.session["message_count"] = summary.counted();
  if (const auto digest = DigestOf(account_, policy)) {
    end.digest = api::EncodeNewObservation(*digest);
    if (last_ms_ > 0) (*end.digest)["created_at"] = base::FormatTime(last_ms_);
  }
  return end;
}

}  // namespace sidecar
