// What a memory tool shows: the text, in which everything that was stored is fenced as data, and
// beside it only what nobody can write a sentence into. Pure.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/json/json.h"

namespace sidecar {

// Of a row of the server: id, trust, rank and times. Clients show a model either the text or the
// structured content, so titles, contents, tags and keys stand in the text alone (rulings K55).
base::Json RowMarks(const base::Json& row);
// Of a list; `truncated` where ListText shows a part of the content.
base::Json ListMarks(const base::Json& rows);

// A list as the injection shows it: one line a row, inside the budget; `nothing` when it is empty.
std::string ListText(const base::Json& rows, int budget_tokens, const char* nothing);
// One row whole: a head of its own, each line of the content behind "| ", so that no line of it
// can be taken for ours.
std::string WholeText(const base::Json& row);
// Stored messages in the same way.
std::string MessagesText(std::string_view conversation, const base::Json& messages);

}  // namespace sidecar
