// The output of memory tools: text in which stored text is fenced as data, and metadata (ids,
// trust, rank, times) that cannot carry a sentence. Pure.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/json/json.h"

namespace sidecar {

// The metadata of a row of the server: id, trust, rank, of a search the method and the score that
// found it, and times. Clients show a model either the text or the structured content, so only the
// text contains titles, contents, tags and keys.
base::Json RowMetadata(const base::Json& row);
// The metadata of each row; `truncated` if ListText shows only a part of the content.
base::Json ListMetadata(const base::Json& rows);

// Rows in the format of an injection: one line a row, inside the budget; `nothing` for no rows.
std::string ListText(const base::Json& rows, int budget_tokens, const char* nothing);
// What a search says behind its rows: how each was found, with its score; and each identifier of
// `query`, at most five, that no row holds. "": nothing.
std::string SearchNotes(const std::string& query, const base::Json& rows);
// One whole row: a head, then each line of the content after "| ", so that no stored line looks
// like a line of the tool.
std::string WholeText(const base::Json& row);
// Items of the server, each with its key, value and metadata in the form of WholeText.
std::string ItemsText(const base::Json& items);
// Rows of POST /traces/search with only {id, content, type, scope, strength, tags}, each text inert
// (InertRecord): the output schema of memory_search. Skips elements that are no objects.
base::Json TraceRows(const base::Json& rows);
// The same rows, each in the form of WholeText.
std::string TracesText(const base::Json& rows);
// The original of a trace in the form of WholeText.
std::string OriginalText(std::string_view original);
// Stored messages in the form of WholeText.
std::string MessagesText(std::string_view conversation, const base::Json& messages);

}  // namespace sidecar
