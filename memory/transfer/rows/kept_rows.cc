// The title says which element it is, by its digest, and which part of how many.
#include "memory/transfer/rows/kept_rows.h"

#include <algorithm>

#include "lib/api/memory_api.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Json;
using base::Status;

namespace {

const std::string kKeptTag = "agentos:";

std::string TitleOfPart(const std::string& name, size_t part, size_t parts) {
  return name + " (" + std::to_string(part) + " of " + std::to_string(parts) + ")";
}

}  // namespace

std::vector<Json> KeptRows(const std::string& array, const Json& element,
                           const std::string& project) {
  const std::string text = base::DumpJson(element);
  std::vector<std::string_view> parts;
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(parts.back().size()))
    parts.push_back(base::Prefix(rest, api::kMaxContent));
  std::vector<Json> rows;
  for (size_t i = 0; i < parts.size(); ++i)
    rows.push_back(
        {{"type", kKeptType},
         {"title", TitleOfPart(array + " " + base::Sha256Hex(text), i + 1, parts.size())},
         {"content", parts[i]},
         {"tags", {kKeptTag + array}},
         {"project", project},
         {"session_id", base::Prefix("agentos-import-" + project, api::kMaxSessionId)},
         {"source", {{"origin", api::kOriginImport}}}});
  return rows;
}

std::string KeptElements::ArrayOf(const std::string& type, const std::vector<std::string>& tags) {
  if (type != kKeptType) return "";
  for (const char* array : kKeptArrays)
    if (std::find(tags.begin(), tags.end(), kKeptTag + array) != tags.end()) return array;
  return "";
}

Status KeptElements::Take(const std::string& title, const std::string& content,
                          const std::function<Status(const Json&)>& on_element) {
  const size_t behind = title.rfind(" (");
  const std::string name = title.substr(0, behind);
  if (name != open_) open_ = name, text_.clear(), parts_ = 0;
  text_ += content;
  ++parts_;
  const std::string end = "of " + std::to_string(parts_) + ")";
  if (!title.ends_with(" (" + std::to_string(parts_) + " " + end)) return {};
  open_.clear();
  const std::string text = std::exchange(text_, std::string());
  auto element = base::ParseJson(text);
  // Somebody's change of a part is theirs: it is an observation, and no element of AgentOS'.
  if (!element || name != array_ + " " + base::Sha256Hex(text)) return {};
  return on_element(*element);
}

}  // namespace memory
