// Front matter is YAML; what is written quotes every text, as JSON does.
#include "client/mirror/mirror_file.h"

#include <algorithm>

#include "client/memory/persons_memory.h"
#include "lib/base/json/yaml.h"
#include "lib/base/text/slug.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

constexpr std::string_view kMark = "---", kBom = "\xEF\xBB\xBF";
constexpr size_t kNameBytes = 60;

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The lines between the marks, and the text behind them; false: there are no marks.
bool Split(std::string_view text, std::string_view& front, std::string_view& body) {
  if (text.starts_with(kBom)) text.remove_prefix(kBom.size());
  if (TakeLine(text) != kMark) return false;
  const std::string_view begin = text;
  while (!text.empty()) {
    const size_t at = begin.size() - text.size();
    if (TakeLine(text) != kMark) continue;
    front = begin.substr(0, at);
    body = text;
    return true;
  }
  return false;
}

// In quotes, as JSON and YAML have them.
std::string Quoted(const std::string& text) { return base::DumpJson(Json(text)); }

Error Wrong(const std::string& why) { return {Code::kInvalid, "its front matter " + why}; }

// A scalar as its text: people write `title: 42`.
Result<std::string> TextOf(const Json& front, const char* field) {
  const auto found = front.find(field);
  if (found == front.end() || found->is_null()) return std::string();
  if (found->is_string()) return std::string(base::Trim(found->get<std::string>()));
  if (found->is_structured()) return Wrong(std::string("has a \"") + field + "\" that is no text");
  return found->dump();
}

Result<std::vector<std::string>> TagsOf(const Json& tags) {
  std::vector<std::string> texts;
  if (tags.is_string()) {
    for (const std::string& tag : base::Split(tags.get<std::string>(), ','))
      if (!base::IsBlank(tag)) texts.emplace_back(base::Trim(tag));
    return texts;
  }
  if (tags.is_null()) return texts;
  if (!tags.is_array()) return Wrong("has \"tags\" that are no list");
  for (const Json& tag : tags) {
    if (tag.is_structured()) return Wrong("has a tag that is no text");
    texts.push_back(tag.is_string() ? tag.get<std::string>() : tag.dump());
  }
  return texts;
}

std::vector<std::string> TagsOfRow(const Json& row) {
  std::vector<std::string> tags;
  for (const Json& tag : row.value("tags", Json::array()))
    if (tag.is_string()) tags.push_back(tag.get<std::string>());
  return tags;
}

std::string Trimmed(const Json& row, const char* field) {
  return std::string(base::Trim(base::StringAt(row, {field})));
}

}  // namespace

int64_t WholeNumberAt(const Json& object, const char* field) {
  const Json* value = base::At(object, {field});
  return value != nullptr && value->is_number_integer() ? value->get<int64_t>() : 0;
}

Result<MirrorText> ReadMirrorFile(std::string_view text) {
  MirrorText file;
  std::string_view front, body = text;
  Json fields = Json::object();
  if (Split(text, front, body) && !base::IsBlank(front)) {
    auto read = base::ParseYaml(front);
    if (!read) return Wrong("is no YAML: " + read.error().message);
    // A text between two rules.
    if (read->is_object()) {
      fields = *std::move(read);
    } else {
      body = text;
    }
  }
  file.content = std::string(base::Trim(body));
  ASSIGN_OR_RETURN(file.id, TextOf(fields, "id"));
  ASSIGN_OR_RETURN(file.type, TextOf(fields, "type"));
  ASSIGN_OR_RETURN(file.title, TextOf(fields, "title"));
  file.has_tags = fields.contains("tags");
  if (file.has_tags) {
    ASSIGN_OR_RETURN(file.tags, TagsOf(fields["tags"]));
  }
  return file;
}

std::string MirrorFileOf(const Json& row, const std::string& id) {
  const Json* number = base::At(row, {"id"});
  const bool plain = id.find_first_not_of("0123456789") == std::string::npos;
  std::string tags;
  for (const std::string& tag : TagsOfRow(row)) tags += (tags.empty() ? "" : ", ") + Quoted(tag);
  std::string text = "---\nid: ";
  text += id.empty() && number != nullptr ? number->dump() : plain ? id : Quoted(id);
  text += "\ntype: " + Quoted(base::StringAt(row, {"type"})) +
          "\ntitle: " + Quoted(base::StringAt(row, {"title"})) + "\ntags: [" + tags +
          "]\nupdated: " + base::StringAt(row, {"updated_at"}) + "\n---\n\n";
  return text + base::StringAt(row, {"content"}) + "\n";
}

bool SaysTheSame(const MirrorText& file, const Json& row) {
  return file.content == Trimmed(row, "content") &&
         (file.title.empty() || file.title == Trimmed(row, "title")) &&
         (file.type.empty() || file.type == Trimmed(row, "type")) &&
         (!file.has_tags || file.tags == TagsOfRow(row));
}

Json RowOfFile(const MirrorText& file) {
  std::string_view line = std::string_view(file.content).substr(0, file.content.find('\n'));
  while (line.starts_with('#')) line.remove_prefix(1);  // a heading
  const std::string made = TitleOf(std::string(base::Trim(line)));
  return {{"type", file.type.empty() ? "note" : file.type},
          {"title", file.title.empty() ? made : file.title},
          {"content", file.content},
          {"tags", file.tags},
          {"source", {{"origin", "user"}}}};
}

Json ChangeByFile(const MirrorText& file, const Json& row) {
  Json patch = Json::object();
  if (file.content != Trimmed(row, "content")) patch["content"] = file.content;
  if (!file.title.empty() && file.title != Trimmed(row, "title")) patch["title"] = file.title;
  if (!file.type.empty() && file.type != Trimmed(row, "type")) patch["type"] = file.type;
  if (file.has_tags && file.tags != TagsOfRow(row)) patch["tags"] = file.tags;
  if (patch.contains("content") && !patch.contains("title")) RefreshTitle(row, patch);
  return patch;
}

std::string MirrorName(std::string_view title, size_t number) {
  std::string name = base::Slug(title, kNameBytes);
  if (name.empty()) name = "memory";
  return name + (number > 1 ? "-" + std::to_string(number) : "") + ".md";
}

std::string ConflictName(std::string_view name, size_t number) {
  return std::string(name.substr(0, name.rfind(".md"))) + ".conflict" +
         (number > 1 ? "-" + std::to_string(number) : "") + ".md";
}

bool IsMirrorName(std::string_view name) {
  return name.ends_with(".md") && !name.starts_with('.') &&
         name.find(".conflict") == std::string_view::npos;
}

}  // namespace client
