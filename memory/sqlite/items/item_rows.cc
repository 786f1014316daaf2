// The full-text table is contentless: a delete passes the words of the row, which TextOf computes
// again. A change of TextOf, or of the terms, needs a step of the schema like that of
// tables/uncut.h.
//
// FTS5 collects the writes of a transaction into one segment, unless a statement with triggers runs
// in between or a slot is lower than the previous one: then it begins another segment, at a cost.
// So rows are written first, then words, in the order of slots.
#include "memory/sqlite/items/item_rows.h"

#include <algorithm>

#include "memory/model/slots.h"
#include "memory/model/terms.h"
#include "memory/model/words.h"
#include "memory/sqlite/items/item_vectors.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Json;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

#define MEMORY_SELECT_ITEM                                                                     \
  "SELECT slot, key, value, metadata, created_ms, accessed_ms, ttl_ns, version, over_ms, cut " \
  "FROM items "

constexpr size_t kMaxAccesses = 65'536;  // further ones are dropped

ItemRow ItemAt(const Statement& row, bool cut) {
  const auto expires_ms = row.IsNull(8) ? std::nullopt : std::optional(row.Int(8));
  return {row.Int(0),
          {"", row.Text(1), row.Text(2), row.Int(7), expires_ms, row.Int(6), row.Text(3),
           row.Int(4), row.Int(5)},
          cut};
}

ItemRow UncutItemAt(const Statement& row) { return ItemAt(row, row.Int(9) != 0); }

// Also an expired one. Without a project there is none.
Result<std::optional<ItemRow>> FindItem(Database& database, std::optional<int64_t> project,
                                        const std::string& key) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare(MEMORY_SELECT_ITEM "WHERE project = ?1 AND key = ?2"));
  return read.Bind(project).Bind(key).ReadFirst(UncutItemAt);
}

// Names and values, without JSON punctuation.
void AppendWords(const Json& value, std::string& text) {
  if (value.is_string()) {
    text += value.get_ref<const std::string&>() + "\n";
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      text += name + " ";
      AppendWords(member, text);
    }
  } else if (value.is_array()) {
    for (const Json& member : value) AppendWords(member, text);
  } else if (!value.is_null()) {
    text += base::DumpJson(value) + "\n";
  }
}

Result<std::string> TextOf(const std::string& json) {
  ASSIGN_OR_RETURN(const Json value, base::ParseJson(json));
  std::string text;
  AppendWords(value, text);
  return text;
}

// A row of item_words.
struct ItemWords {
  int64_t slot = 0;
  std::string key, content, tags;
  TextFacts facts;
};

Result<ItemWords> WordsOf(const ItemRow& row) {
  ItemWords words{row.slot, row.cell.key, {}, {}, {}};
  ASSIGN_OR_RETURN(words.content, TextOf(row.cell.value));
  ASSIGN_OR_RETURN(words.tags, TextOf(row.cell.metadata));
  words.facts = FactsOf(words.key, words.content);
  words.facts.grams = row.cut ? AddedTerms(words.key + ' ' + words.content + ' ' + words.tags)
                              : FormerGrams(words.key + ' ' + words.content);
  return words;
}

Status PutWords(Statement put, const ItemWords& words) {
  put.Bind(words.slot).Bind(words.key).Bind(words.content).Bind(words.tags);
  return put.Bind(words.facts.grams).Run();
}

Status AddWords(Database& database, const ItemWords& words) {
  if (!database.HasFullTextIndex()) return {};
  ASSIGN_OR_RETURN(
      Statement put,
      database.Prepare(
          "INSERT INTO item_words(rowid, title, content, tags, grams) VALUES(?1, ?2, ?3, ?4, ?5)"));
  return PutWords(std::move(put), words);
}

