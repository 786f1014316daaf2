// What a memory tool shows: rows as structured content with where they come from, and as text in
// which everything that was stored is fenced as data. Pure.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/json.h"

namespace sidecar {

inline constexpr size_t kShownCharacters = 1000;  // of a content in a list; mem_get shows all

// The fields of a server's row that a model may use, with `trust` and, where it is known, `source`
// as text. The content is cut to `characters` (0: whole), and `truncated` says so.
base::Json ShownRow(const base::Json& row, size_t characters);
base::Json ShownRows(const base::Json& rows, size_t characters);

// A list as the injection shows it: one line a row, inside the budget; `nothing` when it is empty.
std::string ListText(const base::Json& rows, int budget_tokens, const char* nothing);
// One row whole: a head of its own, each line of the content behind "| ", so that no line of it
// can be taken for ours.
std::string WholeText(const base::Json& row);
// Stored messages in the same way.
std::string MessagesText(std::string_view conversation, const base::Json& messages);

}  // namespace sidecar
