// Built message by message in bounded memory, for a session of any length, and without a model, so
// that it costs nothing and is the same each time. A tool's output never enters it: it may contain
// whatever a web page or a file says.
#include "sidecar/session/digest.h"

#include <algorithm>

#include "lib/base/text/identifier.h"
#include "lib/base/text/text.h"
#include "sidecar/rules/causes.h"
#include "sidecar/rules/remember.h"
#include "sidecar/text/persons_words.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using base::Json;

constexpr size_t kMostKept = 200, kMostOpen = 1'000;  // of a kind; calls without a result
constexpr size_t kMostCausesKept = 5;
constexpr size_t kMostCounted = 10'000;  // of a kind, beyond kMostKept
constexpr size_t kShown = 20;            // of a kind
constexpr size_t kMostExchanges = 12, kExchange = 160;
constexpr size_t kGoal = 300, kAnswer = 600, kArgument = 120, kTitle = 100;
constexpr const char* kFileArguments[] = {"file_path", "path", "notebook_path"};

std::string Line(std::string_view text, size_t characters) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return base::Ellipsize(line, characters);
}

// "hi", "Hey there!", "thanks.", "moin": a few words, all of them of greetings.
bool IsGreeting(std::string_view words) {
  static const std::set<std::string, std::less<>> kWords = {
      "hi",    "hello", "hey",  "there", "thanks",  "thank",   "you",   "ok",     "okay",  "good",
      "great", "fine",  "nice", "bye",   "yes",     "no",      "yo",    "moin",   "hallo", "servus",
      "danke", "gut",   "ja",   "nein",  "tschüss", "morning", "guten", "morgen", "tag",   "super"};
  constexpr size_t kMostWords = 3;
  size_t count = 0;
  const std::string folded = base::FoldCase(words);
  for (const std::string_view word : base::Tokens(folded))
    if (++count > kMostWords || !kWords.contains(word)) return false;
  return true;
}

bool IsNews(const std::string& words) {
  return !words.ends_with('?') && !IsGreeting(words) && !AskedToRemember(words);
}

std::string Times(int64_t count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

bool Changes(const std::string& tool) {
  constexpr const char* kNames[] = {"*Edit*", "*Write*", "*create*file*", "*replace*"};
  return std::ranges::any_of(kNames,
                             [&](const char* pattern) { return ToolMatches(pattern, tool); });
}

std::string_view FirstSentence(std::string_view text) {
  for (size_t at = 0; at + 1 < text.size(); ++at)
    if ((text[at] == '.' || text[at] == '!' || text[at] == '?') && text[at + 1] == ' ')
      return text.substr(0, at + 1);
  return text;
}

void AddSection(std::string& text, const char* name, const std::vector<std::string>& items,
                size_t more) {
  if (items.empty()) return;
  text += std::string("\n") + name + ": ";
  const size_t shown = std::min(items.size(), kShown);
  for (size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : "; ") + items[i];
  const char* least = more >= kMostCounted ? "at least " : "";
  more += items.size() - shown;
  if (more > 0) text += std::string("; and ") + least + std::to_string(more) + " more";
}

}  // namespace

template <class T>
T* SessionDigest::Kept<T>::At(const std::string& key) {
  const auto known = places.find(key);
  if (known != places.end()) return &items[known->second].second;
  if (items.size() >= kMostKept) {
    if (others.size() < kMostCounted) others.insert(std::hash<std::string>()(key));
    return nullptr;
  }
  places[key] = items.size();
  return &items.emplace_back(key, T()).second;
}

void SessionDigest::Add(const conversation::Message& message) {
  if (message.role == "tool") return AddResult(message);
  if (message.role == "user") {
    // A text that the client wrote, such as a notification, is no request.
    const std::string words = PersonsWords(message.content);
    if (words.empty()) return;
    ++users_;
    const std::string request = Line(words, kGoal);
    has_news_ = has_news_ || IsNews(request);
    if (goal_.empty()) goal_ = request;
    if (!IsGreeting(request)) AddRequest(request);
  }
  if (message.role == "assistant" && !message.content.empty()) {
    ++assistants_;
    last_answer_ = Line(message.content, kAnswer);
    const bool is_first = !exchanges_.empty() && exchanges_.back().answer.empty();
    // Without a call the answer is what the model knew already.
    const bool was_asked = is_first && calls_ > 0 && AsksForCause(exchanges_.back().request);
    if (is_first)
      exchanges_.back().answer = base::Ellipsize(FirstSentence(last_answer_), kExchange);
    for (std::string& cause : CausesIn(message.content, was_asked)) {
      if (std::ranges::find(causes_, cause) != causes_.end()) continue;
      if (causes_.size() >= kMostCausesKept) causes_.erase(causes_.begin());
      causes_.push_back(std::move(cause));
    }
  }
  if (!message.tool_calls.is_array()) return;
  for (const Json& call : message.tool_calls) AddCall(call);
}

