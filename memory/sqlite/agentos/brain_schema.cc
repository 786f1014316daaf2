// The pragmas answer for tables, columns and indexes. What no pragma reports (CHECK, the WHERE of a
// partial index, the module of a virtual table) is read from the tokens of the statement.
#include "memory/sqlite/agentos/brain_schema.h"

#include <algorithm>

#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr size_t kMostObjects = 200;  // tables and indexes
constexpr const char* kQuoted = "\"";

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

bool HasToken(const std::string& sql, std::string_view token) {
  SqlTokens tokens(sql);
  for (std::string next = tokens.Next(); !next.empty(); next = tokens.Next())
    if (next == token) return true;
  return false;
}

size_t CountTokens(const std::string& sql, std::string_view token) {
  size_t count = 0;
  SqlTokens tokens(sql);
  for (std::string next = tokens.Next(); !next.empty(); next = tokens.Next())
    count += next == token ? 1 : 0;
  return count;
}

// Of CREATE VIRTUAL TABLE … USING module; empty: no such statement. A quoted module is none of
// ours.
std::string ModuleOf(const std::string& sql) {
  SqlTokens tokens(sql);
  if (tokens.Next() != "CREATE" || tokens.Next() != "VIRTUAL") return "";
  for (std::string next = tokens.Next(); !next.empty() && next != "("; next = tokens.Next())
    if (next == "USING") return tokens.Next();
  return "unknown";
}

struct Object {
  std::string type, name, sql;
};

Error CouldRun(const Object& object) {
  return NoBrain("its " + object.type + " " + base::Ellipsize(object.name, 40) +
                 " could run, which rows need not");
}

// True if `sql`, a question about `name`, has a row.
Result<bool> Any(Database& file, const char* sql, const std::string& name) {
  ASSIGN_OR_RETURN(Statement ask, file.Prepare(sql));
  return ask.Bind(name).Step();
}

Status CheckTable(Database& file, const Object& table) {
  if (const std::string module = ModuleOf(table.sql); !module.empty()) {
    if (module == "FTS5") return {};  // the full-text index: not read
    return NoBrain("the table " + base::Ellipsize(table.name, 40) + " is virtual");
  }
  ASSIGN_OR_RETURN(const bool plain, IsPlainTable(file, table.name.c_str()));
  ASSIGN_OR_RETURN(const bool computed,
                   Any(file, "SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden <> 0", table.name));
  return plain && !computed && !HasToken(table.sql, "CHECK") ? Status() : CouldRun(table);
}

Status CheckIndex(Database& file, const Object& index) {
  ASSIGN_OR_RETURN(const bool computed,
                   Any(file, "SELECT 1 FROM pragma_index_xinfo(?1) WHERE cid = -2", index.name));
  // The WHERE of a partial index may compare, and call nothing.
  return !computed && CountTokens(index.sql, "(") <= 1 ? Status() : CouldRun(index);
}

}  // namespace

Error NoBrain(const std::string& why) {
  return Error{Code::kInvalid, "the SQLite file is no AgentOS brain that can be taken: " + why};
}

Result<bool> IsPlainTable(Database& file, const char* name) {
  return Any(file,
             "SELECT 1 FROM pragma_table_list(?1) WHERE schema = 'main' AND type IN ('table', "
             "'shadow')",
             name);
}

Status CheckBrainSchema(Database& file) {
  std::vector<Object> objects;
  {
    ASSIGN_OR_RETURN(Statement read,
                     file.Prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema"));
    RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Status {
      if (objects.size() >= kMostObjects)
        return NoBrain("it has more than " + std::to_string(kMostObjects) + " tables and indexes");
      objects.push_back({row.Text(0), row.Text(1), row.Text(2)});
      return {};
    }));
  }
  for (const Object& object : objects) {
    if (object.type == "table")
      RETURN_IF_ERROR(CheckTable(file, object));
    else if (object.type == "index")
      RETURN_IF_ERROR(CheckIndex(file, object));
    else
      return CouldRun(object);
  }
  return {};
}

void SqlTokens::SkipBlanks() {
  for (;;) {
    const size_t blanks = std::min(rest_.find_first_not_of(" \t\n\r\f"), rest_.size());
    rest_.remove_prefix(blanks);
    const bool line = rest_.starts_with("--"), comment = rest_.starts_with("/*");
    if (!line && !comment) return;
    const size_t end = line ? rest_.find('\n') : rest_.find("*/", 2);
    rest_.remove_prefix(std::min(end == rest_.npos ? end : end + (line ? 1 : 2), rest_.size()));
  }
}

std::string SqlTokens::Next() {
  SkipBlanks();
  if (rest_.empty()) return "";
  const char first = rest_.front();
  if (first == '\'' || first == '"' || first == '`' || first == '[') {
    // A doubled quote within it begins the next token, which is as quoted.
    const size_t end = rest_.find(first == '[' ? ']' : first, 1);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    return kQuoted;
  }
  size_t size = 1;
  if (IsWordByte(first)) {
    while (size < rest_.size() && IsWordByte(rest_[size])) ++size;
  }
  std::string token(rest_.substr(0, size));
  rest_.remove_prefix(size);
  std::transform(token.begin(), token.end(), token.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return token;
}

}  // namespace memory
