// Shortens, redacts and names an event, then evaluates the save rules.
#include "sidecar/turn/turn_draft.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"
#include "sidecar/redaction/redacted_names.h"
#include "sidecar/rules/commits.h"
#include "sidecar/rules/remember.h"
#include "sidecar/rules/stated.h"
#include "sidecar/rules/stated_memory.h"
#include "sidecar/rules/task_uses.h"
#include "sidecar/text/normal_path.h"
#include "sidecar/text/persons_words.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using EventKind = api::HookEvent::Kind;
using base::Json;

constexpr size_t kMostDraftedArgumentBytes = 1 << 20;

bool IsToolResult(EventKind kind) {
  return kind == EventKind::kPostToolUse || kind == EventKind::kPostToolUseFailure;
}

bool ShortenText(std::string& text) {
  Json value = std::move(text);
  const bool cut = ShortenStrings(value);
  text = value.get<std::string>();
  return cut;
}

// Keeps `room` bytes of all texts in `value` together; replaces a text beyond by its length.
bool LeaveOutBeyond(Json& value, size_t& room) {
  constexpr size_t kShort = 64;
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (text.size() > room && text.size() > kShort) {
      text = "[" + std::to_string(text.size()) + " bytes left out]";
      return true;
    }
    room -= std::min(room, text.size());
    return false;
  }
  if (!value.is_structured()) return false;
  bool cut = false;
  for (Json& inner : value) cut |= LeaveOutBeyond(inner, room);
  return cut;
}

// → whether a text was cut.
bool Shorten(api::HookEvent& event) {
  bool cut = false;
  for (std::string* text : {&event.prompt, &event.error, &event.last_assistant_message}) {
    cut |= ShortenText(*text);
  }
  size_t room = kMostDraftedArgumentBytes;
  cut |= ShortenStrings(event.tool_input);
  cut |= LeaveOutBeyond(event.tool_input, room);
  cut |= ShortenStrings(event.tool_response);
  return cut;
}

// Redacts the texts of the event, and the output as one text; a result with parts in JSON is
// redacted before it is rendered, since JSON escapes hide secrets.
void Redact(const redaction::Redactor& redactor, api::HookEvent& event, ToolOutput& output,
            redaction::Redactor::Counts& counts, WorkBudget& budget) {
  for (std::string* text : {&event.prompt, &event.last_assistant_message}) {
    *text = redactor.Redact(*text, counts, budget);
  }
  redactor.RedactArguments(event.tool_input, counts, budget);
  if (output.holds_json) {
    event.error = redactor.Redact(event.error, counts, budget);
    redactor.RedactStrings(event.tool_response, counts, budget);
    output = ReadOutput(event);
  } else {
    output.text = redactor.Redact(output.text, counts, budget);
    redaction::Redactor::Counts counted_with_the_output;
    event.error = redactor.Redact(event.error, counted_with_the_output, budget);
  }
  event.tool_response = nullptr;
}

// The hash of the JSON array of these JSON texts, without copies of their values.
std::string HashOf(std::initializer_list<std::string> parts) {
  return base::Sha256Hex("[" + base::Join(parts, ",") + "]").substr(0, 24);
}

// The same for a repeated event. Prompts and answers have no id: without the turn's prompt_id equal
// events count as different, since users repeat themselves.
std::string EventKey(const api::HookEvent& event, const std::string& output) {
  switch (event.kind) {
    case EventKind::kPreToolUse:
    case EventKind::kPostToolUse:
    case EventKind::kPostToolUseFailure:
      // Includes the contents, since some runtimes number calls from 1 in every turn.
      if (event.tool_use_id.empty()) return "";
      return event.name + ":" + event.tool_use_id + ":" +
             HashOf({base::DumpJson(event.tool_input), base::DumpJson(output)});
    case EventKind::kUserPromptSubmit:
    case EventKind::kStop:
      if (event.prompt_id.empty()) return "";
      return event.name + ":" +
             HashOf({base::DumpJson(event.prompt_id), base::DumpJson(event.prompt),
                     base::DumpJson(event.last_assistant_message)});
    default:
      return "";
  }
}

