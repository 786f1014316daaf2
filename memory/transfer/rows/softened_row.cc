// Field by field, with the limits of lib/api/memory_api.h.
#include "memory/transfer/rows/softened_row.h"

#include <algorithm>

#include "lib/api/memory_api.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "memory/transfer/rows/foreign_rows.h"

namespace memory {

using base::Json;

namespace {

constexpr size_t kShownCharacters = 60;

std::string ShownText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : base::DumpJson(value);
}

// NUL is the one character that no text may hold.
void ReplaceNul(Json& value) {
  if (value.is_string()) {
    std::string& text = value.get_ref<std::string&>();
    for (size_t at = text.find('\0'); at != text.npos; at = text.find('\0', at + 3))
      text.replace(at, 1, "\uFFFD");
  } else if (value.is_structured()) {
    for (Json& inner : value) ReplaceNul(inner);
  }
}

class Softener {
 public:
  Softener(Json& row, std::vector<std::string>& problems) : row_(row), problems_(problems) {}

  void Soften() {
    ReplaceNul(row_);
    Content();
    Text("title", api::kMaxTitle);
    Text("type", api::kMaxType);
    Text("project", api::kMaxProject);
    Text("topic_key", api::kMaxTopicKey);
    Text("session_id", api::kMaxSessionId);
    Tags();
    for (const char* time : {"created_at", "updated_at", "last_seen_at"}) Time(time);
    for (const char* count : {"id", "revision_count", "duplicate_count"}) Count(count);
    if (Has("scope") && row_["scope"] != "project" && row_["scope"] != "global")
      Move("scope", "is neither project nor global");
    if (Has("source") && !row_["source"].is_object()) Move("source", "is no object");
    if (Has("source") && !api::DecodeSource(row_)) Move("source", "cannot be read");
    if (Has("revisions") && !row_["revisions"].is_array()) Move("revisions", "is no list");
    std::string content = base::StringAt(row_, {"content"});
    if (base::StringAt(row_, {"title"}) == TitleOf("")) row_.erase("title");
    if (base::IsBlank(content)) {
      content = lines_.empty() ? base::StringAt(row_, {"title"}) : lines_.substr(1);
      lines_.clear();
    }
    row_["content"] = content + (lines_.empty() ? "" : "\n" + lines_);
    Fill("type", "discovery");
    Fill("project", "imported");
    Fill("session_id", "import-" + row_["project"].get<std::string>());
    Fill("title", TitleOf(content));
    if (!row_.contains("source")) row_["source"] = {{"origin", api::kOriginImport}};
  }

 private:
  bool Has(const char* name) const { return row_.contains(name) && !row_[name].is_null(); }
  void Fill(const char* name, const std::string& value) {
    if (!Has(name) || base::IsBlank(base::StringAt(row_, {name})))
      row_[name] = std::string(base::Prefix(value, 200));
  }
  void Tell(const std::string& name, const Json& value, const std::string& why) {
    problems_.push_back(name + " " + base::Ellipsize(ShownText(value), kShownCharacters) + " " +
                        why + ": it is a line of the text");
  }
  void Move(const std::string& name, const std::string& why) {
    const Json value = std::move(row_[name]);
    row_.erase(name);
    lines_ += "\n" + name + ": " + ShownText(value);
    Tell(name, value, why);
  }
  void Content() {
    if (!Has("content") || row_["content"].is_string()) return;
    const Json value = row_["content"];
    row_["content"] = ShownText(value);
    problems_.push_back("content is no text: its JSON is the text");
  }
  void Text(const char* name, size_t most) {
    if (!Has(name)) return;
    if (row_[name].is_structured()) return Move(name, "is no text");
    const std::string text = ShownText(row_[name]);
    row_[name] = text;
    if (base::IsBlank(text)) {
      row_.erase(name);
    } else if (base::CountCharacters(text) > most) {
      Move(name, "has more than " + std::to_string(most) + " characters");
      if (std::string_view(name) == "title") row_[name] = base::Ellipsize(text, most);
    }
  }
  void Tags() {
    if (!Has("tags")) return;
    if (!row_["tags"].is_array()) {
      if (row_["tags"].is_object()) return Move("tags", "are no list");
      row_["tags"] = Json::array({row_["tags"]});
    }
    Json kept = Json::array();
    std::string rest;
    for (const Json& tag : row_["tags"]) {
      const std::string text(base::Trim(tag.is_null() ? "" : ShownText(tag)));
      if (text.empty() || std::find(kept.begin(), kept.end(), text) != kept.end()) continue;
      if (!tag.is_structured() && base::CountCharacters(text) <= api::kMaxTag &&
          kept.size() < api::kMaxTags)
        kept.push_back(text);
      else
        rest += (rest.empty() ? "" : ", ") + text;
    }
    row_["tags"] = std::move(kept);
    if (rest.empty()) return;
    lines_ += "\ntags: " + rest;
    Tell("tags", rest, "are too many, too long or no texts");
  }
  void Time(const char* name) {
    if (!Has(name)) return;
    row_[name] = ForeignTime(row_[name]);
    if (!row_[name].is_string() || !base::ParseTime(row_[name].get<std::string>()))
      Move(name, "is no time that can be read");
  }
  void Count(const char* name) {
    if (!Has(name)) return;
    const Json& value = row_[name];
    if (!value.is_number_integer() || value.get<double>() < 0 ||
        value.get<double>() >= 9007199254740992.0)
      Move(name, "is no number in range");
  }

  Json& row_;
  std::vector<std::string>& problems_;
  std::string lines_;
};

}  // namespace

Json SoftenedRow(Json row, std::vector<std::string>& problems) {
  if (!row.is_object()) {
    problems.push_back("the row is no object: its JSON is the text");
    row = {{"content", ShownText(row)}};
  }
  Softener(row, problems).Soften();
  return row;
}

std::vector<std::string> PartsOfText(const std::string& text) {
  std::vector<std::string> parts;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view part = base::Prefix(rest, api::kMaxContent);
    if (part.size() < rest.size()) {
      // Not before the middle: a text without any such place is cut anywhere.
      for (const std::string_view end : {"\n\n", "\n", " "}) {
        const size_t at = part.rfind(end);
        if (at == part.npos || at < part.size() / 2) continue;
        part = part.substr(0, at + end.size());
        break;
      }
    }
    if (parts.empty() || !base::IsBlank(part)) parts.emplace_back(part);
    rest.remove_prefix(part.size());
  }
  if (parts.empty()) parts.emplace_back();
  return parts;
}

}  // namespace memory
