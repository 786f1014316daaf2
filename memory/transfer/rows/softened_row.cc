// Softens rows and sessions of other programs field by field, with the limits of
// lib/api/memory_api.h, so that an odd field never refuses a text.
#include <algorithm>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "memory/transfer/rows/foreign_rows.h"

namespace memory {

using base::Json;

namespace {

constexpr size_t kShownCharacters = 60;
constexpr double kCountEnd = 9007199254740992;  // the first whole number that a double may miss
constexpr const char* kProject = "imported";

enum class FieldKind { kText, kTime, kCount };
struct Field {
  const char* name;
  FieldKind kind;
  size_t most = 0;  // characters of a text
};
constexpr Field kRowFields[] = {
    {"title", FieldKind::kText, api::kMaxTitle},
    {"type", FieldKind::kText, api::kMaxType},
    {"project", FieldKind::kText, api::kMaxProject},
    {"topic_key", FieldKind::kText, api::kMaxTopicKey},
    {"session_id", FieldKind::kText, api::kMaxSessionId},
    {"created_at", FieldKind::kTime},
    {"updated_at", FieldKind::kTime},
    {"last_seen_at", FieldKind::kTime},
    {"id", FieldKind::kCount},
    {"revision_count", FieldKind::kCount},
    {"duplicate_count", FieldKind::kCount},
};
constexpr Field kSessionFields[] = {
    {"project", FieldKind::kText, api::kMaxProject},
    {"predecessor", FieldKind::kText, api::kMaxSessionId},
    {"summary", FieldKind::kText, api::kMaxContent},
    {"started_at", FieldKind::kTime},
    {"ended_at", FieldKind::kTime},
    {"message_count", FieldKind::kCount},
};

bool Has(const Json& row, const char* name) { return row.contains(name) && !row[name].is_null(); }

// Brings a value into the form of its field. Returns why it cannot be read; "": it can.
std::string Mend(Json& value, const Field& field) {
  if (field.kind == FieldKind::kText) {
    if (value.is_structured()) return "is no text";
    value = ShownText(value);
    const bool fits = base::CountCharacters(value.get_ref<const std::string&>()) <= field.most;
    return fits ? "" : "has more than " + std::to_string(field.most) + " characters";
  }
  if (field.kind == FieldKind::kTime) {
    value = ForeignTime(value);
    const bool time =
        value.is_null() ||
        (value.is_string() && base::ParseTime(value.get_ref<const std::string&>()).has_value());
    return time ? "" : "is no time that can be read";
  }
  const bool count =
      value.is_number_integer() && value.get<double>() >= 0 && value.get<double>() < kCountEnd;
  return count ? "" : "is no number in range";
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
    if (Has(row_, "content") && !row_["content"].is_string()) {
      row_["content"] = ShownText(row_["content"]);
      problems_.push_back("content is no text: its JSON is the text");
    }
    for (const Field& field : kRowFields) MendField(field);
    MendTags();
    if (Has(row_, "scope") && row_["scope"] != "project" && row_["scope"] != "global")
      Move("scope", "is neither project nor global");
    if (Has(row_, "source") && !row_["source"].is_object()) Move("source", "is no object");
    if (Has(row_, "source") && !api::DecodeSource(row_)) Move("source", "cannot be read");
    if (Has(row_, "revisions") && !row_["revisions"].is_array()) Move("revisions", "is no list");
    FillIn();
  }

 private:
  void MendField(const Field& field) {
    if (!Has(row_, field.name)) return;
    const std::string why = Mend(row_[field.name], field);
    const std::string text = base::StringAt(row_, {field.name});
    if (!why.empty()) Move(field.name, why);
    if (why.empty() && base::IsBlank(text)) {
      if (field.kind == FieldKind::kText) row_.erase(field.name);
    } else if (!text.empty() && std::string_view(field.name) == "title") {
      row_["title"] = base::Ellipsize(text, field.most);
    }
  }
  void MendTags() {
    if (!Has(row_, "tags")) return;
    if (row_["tags"].is_object()) return Move("tags", "are no list");
    if (!row_["tags"].is_array()) row_["tags"] = Json::array({row_["tags"]});
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
  void FillIn() {
    std::string content = base::StringAt(row_, {"content"});
    if (base::StringAt(row_, {"title"}) == TitleOf("")) row_.erase("title");
    if (base::IsBlank(content)) {
      content = lines_.empty() ? base::StringAt(row_, {"title"}) : lines_.substr(1);
      lines_.clear();
    }
    row_["content"] = content + (lines_.empty() ? "" : "\n" + lines_);
    const auto fill = [&](const char* name, const std::string& value) {
      if (base::IsBlank(base::StringAt(row_, {name})))
        row_[name] = std::string(base::Prefix(value, 200));
    };
    fill("type", "discovery");
    fill("project", kProject);
    fill("session_id", "import-" + row_["project"].get<std::string>());
    fill("title", TitleOf(content));
    if (!row_.contains("source")) row_["source"] = {{"origin", api::kOriginImport}};
  }
  void Move(const std::string& name, const std::string& why) {
    const Json value = std::move(row_[name]);
    row_.erase(name);
    lines_ += "\n" + name + ": " + ShownText(value);
    Tell(name, value, why);
  }
  void Tell(const std::string& name, const Json& value, const std::string& why) {
    problems_.push_back(name + " " + base::Ellipsize(ShownText(value), kShownCharacters) + " " +
                        why + ": it is a line of the text");
  }

  Json& row_;
  std::vector<std::string>& problems_;
  std::string lines_;  // fields that moved into the text
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

std::vector<std::string> SoftenSession(Json& session) {
  std::vector<std::string> problems;
  if (!session.is_object()) return problems;
  ReplaceNul(session);
  for (const Field& field : kSessionFields) {
    if (!Has(session, field.name)) continue;
    Json& value = session[field.name];
    const std::string why = Mend(value, field);
    if (why.empty()) continue;
    const bool cut = std::string_view(field.name) == "summary" && value.is_string();
    problems.push_back(std::string(field.name) + " " +
                       base::Ellipsize(ShownText(value), kShownCharacters) + " " + why +
                       (cut ? ": it is cut" : ": it is left out"));
    value = cut ? Json(base::Ellipsize(value.get<std::string>(), field.most)) : Json();
  }
  if (Has(session, "id") && !session["id"].is_structured())
    session["id"] = ShownText(session["id"]);
  if (base::IsBlank(base::StringAt(session, {"project"}))) session["project"] = kProject;
  return problems;
}

bool Detach(api::Observation& row) {
  const std::string session = "import-" + row.project;
  if (row.topic_key.empty() && row.session_id == session) return false;
  std::string lines;
  if (!row.topic_key.empty()) lines += "\ntopic_key: " + std::exchange(row.topic_key, "");
  if (row.session_id != session) lines += "\nsession_id: " + row.session_id;
  row.session_id = std::string(base::Prefix(session, api::kMaxSessionId));
  if (base::CountCharacters(row.content) + base::CountCharacters(lines) < api::kMaxContent)
    row.content += "\n" + lines;
  return true;
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
