// Rows of ChatGPT's, Claude's and Gemini's exports, of the MCP memory server and of claude-mem, for
// Importer::TakeForeign. Pure. Ids of these programs name sessions and are no numbers of rows here.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "memory/transfer/rows/foreign_rows.h"

namespace memory {

struct OtherRows {
  std::vector<base::Json> sessions, rows;
  std::vector<std::string> left_out;  // what has no text to take, for people
};

// ChatGPT: a conversation of conversations.json is a session; each question of its present branch
// with what was answered is an episodic trace, tagged with the conversation's title. What was said
// on other branches is one for itself, tagged "other branch"; saved memories and custom
// instructions are rows of their own.
bool IsOfChatGpt(const base::Json& element);
OtherRows RowsOfChatGpt(const base::Json& conversation, const ForeignDefaults& defaults);

// The MCP memory server: an entity's observations are a row each, titled and tagged with its name;
// a relation is one.
bool IsOfMcpMemory(const base::Json& element);
OtherRows RowsOfMcpMemory(const base::Json& element, const ForeignDefaults& defaults);

// Claude: a conversation of conversations.json, a project of projects.json, an account's memories.
bool IsOfClaude(const base::Json& element);
OtherRows RowsOfClaude(const base::Json& element, const ForeignDefaults& defaults);

// Gemini: an activity of Takeout's MyActivity.json; a conversation with messages, contents or
// chunks.
bool IsOfGemini(const base::Json& element);
OtherRows RowsOfGemini(const base::Json& element, const ForeignDefaults& defaults);

// claude-mem: rows of its tables, those of sdk_sessions first.
class ClaudeMemRows {
 public:
  explicit ClaudeMemRows(const ForeignDefaults& defaults) : defaults_(defaults) {}
  OtherRows Take(const std::string& table, const base::Json& row);

 private:
  struct Known {
    std::string session, project;
  };
  OtherRows TakeSession(const base::Json& row);

  const ForeignDefaults& defaults_;
  std::map<std::string, Known> known_;  // by each id of a session
};

// The text of HTML: tags removed, blocks as lines, entities decoded.
std::string TextOfHtml(std::string_view html);

}  // namespace memory
