// Exports of other programs. A format is a file of this room with its Converter, declared below,
// and a row of Converters(). Pure: converters map fields, and Importer::TakeForeign limits and
// softens the rows.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "memory/transfer/rows/foreign_rows.h"

namespace memory {

struct ForeignRow {
  base::Json fields;      // for RowOfFields
  bool episode = false;   // for EpisodeOfFields
  std::string tool = {};  // that wrote it there
};

// What an element becomes. Ids of other programs name sessions and are no numbers of rows here. A
// session without a project is of that of the import.
struct ForeignRows {
  std::vector<base::Json> sessions = {};
  std::vector<ForeignRow> rows = {};
  std::vector<std::string> left_out = {};  // for people: parts without a text to take
  bool deleted = false;                    // there: it is skipped
};

struct Converter {
  const char* name;   // of `format`; begins the ids of sessions that are made for its rows
  const char* title;  // for people
  // Whether an element of `array` ("": the body is a list) is of this program, in a body whose
  // format is not named.
  bool (*recognizes)(const std::string& array, const base::Json& element);
  // nullopt: the array is none of this program's.
  std::optional<ForeignRows> (*convert)(const std::string& array, const base::Json& element);
  // Whether a body may be one conversation: an object with a list of messages.
  bool of_conversations = false;
  // Whether a body that begins so has one element a line; null: never.
  bool (*starts_as_lines)(std::string_view beginning) = nullptr;
};

// A conversation of conversations.json is a session; each question of its present branch with what
// was answered is an episodic trace, tagged with the conversation's title. What was said on other
// branches is a trace for itself, tagged "other branch"; saved memories and custom instructions are
// rows of their own.
extern const Converter kChatGpt;
// A conversation of conversations.json, a project of projects.json, an account's memories.
extern const Converter kClaude;
// An activity of Takeout's MyActivity.json; a conversation with messages, contents or chunks.
extern const Converter kGemini;
// An entity's observations are a row each, titled and tagged with its name; a relation is one.
extern const Converter kMcpMemory;
// A memory of get_all, of a search or of the platform's export.
extern const Converter kMem0;
// Sessions, observations, and prompts as observations of type prompt. Times are UTC without a zone,
// the project may be missing; bookkeeping of its synchronisation is left out.
extern const Converter kEngram;

// In the order in which they are asked whether they recognize an element.
std::span<const Converter* const> Converters();
const Converter* ConverterNamed(std::string_view name);  // null: there is none
std::string AcceptedBodies();  // of imports, for errors: "accepted are …"

// claude-mem: rows of the tables of its SQLite file, those of sdk_sessions first.
class ClaudeMemRows {
 public:
  ForeignRows Take(const std::string& table, const base::Json& row);

 private:
  struct Known {
    std::string session, project;
  };
  ForeignRows TakeSession(const base::Json& row);

  std::map<std::string, Known> known_;  // by each id of a session
};

}  // namespace memory