conversation::Message MessageOf(const char* role, std::string content) {
  conversation::Message message;
  message.role = role;
  message.content = std::move(content);
  return message;
}

// The call in the format of chat models, so that any runtime can continue the conversation.
conversation::Message CallMessage(const api::HookEvent& event, const std::string& call_id) {
  conversation::Message message = MessageOf("assistant", "");
  message.tool_calls =
      Json::array({{{"id", call_id},
                    {"type", "function"},
                    {"function",
                     {{"name", event.tool_name},
                      {"arguments", base::DumpJson(Arguments(event.tool_input))}}}}});
  return message;
}

std::vector<conversation::Message> MessagesOf(const api::HookEvent& event,
                                              const std::string& call_id,
                                              const std::string& output) {
  if (event.kind == EventKind::kUserPromptSubmit) return {MessageOf("user", event.prompt)};
  if (event.kind == EventKind::kStop && !event.last_assistant_message.empty()) {
    return {MessageOf("assistant", event.last_assistant_message)};
  }
  if (!IsToolResult(event.kind)) return {};
  conversation::Message result = MessageOf("tool", output);
  result.tool_call_id = call_id;
  result.is_error = event.kind == EventKind::kPostToolUseFailure;
  return {CallMessage(event, call_id), std::move(result)};
}

bool IsAudited(const api::Policy& policy, const api::HookEvent& event) {
  if (!IsToolResult(event.kind) && event.kind != EventKind::kPreToolUse) return false;
  return std::any_of(policy.audit_tools.begin(), policy.audit_tools.end(),
                     [&](const std::string& tool) { return ToolMatches(tool, event.tool_name); });
}

// Runs before any cut, since the middle of a long command is executed, too.
void JudgeCall(const ActivePolicy& policy, const api::HookEvent& event, const RealPath& real_path,
               WorkBudget& budget, TurnDraft& draft) {
  Denial denial = DeniedCall(policy.policy, event, real_path, budget);
  redaction::Redactor::Counts counted_with_the_input;  // the reason quotes the input
  draft.denial = base::Inert(policy.redactor.Redact(denial.reason, counted_with_the_input));
  draft.unjudged = std::move(denial.unjudged);
  if (budget.over()) draft.over_budget.push_back("denial");
}

// `text`, cut to `limit` characters and ending in its hash if it is longer.
std::string WithinLimit(const std::string& text, size_t limit) {
  if (base::CountCharacters(text) <= limit) return text;
  const std::string hash = base::Sha256Hex(text).substr(0, 32);
  return std::string(base::Prefix(text, limit - hash.size() - 1)) + "#" + hash;
}

// What a prompt asks to remember, else what it states.
void AddPromptsMemory(const api::Policy& policy, const api::HookEvent& event, TurnDraft& draft) {
  const std::string words = PersonsWords(event.prompt);
  const auto asked = policy.remember_prompts ? AskedToRemember(words) : std::nullopt;
  if (asked) return draft.captures.push_back(Remembered(*asked));
  if (!policy.save_statements) return;
  if (const auto stated = StatedIn(words)) draft.captures.push_back(StatedMemory(*stated));
}

constexpr size_t kWorkOfACommit = 4 << 10;  // beside its texts, in bytes; reads the clock

// Of a repository the same is redacted as of a command.
void AddCommits(const ActivePolicy& policy, const DraftSources& sources, WorkBudget& budget,
                TurnDraft& draft) {
  const std::string& cwd = draft.event.cwd;
  const auto source = [&](CommitQuery query) -> std::optional<RepositoryCommit> {
    // The commits before this one may have used up the time.
    if (!cwd.starts_with('/') || !budget.Spend(kWorkOfACommit)) return std::nullopt;
    query.directory = NormalPath(query.directory, cwd);
    auto found = sources.commit(query);
    if (!found) return found;
    const auto redact = [&](std::string& text) {
      text = policy.redactor.Redact(text, draft.redactions, budget);
    };
    redact(found->message);
    std::ranges::for_each(found->replaced, redact);
    if (found->files) std::ranges::for_each(*found->files, redact);
    if (budget.over()) return std::nullopt;
    return found;
  };
  for (Capture& commit : CommitsOf(Arguments(draft.event.tool_input), draft.output, source))
    draft.captures.push_back(std::move(commit));
}

}  // namespace

