// Pairs, and the parts of what is too long for one row.
#include "memory/transfer/rows/paired_rows.h"

#include <algorithm>

#include "lib/base/text/text.h"

namespace memory {

using base::Json;

namespace {

constexpr size_t kPartCharacters = 40'000;  // of kMaxContent; fields that become lines come behind

// At line ends where there are some, in order; nothing between the parts is lost.
std::vector<std::string> PartsOf(std::string_view text) {
  std::vector<std::string> parts;
  while (base::CountCharacters(text) > kPartCharacters) {
    const size_t most = base::Prefix(text, kPartCharacters).size();
    const size_t line = text.rfind('\n', most - 1);
    const size_t end = line == text.npos || line < most / 2 ? most : line + 1;
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  if (!base::IsBlank(text) || parts.empty()) parts.emplace_back(text);
  return parts;
}

}  // namespace

void AddInParts(Json fields, const ForeignDefaults& defaults, OtherRows& made) {
  const std::vector<std::string> parts = PartsOf(base::StringAt(fields, {"content"}));
  std::string title = base::StringAt(fields, {"title"});
  if (title.empty()) title = TitleOf(parts[0]);
  for (size_t i = 0; i < parts.size(); ++i) {
    Json part = i == 0 ? fields : Json::object();
    if (i > 0) {
      for (const char* same : {"type", "tags", "session_id", "created_at", "project", "source"})
        if (fields.contains(same)) part[same] = fields[same];
    }
    const std::string number = parts.size() == 1 ? ""
                                                 : " (" + std::to_string(i + 1) + " of " +
                                                       std::to_string(parts.size()) + ")";
    part["title"] = base::Ellipsize(title, api::kMaxTitle - number.size()) + number;
    part["content"] = parts[i];
    made.rows.push_back(RowOfFields(std::move(part), defaults));
  }
}

void PairedRows::Say(bool question, const std::string& text, const Json& time) {
  if (base::IsBlank(text)) return;
  summary_.Add(question ? "user" : "assistant", text);
  const Json at = ForeignTime(time);
  if (first_.is_null()) first_ = at;
  if (!at.is_null()) last_ = at;
  if (pairs_.empty() || question) {
    pairs_.push_back({{"session_id", id_}, {"type", "episodic"}, {"title", TitleOf(text)}});
    if (!at.is_null()) pairs_.back()["created_at"] = at;
    if (!base::IsBlank(title_)) pairs_.back()["tags"] = {base::Ellipsize(title_, api::kMaxTag)};
  }
  const std::string before = pairs_.back().value("content", "");
  pairs_.back()["content"] =
      before + (before.empty() ? "" : "\n\n") + (question ? "User: " : "Assistant: ") + text;
}

OtherRows PairedRows::Finish(Json started, Json ended) {
  OtherRows made;
  if (started.is_null()) started = first_;
  if (ended.is_null()) ended = last_;
  for (Json& pair : pairs_) {
    if (!pair.contains("created_at") && !started.is_null()) pair["created_at"] = started;
    AddInParts(std::move(pair), defaults_, made);
  }
  for (const auto& [what, count] : left_out_)
    made.left_out.push_back((title_.empty() ? id_ : "\"" + base::Ellipsize(title_, 80) + "\"") +
                            ": " + std::to_string(count) +
                            " parts without text of a person or a model were left out: " + what);
  if (pairs_.empty()) return made;
  Json session = {{"id", id_},
                  {"project", defaults_.project},
                  {"summary", summary_.Text()},
                  {"message_count", summary_.counted()}};
  if (!started.is_null()) session["started_at"] = started;
  if (!ended.is_null()) session["ended_at"] = ended;
  made.sessions.push_back(std::move(session));
  return made;
}

}  // namespace memory