Status RemoveWords(Database& database, const ItemWords& words) {
  if (!database.HasFullTextIndex()) return {};
  ASSIGN_OR_RETURN(
      Statement put,
      database.Prepare("INSERT INTO item_words(item_words, rowid, title, content, tags, grams) "
                       "VALUES('delete', ?1, ?2, ?3, ?4, ?5)"));
  return PutWords(std::move(put), words);
}

Status RemoveRow(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement remove, database.Prepare("DELETE FROM items WHERE slot = ?1"));
  return remove.Bind(slot).Run();
}

Status WriteRow(Database& database, int64_t project, const ItemRow& row, const TextFacts& facts) {
  ASSIGN_OR_RETURN(
      Statement write,
      database.Prepare("INSERT INTO items(slot, project, key, version, created_ms, accessed_ms, "
                       "ttl_ns, over_ms, words, marks, value, metadata, cut) VALUES(?1, ?2, ?3, "
                       "?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT(slot) DO UPDATE "
                       "SET version = excluded.version, created_ms = excluded.created_ms, "
                       "accessed_ms = excluded.accessed_ms, ttl_ns = excluded.ttl_ns, over_ms = "
                       "excluded.over_ms, words = excluded.words, marks = excluded.marks, value = "
                       "excluded.value, metadata = excluded.metadata, cut = excluded.cut"));
  const Cell& cell = row.cell;
  write.Bind(row.slot).Bind(project).Bind(cell.key).Bind(cell.version).Bind(cell.created_ms);
  write.Bind(cell.accessed_ms).Bind(cell.ttl_ns).Bind(cell.expires_ms);
  write.Bind(facts.words).Bind(facts.flags).Bind(cell.value).Bind(cell.metadata);
  return write.Bind(int64_t{row.cut}).Run();
}

Result<int64_t> NextSlot(Database& database, int64_t project) {
  ASSIGN_OR_RETURN(
      Statement known,
      database.Prepare("INSERT INTO item_counts(project) VALUES(?1) ON CONFLICT DO NOTHING"));
  RETURN_IF_ERROR(known.Bind(project).Run());
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT next FROM item_counts WHERE project = ?1"));
  ASSIGN_OR_RETURN(const auto next, read.Bind(project).ReadFirst(IntAt));
  ASSIGN_OR_RETURN(Statement raise, database.Prepare("UPDATE item_counts SET next = next + 1 "
                                                     "WHERE project = ?1"));
  RETURN_IF_ERROR(raise.Bind(project).Run());
  return (project << kRangeBits) + next.value_or(1);
}

}  // namespace

void ItemAccesses::Note(int64_t slot, int64_t now_ms) {
  times_.With([&](Times& times) {
    if (times.size() < kMaxAccesses || times.contains(slot)) times[slot] = now_ms;
  });
}

int64_t ItemAccesses::Latest(int64_t slot, int64_t in_file_ms) const {
  return times_.With([&](const Times& times) {
    const auto noted = times.find(slot);
    return noted == times.end() ? in_file_ms : std::max(in_file_ms, noted->second);
  });
}

Status VisitItemTexts(Database& database, int64_t project,
                      const std::function<Result<bool>(const ItemText&)>& visit) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare(MEMORY_SELECT_ITEM "WHERE project = ?1 ORDER BY slot"));
  return read.Bind(project).ForEachRow([&](const Statement& at) -> Result<bool> {
    ASSIGN_OR_RETURN(ItemWords words, WordsOf(ItemAt(at, true)));
    return visit({words.slot, std::move(words.key), std::move(words.content), std::move(words.tags),
                  std::move(words.facts.grams)});
  });
}

Result<std::optional<ItemRow>> FindItem(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(MEMORY_SELECT_ITEM "WHERE slot = ?1"));
  return read.Bind(slot).ReadFirst(UncutItemAt);
}