bool TurnDraft::ClearsTranscript() const {
  return event.kind == EventKind::kSessionStart &&
         (event.source == "compact" || event.source == "clear" ||
          (event.source == "resume" && !transcript_there));
}

TurnDraft DraftTurn(const ActivePolicy& policy, api::HookEvent event, const DraftSources& sources) {
  TurnDraft draft;
  WorkBudget budget(sources.spent, kHookBudgetUs);
  if (event.kind == EventKind::kPreToolUse)
    JudgeCall(policy, event, sources.real_path, budget, draft);
  draft.transcript_there = event.kind == EventKind::kSessionStart &&
                           !event.transcript_path.empty() &&
                           sources.has_content(event.transcript_path);
  RedactNames(policy.redactor, event, draft.redactions);
  draft.truncated = Shorten(event);
  ToolOutput output = ReadOutput(event);
  draft.truncated |= output.cut;
  draft.event_key = EventKey(event, output.text);
  draft.call_id = event.tool_use_id;
  const bool keep_raw = !policy.policy.redaction.working_memory;
  std::vector<conversation::Message> raw;
  if (IsToolResult(event.kind) && draft.call_id.empty()) {
    draft.call_id =
        "call-" + HashOf({base::DumpJson(event.tool_name), base::DumpJson(event.tool_input),
                          base::DumpJson(output.text)});
  }
  if (keep_raw) raw = MessagesOf(event, draft.call_id, output.text);
  Redact(policy.redactor, event, output, draft.redactions, budget);
  if (budget.over() && policy.policy.redaction.enabled) draft.over_budget.push_back("redaction");
  draft.output = std::move(output.text);
  draft.messages = keep_raw ? std::move(raw) : MessagesOf(event, draft.call_id, draft.output);
  draft.task = TaskUses(policy.policy, event, draft.output);
  if (const int window = policy.policy.working_section.window_tokens; window > 0) {
    for (const conversation::Message& message : draft.messages)
      draft.task.more_tokens += conversation::Tokens(message);
  }
  if (IsToolResult(event.kind)) {
    Judgement judgement = policy.rules.Judge(event, draft.output, sources.spent, budget.over());
    draft.verdicts = std::move(judgement.verdicts);
    draft.captures = std::move(judgement.captures);
  }
  if (event.kind == EventKind::kUserPromptSubmit) AddPromptsMemory(policy.policy, event, draft);
  draft.audited = IsAudited(policy.policy, event);
  draft.event = std::move(event);
  if (draft.event.kind == EventKind::kPostToolUse && policy.policy.save_commits && !budget.over() &&
      !IsOwnTool(draft.event.tool_name))
    AddCommits(policy, sources, budget, draft);
  return draft;
}

Json ObservationBody(const TurnDraft& draft, const Capture& capture, const std::string& session,
                     const api::Policy& policy) {
  api::NewObservation observation;
  observation.session_id = session;
  observation.type = WithinLimit(capture.type, api::kMaxType);
  observation.title = base::Ellipsize(capture.title, api::kMaxTitle);
  observation.content = capture.content;
  observation.project = policy.project;
  const bool asked = capture.rule == kRememberRule && policy.remember_everywhere;
  observation.scope = policy.allow_global || asked ? capture.scope : "project";
  observation.topic_key = capture.topic_key;
  for (const std::string& tag : capture.tags) {
    if (observation.tags.size() == api::kMaxTags) break;
    observation.tags.push_back(base::Ellipsize(tag, api::kMaxTag));
  }
  observation.source = {WithinLimit(draft.event.tool_name, api::kMaxSource),
                        WithinLimit(draft.call_id, api::kMaxSource),
                        WithinLimit(capture.rule, api::kMaxSource), capture.trust};
  return api::EncodeNewObservation(observation);
}

}  // namespace sidecar
