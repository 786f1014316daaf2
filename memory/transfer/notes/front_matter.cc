// A field begins at the first column with "name:"; what is indented or begins with "-" belongs to
// it.
#include <map>

#include "lib/base/json/yaml.h"
#include "lib/base/text/text.h"
#include "memory/transfer/notes/markdown.h"
#include "memory/transfer/notes/notes.h"

namespace memory {

using base::Json;

namespace {

constexpr std::string_view kTexts[] = {"title",   "name",      "type",      "description",
                                       "project", "topic_key", "session_id"};

// A name before a colon, at the first column; quotes are YAML's.
size_t ColonOf(std::string_view line) {
  if (line.empty() || line[0] == ' ' || line[0] == '\t' || line[0] == '-' || line[0] == '#')
    return line.npos;
  size_t from = 0;
  if (line[0] == '"' || line[0] == '\'') from = line.find(line[0], 1);
  if (from == line.npos) return line.npos;
  for (size_t at = line.find(':', from); at != line.npos; at = line.find(':', at + 1))
    if (at + 1 == line.size() || line[at + 1] == ' ' || line[at + 1] == '\t')
      return at > 0 ? at : line.npos;
  return line.npos;
}

std::string NameOf(std::string_view name) {
  name = base::Trim(name);
  if (name.size() > 1 && (name[0] == '"' || name[0] == '\'') && name.back() == name[0])
    name = name.substr(1, name.size() - 2);
  return std::string(name);
}

// What stands after the colon, without a comment.
std::string RawOf(std::string_view value) {
  value = base::Trim(value);
  if (const size_t comment = value.find(" #"); comment != value.npos)
    value = base::Trim(value.substr(0, comment));
  return std::string(value);
}

// Fields beyond the limit are lines of the text.
constexpr size_t kMostFields = 1'000;

void TakeField(std::string_view lines, size_t colon, Json& fields,
               std::map<std::string, size_t>& times) {
  const std::string name = NameOf(lines.substr(0, colon));
  const std::string_view raw = lines.substr(colon + 1);
  auto parsed = base::ParseYaml(lines);
  Json value = std::string(base::Trim(raw));
  if (parsed && parsed->is_object() && parsed->size() == 1)
    value = std::move(parsed->begin().value());
  const bool is_text = base::IsOneOf(name, kTexts);
  if (is_text && (value.is_boolean() || value.is_number())) value = RawOf(raw);
  // What follows a # is a comment for YAML, and a tag or a text for most people.
  const std::string_view line = base::Trim(raw);
  if (value.is_string() && line.find(" #") != line.npos && line.find('\n') == line.npos &&
      line[0] != '"' && line[0] != '\'')
    value = std::string(line);
  // A second one of that name is kept, too.
  const size_t before = times[name]++;
  fields[before == 0 ? name : name + " (" + std::to_string(before + 1) + ")"] = std::move(value);
}

}  // namespace

Json FieldsOfFront(std::string_view yaml, std::string& rest) {
  Json fields = Json::object();
  std::map<std::string, size_t> times;
  std::string_view field;
  size_t colon = 0;
  const auto end_field = [&] {
    if (!field.empty() && fields.size() < kMostFields)
      TakeField(field, colon, fields, times);
    else
      rest += field;
    field = {};
  };
  for (std::string_view left = yaml; !left.empty();) {
    const std::string_view line = TakeLine(left), bare = WithoutEnd(line);
    const size_t at = ColonOf(bare);
    if (at != bare.npos) {
      end_field();
      field = line;
      colon = at;
    } else if (!field.empty() &&
               (base::IsBlank(bare) || bare[0] == ' ' || bare[0] == '\t' || bare[0] == '-')) {
      field = {field.data(), field.size() + line.size()};
    } else if (!base::IsBlank(bare)) {
      end_field();
      rest += std::string(bare) + "\n";
    }
  }
  end_field();
  return fields;
}

}  // namespace memory
