// Renames fields, keeps the known ones, and moves the others to lines of the text or to metadata.
#include "memory/transfer/rows/foreign_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "lib/api/limits.h"
#include "lib/api/memory_api.h"
#include "lib/base/json/stored.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "memory/store/trace.h"

namespace memory {

using base::Json;

namespace {

constexpr double kFirstSecond = 100'000'000;     // of 1973: a smaller number is no time
constexpr double kLastSecond = 253'402'300'799;  // of the year 9999
constexpr size_t kTitleCharacters = 120;

struct Alias {
  const char* name;
  const char* ours;
};
constexpr Alias kAliases[] = {
    {"createdAt", "created_at"}, {"created", "created_at"},   {"create_time", "created_at"},
    {"updatedAt", "updated_at"}, {"modified", "updated_at"},  {"update_time", "updated_at"},
    {"memory", "content"},       {"text", "content"},         {"categories", "tags"},
    {"topicKey", "topic_key"},   {"sessionId", "session_id"},
};
constexpr std::array kOurs = {
    "content", "title",     "type",           "tags",         "project",
    "scope",   "topic_key", "session_id",     "created_at",   "updated_at",
    "id",      "source",    "revision_count", "last_seen_at", "duplicate_count"};
// Of no use in another store; `kind` of ours alone.
bool IsLeftOut(const std::string& name, const Json& value) {
  return name == "normalized_hash" ||
         (name == "kind" && (value == "observation" || value == "trace" || value == "session"));
}

template <class Names>
bool IsIn(const Names& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
}

// "a, b; #c" as well as ["a"]; a scalar that is neither is refused with the row.
Json TagList(Json tags) {
  if (!tags.is_string()) return tags;
  std::string text = tags.get<std::string>();
  std::ranges::replace(text, ';', ',');
  Json list = Json::array();
  for (std::string_view tag : base::Split(text, ',')) {
    tag = base::Trim(tag);
    while (tag.starts_with('#')) tag.remove_prefix(1);
    if (!tag.empty()) list.push_back(std::string(tag));
  }
  return list;
}

void NormalizeScope(Json& row) {
  auto scope = row.find("scope");
  if (scope == row.end() || !scope->is_string() || *scope == "project" || *scope == "global")
    return;
  const std::string other = scope->get<std::string>();
  row.erase(scope);
  if (!base::IsBlank(other)) AddTag(row, "scope:" + base::Ellipsize(other, api::kMaxTag - 6));
}

void FillIn(Json& row, const ForeignDefaults& defaults) {
  auto missing = [&](const char* field) {
    return !row.contains(field) || IsEmptyField(row[field]);
  };
  if (missing("type")) row["type"] = "discovery";
  if (missing("project")) row["project"] = defaults.project;
  if (missing("session_id") && row["project"].is_string())
    row["session_id"] = defaults.SessionOf(row["project"].get<std::string>());
  if (missing("title")) {
    row["title"] = TitleOf(base::StringAt(row, {"content"}));
  }
  if (base::StringAt(row, {"source", "origin"}).empty()) {
    if (missing("source")) row["source"] = Json::object();
    if (row["source"].is_object()) row["source"]["origin"] = api::kOriginImport;
  }
}

// Of an export of ours.
bool IsOurs(const Json& fields) {
  const std::string kind = base::StringAt(fields, {"kind"});
  return kind == "observation" || kind == "trace";
}

// The fields that we know stay, in our form; the others go.
Json KnownFields(const Json& fields) {
  Json row = Json::object();
  for (const auto& [name, value] : fields.items()) {
    if (IsIn(kOurs, name) && !IsEmptyField(value)) row[name] = value;
  }
  for (const char* time : {"created_at", "updated_at", "last_seen_at"}) {
    if (row.contains(time)) row[time] = ForeignTime(row[time]);
  }
  if (row.contains("tags")) row["tags"] = TagList(std::move(row["tags"]));
  // A number of another program is not ours: another text of that number is another row. Nor does
  // another program say whom a text is of.
  const bool ours = IsOurs(fields);
  if (!ours || !row["source"].is_object()) row.erase("source");
  if (!ours || !row.contains("id") || !row["id"].is_number_integer() || row["id"] <= 0)
    row.erase("id");
  NormalizeScope(row);
  return row;
}

// What the row does not have of the fields.
Json FurtherFields(const Json& row, const Json& fields) {
  Json others = Json::object();
  for (const auto& [name, value] : fields.items()) {
    const bool own = name == "id" || name == "source";  // taken of ours alone
    const bool taken = IsIn(kOurs, name) && (!own || row.contains(name));
    if (!taken && !IsLeftOut(name, value) && !IsEmptyField(value)) others[name] = value;
  }
  return others;
}

void AppendLines(Json& row, const Json& others) {
  std::string lines;
  for (const auto& [name, value] : others.items()) lines += "\n" + name + ": " + ShownText(value);
  if (lines.empty() || (row.contains("content") && !row["content"].is_string())) return;
  // Fields alone are a text, too.
  row["content"] =
      row.contains("content") ? row["content"].get<std::string>() + "\n" + lines : lines.substr(1);
}

bool AreDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// 2024-01-05 for 05.01.2024 (days come first where dots stand), 5.1.2024, 2024/01/05, 2024-1-5;
// what follows stays. A date with slashes that begins with the day or month is not clear, and stays
// as it is.
std::string IsoOf(const std::string& text) {
  const size_t end = std::min(text.find_first_of(" T"), text.size());
  const std::string date = text.substr(0, end);
  const size_t first = date.find_first_of("./-");
  const size_t second = first == date.npos ? first : date.find(date[first], first + 1);
  if (second == date.npos) return text;
  std::string year = date.substr(0, first), month = date.substr(first + 1, second - first - 1),
              day = date.substr(second + 1);
  if (date[first] == '.') std::swap(year, day);
  if (!AreDigits(year) || !AreDigits(month) || !AreDigits(day) || year.size() != 4 ||
      month.size() > 2 || day.size() > 2)
    return text;
  const auto two = [](const std::string& number) {
    return number.size() == 1 ? "0" + number : number;
  };
  return year + "-" + two(month) + "-" + two(day) + text.substr(end);
}

}  // namespace

bool IsEmptyField(const Json& value) {
  return value.is_null() ||
         (value.is_string() && base::IsBlank(value.get_ref<const std::string&>())) ||
         (value.is_structured() && value.empty());
}

std::string ShownText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : base::DumpJson(value);
}

