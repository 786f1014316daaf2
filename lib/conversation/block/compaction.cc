// A chain of tool calls is most of a transcript and least of its meaning: each call becomes one
// line. Results of parallel calls arrive in any order, so a line is kept by the number of its call
// until its result is known, and only then compared with the other lines of the chain.
#include "lib/conversation/block/compaction.h"

#include <algorithm>
#include <set>

#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"

namespace conversation {
namespace {

using base::Json;

constexpr int64_t kCharactersPerToken = 3;
constexpr size_t kNameCharacters = 80, kToolKinds = 100;
constexpr size_t kBesideCall = 20;  // bytes of the separator and a missing result
constexpr const char* kOtherTools = "(other tools)";
constexpr const char* kOpening = "<prior_tool_use>\n";
constexpr const char* kClosing = "</prior_tool_use>";

// At most `characters` of `text`, inert, so that a result can neither close the tag nor begin a new
// line. `more`: `text` is only a prefix.
std::string Inline(std::string_view text, size_t characters, bool more = false) {
  const std::string_view head = base::Prefix(text, 2 * characters);
  more |= head.size() < text.size();
  std::string inert = base::Inert(base::Trim(head));
  if (more) inert += "…";
  return base::Ellipsize(inert, characters);
}

// The function of a call in the form of chat models, or of a flat call.
const Json& FunctionOf(const Json& call) {
  const auto function = call.find("function");
  return function != call.end() && function->is_object() ? *function : call;
}

std::string ArgumentsOf(const Json& function) {
  for (const char* key : {"arguments", "input"}) {
    const auto found = function.find(key);
    if (found == function.end() || found->is_null()) continue;
    return found->is_string() ? found->get<std::string>() : base::DumpJson(*found);
  }
  return "";
}

bool HasCalls(const Message& message) {
  return message.tool_calls.is_array() && !message.tool_calls.empty();
}

}  // namespace

std::string Compaction::Line::Text() const {
  return call + " -- " + (has_result ? result : "(no result)");
}

void Compaction::Add(const Message& message, int64_t characters) {
  all_ += characters;
  if (message.role == "user" && !asked_) {
    asked_ = true;
    query_ = base::Prefix(message.content, kQueryCharacters);
  }
  if (message.role == "assistant" && !base::IsBlank(message.content)) outcome_ = message.content;
  if (HasCalls(message)) {
    all_ += static_cast<int64_t>(base::CountCharacters(base::DumpJson(message.tool_calls)));
    for (const Json& call : message.tool_calls) AddCall(call);
    return;
  }
  if (message.role == "tool") return AddResult(message, characters);
  passing_ += characters;
  const bool goes_on =
      !parts_.empty() && parts_.back().first_call < 0 && parts_.back().to + 1 == message.sequence;
  if (goes_on) {
    parts_.back().to = message.sequence;
  } else {
    parts_.push_back({message.sequence, message.sequence});
  }
}

void Compaction::AddCall(const Json& call) {
  if (!call.is_object()) return;
  const Json& function = FunctionOf(call);
  std::string name = Inline(base::StringAt(function, {"name"}), kNameCharacters);
  if (name.empty()) name = "(unnamed)";
  CountTool(name);
  const int64_t number = calls_++;
  if (parts_.empty() || parts_.back().first_call < 0) parts_.push_back({0, 0, number, number});
  Part& chain = parts_.back();
  if (bytes_ >= kMostLineBytes) {
    ++chain.more;
    return;
  }
  chain.last_call = number;
  const std::string arguments = Inline(ArgumentsOf(function), kArgumentCharacters);
  const std::string id = base::StringAt(call, {"id"});
  Line line{chain.first_call, name, "", false};
  if (!arguments.empty()) line.call += " " + arguments;
  bytes_ += line.call.size() + kBesideCall;
  lines_.emplace(number, std::move(line));
  if (id.empty()) return Settle(number);
  // Some runtimes reuse an id: the earlier call with this id gets no result, and can be compared
  // now.
  const auto [place, is_new] = waiting_.emplace(id, number);
  if (!is_new) return Settle(std::exchange(place->second, number));
  bytes_ += id.size();
}

void Compaction::AddResult(const Message& message, int64_t characters) {
  const auto waiting = waiting_.extract(message.tool_call_id);
  if (waiting.empty()) return;
  Line& line = lines_.at(waiting.mapped());
  bytes_ -= std::min(bytes_, waiting.key().size());
  const bool cut = static_cast<int64_t>(base::CountCharacters(message.content)) < characters;
  const bool says_so = base::FoldCase(base::Prefix(message.content, 5)) == "error";
  const std::string failed = message.is_error && !says_so ? "error: " : "";
  const std::string output =
      characters == 0 ? "(no output)"
                      : std::string(base::Prefix(message.content, 2 * kResultCharacters + 1));
  line.result = Inline(failed + output, kResultCharacters, cut);
  line.has_result = true;
  bytes_ += line.result.size();
  Settle(waiting.mapped());
}

void Compaction::Settle(int64_t number) {
  const auto line = lines_.find(number);
  const auto [known, is_new] =
      known_.try_emplace({line->second.chain, line->second.Text()}, number);
  if (is_new) return;
  // The first of two equal lines stays, even if its result comes later.
  const auto later = lines_.find(std::max(known->second, number));
  known->second = std::min(known->second, number);
  bytes_ -= std::min(bytes_, later->second.call.size() + later->second.result.size() + kBesideCall);
  lines_.erase(later);
}

void Compaction::CountTool(const std::string& name) {
  const auto find = [&](std::string_view tool) {
    return std::ranges::find(tools_, tool, &ToolCounts::value_type::first);
  };
  auto tool = find(name);
  if (tool == tools_.end() && tools_.size() >= kToolKinds) tool = find(kOtherTools);
  if (tool == tools_.end()) {
    tools_.emplace_back(tools_.size() < kToolKinds ? name : kOtherTools, 1);
  } else {
    ++tool->second;
  }
}

std::vector<CompactPart> Compaction::Parts() const {
  std::vector<CompactPart> parts;
  for (const Part& part : parts_) {
    if (part.first_call < 0) {
      parts.push_back({part.from, part.to, ""});
      continue;
    }
    std::set<std::string> shown;  // compares the calls without a result, too
    std::string text = kOpening;
    const auto end = lines_.upper_bound(part.last_call);
    for (auto line = lines_.lower_bound(part.first_call); line != end; ++line) {
      const auto [once, is_new] = shown.insert(line->second.Text());
      if (is_new) text += *once + "\n";
    }
    if (part.more > 0) text += "(and " + std::to_string(part.more) + " more calls)\n";
    parts.push_back({0, 0, text + kClosing});
  }
  return parts;
}

int64_t Compaction::Tokens(const std::vector<CompactPart>& parts) const {
  int64_t characters = passing_;
  for (const CompactPart& part : parts) {
    characters += static_cast<int64_t>(base::CountCharacters(part.tool_use));
  }
  return characters / kCharactersPerToken;
}

int64_t Compaction::OriginalTokens() const { return all_ / kCharactersPerToken; }

Json EncodeParts(const std::vector<CompactPart>& parts) {
  Json json = Json::array();
  for (const CompactPart& part : parts) {
    json.push_back(part.tool_use.empty() ? Json{part.from, part.to} : Json(part.tool_use));
  }
  return json;
}

base::Result<std::vector<CompactPart>> DecodeParts(const Json& json) {
  const base::Error odd = {base::Code::kInternal, "a compact form is not what was written"};
  if (!json.is_array()) return odd;
  std::vector<CompactPart> parts;
  for (const Json& part : json) {
    const bool range = part.is_array() && part.size() == 2 && part[0].is_number_integer() &&
                       part[1].is_number_integer();
    if (!range && !part.is_string()) return odd;
    parts.push_back(range ? CompactPart{part[0].get<int64_t>(), part[1].get<int64_t>(), ""}
                          : CompactPart{0, 0, part.get<std::string>()});
  }
  return parts;
}

Message ToolUseMessage(std::string tool_use) {
  Message message;
  message.role = "user";
  message.content = std::move(tool_use);
  return message;
}

std::vector<Message> CompactMessages(const std::vector<Message>& messages) {
  Compaction compaction;
  int64_t place = 0;
  for (Message message : messages) {
    const auto characters = static_cast<int64_t>(base::CountCharacters(message.content));
    message.sequence = ++place;
    compaction.Add(message, characters);
  }
  std::vector<Message> compact;
  for (CompactPart& part : compaction.Parts()) {
    if (!part.tool_use.empty()) compact.push_back(ToolUseMessage(std::move(part.tool_use)));
    for (int64_t at = part.from; at > 0 && at <= part.to; ++at) {
      compact.push_back(messages[static_cast<size_t>(at) - 1]);
    }
  }
  return compact;
}

}  // namespace conversation
