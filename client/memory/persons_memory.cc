// The first line of a text.
#include "client/memory/persons_memory.h"

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace client {

std::string TitleOf(const std::string& content) {
  return base::Ellipsize(content.substr(0, content.find('\n')), 120);
}

void RefreshTitle(const base::Json& row, base::Json& patch) {
  const std::string title = base::StringAt(row, {"title"});
  if (title == TitleOf(std::string(base::Trim(base::StringAt(row, {"content"})))))
    patch["title"] = TitleOf(std::string(base::Trim(patch["content"].get<std::string>())));
}

std::string PersonsSession(const std::string& project) {
  return "person-" + base::Sha256Hex(project).substr(0, 12);
}

}  // namespace client
