// Pairs of a conversation.
#include "memory/transfer/rows/paired_rows.h"

#include <utility>

#include "lib/base/text/text.h"

namespace memory {

using base::Json;

void PairedRows::Say(bool question, const std::string& text, const Json& time) {
  if (base::IsBlank(text)) return;
  const Json at = ForeignTime(time);
  if (!other_branch_) {
    summary_.Add(question ? "user" : "assistant", text);
    if (first_.is_null()) first_ = at;
    if (!at.is_null()) last_ = at;
  }
  if (std::exchange(begins_, false) || question) {
    pairs_.push_back(
        {{"session_id", id_}, {"title", TitleOf(text)}, {"tags", Json::array()}, {"content", ""}});
    if (!at.is_null()) pairs_.back()["created_at"] = at;
    if (!base::IsBlank(title_))
      pairs_.back()["tags"].push_back(base::Ellipsize(title_, api::kMaxTag));
    if (other_branch_) pairs_.back()["tags"].push_back("other branch");
  }
  std::string& content = pairs_.back()["content"].get_ref<std::string&>();
  content +=
      (content.empty() ? "" : "\n\n") + std::string(question ? "User: " : "Assistant: ") + text;
}

void PairedRows::BeginOtherBranch() { other_branch_ = begins_ = true; }

void PairedRows::Note(const std::string& title, const std::string& text) {
  if (!base::IsBlank(text)) notes_.push_back({{"title", title}, {"content", text}});
}

OtherRows PairedRows::Finish(Json started, Json ended) {
  OtherRows made;
  if (started.is_null()) started = first_;
  if (ended.is_null()) ended = last_;
  for (Json& note : notes_) made.rows.push_back(RowOfFields(std::move(note), defaults_));
  for (Json& pair : pairs_) {
    if (!pair.contains("created_at") && !started.is_null()) pair["created_at"] = started;
    made.rows.push_back(EpisodeOfFields(std::move(pair), defaults_));
  }
  for (const auto& [what, count] : left_out_)
    made.left_out.push_back((title_.empty() ? id_ : "\"" + base::Ellipsize(title_, 80) + "\"") +
                            ": " + std::to_string(count) +
                            " parts without text of a person or a model were left out: " + what);
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
