// A memory as a Markdown file with front matter, and back. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace client {

// What a file says; `id`, `type` and `title` are empty if it does not say them.
struct MirrorText {
  std::string id, type, title, content;
  std::vector<std::string> tags;
  bool has_tags = false;
};

// Without front matter the whole text is the content. kInvalid, for people: the front matter is no
// YAML, or a field has another type.
base::Result<MirrorText> ReadMirrorFile(std::string_view text);

// The file of a memory, a row of the memory API. `id`: what the file has now; empty: the row's.
std::string MirrorFileOf(const base::Json& row, const std::string& id);

// A member of a row or of the state; 0: it is no whole number.
int64_t WholeNumberAt(const base::Json& object, const char* field);

// Whether a file says what a row says, without regard to blanks around the text.
bool SaysTheSame(const MirrorText& file, const base::Json& row);

// The fields of POST or PATCH that make a memory say what the file says. Of a changed memory a
// title that was made from the old text is made from the new one.
base::Json RowOfFile(const MirrorText& file);
base::Json ChangeByFile(const MirrorText& file, const base::Json& row);

// "use-pytest.md"; `number` 2 and more: "use-pytest-2.md".
std::string MirrorName(std::string_view title, size_t number);
// "use-pytest.conflict.md", "use-pytest.conflict-2.md": files that a sync leaves alone.
std::string ConflictName(std::string_view name, size_t number);
bool IsMirrorName(std::string_view name);  // a name that a sync looks at

}  // namespace client