void SessionDigest::AddRequest(const std::string& request) {
  if (exchanges_.size() >= kMostExchanges) {
    exchanges_.erase(exchanges_.begin() + 1);
    ++left_out_;
  }
  exchanges_.push_back({base::Ellipsize(request, kExchange), ""});
}

void SessionDigest::AddCall(const Json& call) {
  if (!call.is_object() || !call.contains("function") || !call["function"].is_object()) return;
  const Json& function = call["function"];
  const std::string name = Line(base::StringAt(function, {"name"}), kTitle);
  const Json arguments = Arguments(function.value("arguments", Json()));
  const std::string id = base::StringAt(call, {"id"});
  ++calls_;
  if (Tool* tool = tools_.At(name)) ++tool->calls;
  if (IsOwnTool(name)) {
    if (!ToolMatches("mem_save", name) || id.empty() || open_.size() >= kMostOpen) return;
    open_[id] = {name, "", "", Line(base::StringAt(arguments, {"title"}), kArgument)};
    return;
  }
  std::string file;
  for (const char* key : kFileArguments) {
    if (file.empty()) file = Line(base::StringAt(arguments, {key}), kArgument);
  }
  if (!file.empty()) files_.At(file);
  if (id.empty() || open_.size() >= kMostOpen) return;
  open_[id] = {name, name + " \"" + Line(MainArgument(arguments), kArgument) + "\"",
               Changes(name) ? file : "", ""};
}

void SessionDigest::AddResult(const conversation::Message& message) {
  const auto call = open_.extract(message.tool_call_id);
  if (call.empty()) return;
  const auto& [tool, key, file, saves] = call.mapped();
  if (!message.is_error && files_.places.contains(file)) ++*files_.At(file);
  if (message.is_error && tools_.places.contains(tool)) ++tools_.At(tool)->failed;
  if (!message.is_error && !saves.empty()) saved_.At(saves);
  if (key.empty()) return;
  // Keeps only attempts that failed once.
  if (!message.is_error && !attempts_.places.contains(key)) return;
  if (Attempt* attempt = attempts_.At(key)) {
    attempt->failed += message.is_error;
    attempt->worked_last = !message.is_error;
  }
}

std::string SessionDigest::Title() const {
  return "Session: " + (goal_.empty() ? "without a request" : base::Ellipsize(goal_, kTitle));
}

std::string SessionDigest::Text() const {
  std::string text;  // a prompt shows its beginning
  for (const std::string& cause : causes_) text += "Cause: " + cause + "\n";
  text += "Goal: " + goal_;
  for (size_t i = 0; i < exchanges_.size(); ++i) {
    const auto& [request, answer] = exchanges_[i];
    const bool last = i + 1 == exchanges_.size();  // Last answer has its answer
    if (!goal_.starts_with(request)) text += "\nAsked: " + request;
    if (!last && !answer.empty()) text += "\nAnswered: " + answer;
    if (i == 0 && left_out_ > 0) text += "\n" + std::to_string(left_out_) + " more";
  }
  if (!last_answer_.empty()) text += "\nLast answer: " + last_answer_;
  text += "\nMessages: " + std::to_string(users_ + assistants_) + " (" + std::to_string(users_) +
          " user, " + std::to_string(assistants_) + " assistant), " + std::to_string(calls_) +
          " tool calls";
  std::vector<std::string> tools, files, errors, saved;
  for (const auto& [name, tool] : tools_.items) {
    const std::string failed = tool.failed ? ", " + std::to_string(tool.failed) + " failed" : "";
    tools.push_back(name + " (" + std::to_string(tool.calls) + failed + ")");
  }
  for (const auto& [file, changed] : files_.items)
    files.push_back(file + (changed ? " (changed " + Times(changed) + ")" : ""));
  for (const auto& [what, attempt] : attempts_.items) {
    errors.push_back(what + " failed " + Times(attempt.failed) +
                     (attempt.worked_last ? ", then worked" : ", and last"));
  }
  for (const auto& [title, count] : saved_.items) saved.push_back(title);
  AddSection(text, "Tools", tools, tools_.others.size());
  AddSection(text, "Files", files, files_.others.size());
  AddSection(text, "Errors", errors, attempts_.others.size());
  AddSection(text, "Saved memories", saved, saved_.others.size());
  return base::Ellipsize(text, kMostCharacters);
}

}  // namespace sidecar