Result<std::optional<Cell>> ItemCells::Find(const std::string& owner, const std::string& key) {
  ASSIGN_OR_RETURN(const auto project, FindProject(database_, owner));
  ASSIGN_OR_RETURN(auto row, FindItem(database_, project, key));
  if (!row) return std::optional<Cell>();
  row->cell.owner = owner;
  row->cell.accessed_ms = accesses_.Latest(row->slot, row->cell.accessed_ms);
  return std::optional(std::move(row->cell));
}

Status ItemCells::Touch(const Cell& cell, int64_t accessed_ms) {
  ASSIGN_OR_RETURN(const auto project, FindProject(database_, cell.owner));
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare("SELECT slot FROM items WHERE project = ?1 AND key = ?2"));
  ASSIGN_OR_RETURN(const auto slot, read.Bind(project).Bind(cell.key).ReadFirst(IntAt));
  if (slot) accesses_.Note(*slot, accessed_ms);
  return {};
}

Result<CellTotals> ItemCells::TotalsOf(const std::string& owner) {
  ASSIGN_OR_RETURN(const auto project, FindProject(database_, owner));
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare("SELECT rows FROM item_counts WHERE project = ?1"));
  ASSIGN_OR_RETURN(const auto rows, read.Bind(project).ReadFirst(IntAt));
  return CellTotals{.cells = rows.value_or(0)};
}

Status AddItemVector(Database& database, const ItemRow& row, const Embedder* embedder) {
  ASSIGN_OR_RETURN(const std::string text, TextOf(row.cell.value));
  return PutItemVector(database, row.slot, text, embedder);
}

Status ItemCells::Save(const Cell& cell) {
  ASSIGN_OR_RETURN(const int64_t project, FindOrAddProject(database_, cell.owner));
  ASSIGN_OR_RETURN(const auto old, FindItem(database_, project, cell.key));
  ItemRow row{old ? old->slot : 0, cell};
  if (!old) {
    ASSIGN_OR_RETURN(row.slot, NextSlot(database_, project));
  }
  ASSIGN_OR_RETURN(const ItemWords words, WordsOf(row));
  ItemWords before;
  if (old) {
    ASSIGN_OR_RETURN(before, WordsOf(*old));
  }
  const bool same_content = old && before.content == words.content;
  const bool same = same_content && before.tags == words.tags;
  if (old && !same) {
    ASSIGN_OR_RETURN(Statement count,
                     database_.Prepare("UPDATE item_counts SET words = item_counts.words + ?2 - "
                                       "i.words FROM items i WHERE i.slot = ?1 AND "
                                       "item_counts.project = i.project"));
    RETURN_IF_ERROR(count.Bind(row.slot).Bind(words.facts.words).Run());
  }
  RETURN_IF_ERROR(WriteRow(database_, project, {row.slot, cell, !same || old->cut}, words.facts));
  if (same) return {};
  if (!same_content) {
    if (old) RETURN_IF_ERROR(RemoveItemVector(database_, row.slot));
    RETURN_IF_ERROR(PutItemVector(database_, row.slot, words.content, embedder_));
  }
  if (old) RETURN_IF_ERROR(RemoveWords(database_, before));
  return AddWords(database_, words);
}

Status ItemCells::Remove(const std::string& owner, const std::string& key) {
  ASSIGN_OR_RETURN(const auto project, FindProject(database_, owner));
  ASSIGN_OR_RETURN(const auto row, FindItem(database_, project, key));
  if (!row) return {};
  ASSIGN_OR_RETURN(const ItemWords words, WordsOf(*row));
  RETURN_IF_ERROR(RemoveRow(database_, row->slot));
  return RemoveWords(database_, words);
}