Json FirstOf(const Json& object, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (object.is_object() && object.contains(name) && !object[name].is_null()) return object[name];
  return nullptr;
}

std::string TextOfFirst(const Json& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::string text = base::StringAt(object, {name});
    if (!base::IsBlank(text)) return text;
  }
  return "";
}

void RenameFields(Json& fields) {
  for (const Alias& alias : kAliases) {
    auto found = fields.find(alias.name);
    if (found == fields.end() || fields.contains(alias.ours)) continue;
    Json value = std::move(*found);
    fields.erase(found);
    fields[alias.ours] = std::move(value);
  }
}

void AddTag(Json& row, const std::string& tag) {
  Json& tags = row["tags"];
  tags = tags.is_null() ? Json::array() : TagList(std::move(tags));
  if (tags.is_array() && std::find(tags.begin(), tags.end(), tag) == tags.end())
    tags.push_back(tag);
}

std::string ForeignDefaults::SessionOf(const std::string& of) const {
  return std::string(base::Prefix(format + "-import-" + of, api::kMaxSessionId));
}

std::string TitleOf(std::string_view content) {
  content = base::Trim(content);
  std::string_view line = base::Trim(content.substr(0, content.find('\n')));
  while (line.starts_with('#')) line.remove_prefix(1);  // a heading
  line = base::Trim(line);
  return line.empty() ? "(untitled)" : base::Ellipsize(line, kTitleCharacters);
}

Json ForeignTime(const Json& time) {
  if (time.is_number()) {
    double seconds = time.get<double>();
    if (std::abs(seconds) > 1e11) seconds /= 1000;  // they were milliseconds
    if (!(seconds >= kFirstSecond && seconds <= kLastSecond))
      return time;  // a year, a date in digits
    return base::FormatTime(static_cast<int64_t>(std::llround(seconds * 1000)));
  }
  if (!time.is_string()) return time;
  std::string text(base::Trim(time.get_ref<const std::string&>()));
  if (text.empty()) return nullptr;
  if (base::ParseTime(text)) return text;
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return ForeignTime(Json(number));
  text = IsoOf(text);
  if (text.size() == 10) text += "T00:00:00";
  if (text.size() > 10 && text[10] == ' ') text[10] = 'T';
  if (text.size() == 16) text += ":00";  // hours and minutes
  for (const char* zone : {"", "Z"}) {
    if (base::ParseTime(text + zone)) return text + zone;
  }
  return time;
}

Json RowOfFields(Json fields, const ForeignDefaults& defaults) {
  if (!fields.is_object()) return fields;
  RenameFields(fields);
  Json row = KnownFields(fields);
  const Json others = FurtherFields(row, fields);
  FillIn(row, defaults);  // before the lines: the title is of the content alone
  AppendLines(row, others);
  return row;
}

Json EpisodeOfFields(Json fields, const ForeignDefaults& defaults) {
  if (!fields.is_object()) return fields;
  RenameFields(fields);
  Json trace = {{"scope", kUserScope}, {"metadata", Json::object()}};
  if (const std::string scope = base::StringAt(fields, {"scope"}); IsTraceScope(scope)) {
    trace["scope"] = scope;
    fields.erase("scope");
  }
  Json row = KnownFields(fields);
  const Json others = FurtherFields(row, fields);
  if (!row.contains("type")) row["type"] = kEpisodic;
  FillIn(row, defaults);
  // Without a text of its own, too large or deep for a trace, or not to be read again (a NUL), they
  // are the text.
  const std::string stored = base::DumpJson(others);
  if (stored.size() <= api::kMaxTraceExtras / 2 && row.contains("content") &&
      base::ParseJson(stored, {.max_depth = base::kMaxImportedLevels}))
    trace["metadata"] = others;
  else
    AppendLines(row, others);
  row["trace"] = std::move(trace);
  return row;
}

}  // namespace memory