Result<int64_t> ItemCells::RemoveExpired(const std::string& owner, int64_t now_ms, int64_t limit) {
  std::optional<int64_t> project;
  if (!owner.empty()) {
    ASSIGN_OR_RETURN(project, FindProject(database_, owner));
  }
  std::vector<ItemWords> expired;
  {
    ASSIGN_OR_RETURN(
        Statement read,
        database_.Prepare(MEMORY_SELECT_ITEM
                          "WHERE over_ms <= ?1 AND (CAST(?2 AS BIGINT) IS NULL OR project = ?2) "
                          "ORDER BY over_ms LIMIT ?3"));
    read.Bind(now_ms).Bind(project).Bind(limit);
    RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Status {
      ASSIGN_OR_RETURN(ItemWords words, WordsOf(UncutItemAt(row)));
      expired.push_back(std::move(words));
      return {};
    }));
  }
  for (const ItemWords& one : expired) RETURN_IF_ERROR(RemoveRow(database_, one.slot));
  std::ranges::sort(expired, {}, &ItemWords::slot);
  for (const ItemWords& one : expired) RETURN_IF_ERROR(RemoveWords(database_, one));
  return static_cast<int64_t>(expired.size());
}

Result<bool> ReadItems(Database& database, std::optional<int64_t> project, int64_t now_ms,
                       int64_t after, const std::function<bool(int64_t slot, Cell&&)>& take) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT slot, key, value, metadata, created_ms, accessed_ms, ttl_ns, "
                       "version, over_ms, p.name FROM items JOIN projects p ON p.number = project "
                       "WHERE slot > ?1 AND (CAST(?2 AS BIGINT) IS NULL OR project = ?2) AND "
                       "(over_ms IS NULL OR "
                       "over_ms > ?3) ORDER BY slot"));
  read.Bind(after).Bind(project).Bind(now_ms);
  bool end = true;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    ItemRow item = ItemAt(row, true);
    item.cell.owner = row.Text(9);
    return end = take(item.slot, std::move(item.cell));
  }));
  return end;
}

Status IndexAllItems(Database& database) {
  RETURN_IF_ERROR(database.Execute("UPDATE items SET cut = 1 WHERE cut = 0"));
  RETURN_IF_ERROR(database.Execute("INSERT INTO item_words(item_words) VALUES('delete-all')"));
  ASSIGN_OR_RETURN(Statement read, database.Prepare(MEMORY_SELECT_ITEM "ORDER BY slot"));
  return read.ForEachRow([&](const Statement& at) -> Status {
    ASSIGN_OR_RETURN(const ItemWords words, WordsOf(ItemAt(at, true)));
    return AddWords(database, words);
  });
}

Status LeaveOutItems(Database& database, std::optional<int64_t> project, int64_t now_ms) {
  ASSIGN_OR_RETURN(Statement leave_out,
                   database.Prepare("DELETE FROM items WHERE over_ms <= ?1 OR project <> ?2"));
  RETURN_IF_ERROR(leave_out.Bind(now_ms).Bind(project).Run());
  const bool some = database.Changes() > 0;
  if (project) {
    ASSIGN_OR_RETURN(Statement counts,
                     database.Prepare("DELETE FROM item_counts WHERE project <> ?1"));
    RETURN_IF_ERROR(counts.Bind(project).Run());
  }
  return some ? IndexAllItems(database) : Status();
}

Status CutItems(Database& database, const std::vector<int64_t>& slots) {
  std::vector<ItemWords> before, after;
  for (int64_t slot : slots) {
    ASSIGN_OR_RETURN(auto row, FindItem(database, slot));
    if (!row || row->cut) continue;
    ASSIGN_OR_RETURN(before.emplace_back(), WordsOf(*row));
    row->cut = true;
    ASSIGN_OR_RETURN(after.emplace_back(), WordsOf(*row));
    ASSIGN_OR_RETURN(Statement cut, database.Prepare("UPDATE items SET cut = 1 WHERE slot = ?1"));
    RETURN_IF_ERROR(cut.Bind(slot).Run());
  }
  for (const ItemWords& words : before) RETURN_IF_ERROR(RemoveWords(database, words));
  for (const ItemWords& words : after) RETURN_IF_ERROR(AddWords(database, words));
  return {};
}

}  // namespace memory
