// The full-text table is contentless: a delete passes the words of the row, which TextOf computes
// again. A change of TextOf, or of the terms, needs a step of the schema like that of
// tables/uncut.h.
//
// FTS5 collects the writes of a transaction into one segment, unless a statement with triggers runs
// in between or a slot is lower than the previous one: then it begins another segment, at a cost.
// So rows are written first, then words, in the order of slots.
#include "memory/sqlite/items/item_rows.h"

#include <algorithm>

#include "lib/base/json/stored.h"
#include "memory/model/slots.h"
#include "memory/model/terms.h"
#include "memory/model/words.h"
#include "memory/sqlite/items/item_vectors.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

#define MEMORY_SELECT_ITEM                                                                     \
  "SELECT slot, key, value, metadata, created_ms, accessed_ms, ttl_ns, version, over_ms, cut " \
  "FROM items "

constexpr int64_t kRemovedForRoom = 100;

Result<ItemRow> ItemAt(const Statement& row, bool cut) {
  ItemRow read;
  read.cut = cut;
  read.slot = row.Int(0);
  read.item.key = row.Text(1);
  const std::string value = row.Text(2), metadata = row.Text(3);
  read.bytes = base::WeightOfText(value) + base::WeightOfText(metadata);
  ASSIGN_OR_RETURN(read.item.value, base::ParseJson(value));
  ASSIGN_OR_RETURN(read.item.metadata, base::ParseJson(metadata));
  read.item.created_ms = row.Int(4);
  read.item.accessed_ms = row.Int(5);
  read.item.ttl_ns = row.Int(6);
  read.item.version = row.Int(7);
  if (!row.IsNull(8)) read.over_ms = row.Int(8);
  return read;
}

Result<std::optional<ItemRow>> FirstItem(Statement read) {
  ASSIGN_OR_RETURN(const bool row, read.Step());
  if (!row) return std::optional<ItemRow>();
  ASSIGN_OR_RETURN(ItemRow found, ItemAt(read, read.Int(9) != 0));
  return std::optional(std::move(found));
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

std::string TextOf(const Json& value) {
  std::string text;
  AppendWords(value, text);
  return text;
}

// The columns of item_words for a row. `cut`: by this version.
struct ItemWords {
  explicit ItemWords(const Item& item, bool cut = true)
      : content(TextOf(item.value)),
        tags(TextOf(item.metadata)),
        facts(FactsOf(item.key, content)) {
    facts.grams = cut ? AddedTerms(item.key + ' ' + content + ' ' + tags)
                      : FormerGrams(item.key + ' ' + content);
  }
  bool operator==(const ItemWords& other) const {  // of the same key
    return content == other.content && tags == other.tags;
  }
  std::string content, tags;
  TextFacts facts;
};

Status PutWords(Statement put, const ItemRow& row, const ItemWords& words) {
  put.Bind(row.slot).Bind(row.item.key).Bind(words.content).Bind(words.tags);
  return put.Bind(words.facts.grams).Run();
}

Status AddWords(Database& database, const ItemRow& row, const ItemWords& words) {
  ASSIGN_OR_RETURN(
      Statement put,
      database.Prepare(
          "INSERT INTO item_words(rowid, title, content, tags, grams) VALUES(?1, ?2, ?3, ?4, ?5)"));
  return PutWords(std::move(put), row, words);
}

Status RemoveWords(Database& database, const ItemRow& row, const ItemWords& words) {
  ASSIGN_OR_RETURN(
      Statement put,
      database.Prepare("INSERT INTO item_words(item_words, rowid, title, content, tags, grams) "
                       "VALUES('delete', ?1, ?2, ?3, ?4, ?5)"));
  return PutWords(std::move(put), row, words);
}

Status RemoveRow(Database& database, const ItemRow& row) {
  ASSIGN_OR_RETURN(Statement remove, database.Prepare("DELETE FROM items WHERE slot = ?1"));
  return remove.Bind(row.slot).Run();
}

}  // namespace

Result<std::optional<ItemRow>> FindItem(Database& database, int64_t project,
                                        const std::string& key) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare(MEMORY_SELECT_ITEM "WHERE project = ?1 AND key = ?2"));
  read.Bind(project).Bind(key);
  return FirstItem(std::move(read));
}

Result<std::optional<ItemRow>> FindItem(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(MEMORY_SELECT_ITEM "WHERE slot = ?1"));
  read.Bind(slot);
  return FirstItem(std::move(read));
}

Result<int64_t> LoadItemClock(Database& database) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT value FROM counters WHERE name = 'item_clock'"));
  ASSIGN_OR_RETURN(const bool row, read.Step());
  return row ? read.Int(0) : int64_t{0};
}

Status SaveItemClock(Database& database, int64_t aged_ms) {
  ASSIGN_OR_RETURN(Statement save,
                   database.Prepare("INSERT OR REPLACE INTO counters SELECT 'item_clock', ?1 "
                                    "WHERE EXISTS (SELECT 1 FROM items) OR EXISTS "
                                    "(SELECT 1 FROM shared_items WHERE over_ms IS NOT NULL)"));
  return save.Bind(aged_ms).Run();
}

Result<int64_t> TakeItemSlot(Database& database, int64_t project, int64_t now_ms) {
  ASSIGN_OR_RETURN(Statement known,
                   database.Prepare("INSERT OR IGNORE INTO item_counts(project) VALUES(?1)"));
  RETURN_IF_ERROR(known.Bind(project).Run());
  auto read_counts = [&](int64_t& rows, int64_t& next) -> Status {
    ASSIGN_OR_RETURN(Statement read,
                     database.Prepare("SELECT rows, next FROM item_counts WHERE project = ?1"));
    ASSIGN_OR_RETURN(const bool row, read.Bind(project).Step());
    if (!row) return Error{Code::kInternal, "the count of a project's items is missing"};
    rows = read.Int(0), next = read.Int(1);
    return {};
  };
  int64_t rows = 0, next = 0;
  RETURN_IF_ERROR(read_counts(rows, next));
  if (rows >= kMaxItemsOfProject) {
    ASSIGN_OR_RETURN(const int64_t removed,
                     RemoveItemsOver(database, project, now_ms, kRemovedForRoom));
    if (removed == 0) {
      return Error{Code::kFull, "this project keeps " + std::to_string(rows) +
                                    " items, the limit is " + std::to_string(kMaxItemsOfProject) +
                                    "; forget some, or give them a ttl"};
    }
  }
  ASSIGN_OR_RETURN(Statement raise, database.Prepare("UPDATE item_counts SET next = next + 1 "
                                                     "WHERE project = ?1"));
  RETURN_IF_ERROR(raise.Bind(project).Run());
  return (project << kRangeBits) + next;
}

Result<int64_t> TakeItemVersion(Database& database) {
  ASSIGN_OR_RETURN(Statement raise, database.Prepare("UPDATE counters SET value = value + 1 "
                                                     "WHERE name = 'item_version'"));
  RETURN_IF_ERROR(raise.Run());
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT value FROM counters WHERE name = 'item_version'"));
  ASSIGN_OR_RETURN(const bool row, read.Step());
  if (!row) return Error{Code::kInternal, "the counter of item versions is missing"};
  return read.Int(0);
}

Status RaiseItemVersion(Database& database, int64_t to) {
  ASSIGN_OR_RETURN(Statement raise, database.Prepare("UPDATE counters SET value = max(value, ?1) "
                                                     "WHERE name = 'item_version'"));
  return raise.Bind(to).Run();
}

Status AddItemVector(Database& database, const ItemRow& row, const Embedder* embedder) {
  return PutItemVector(database, row.slot, TextOf(row.item.value), embedder);
}

Status InsertItem(Database& database, int64_t project, const ItemRow& row,
                  const Embedder* embedder) {
  const Item& item = row.item;
  const ItemWords words(item);
  {
    ASSIGN_OR_RETURN(
        Statement insert,
        database.Prepare("INSERT INTO items(slot, project, key, version, created_ms, "
                         "accessed_ms, ttl_ns, over_ms, words, marks, value, metadata, "
                         "cut) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 1)"));
    insert.Bind(row.slot).Bind(project).Bind(item.key).Bind(item.version).Bind(item.created_ms);
    insert.Bind(item.accessed_ms).Bind(item.ttl_ns).Bind(row.over_ms);
    insert.Bind(words.facts.words).Bind(words.facts.marks).Bind(base::DumpJson(item.value));
    RETURN_IF_ERROR(insert.Bind(base::DumpJson(item.metadata)).Run());
  }
  RETURN_IF_ERROR(PutItemVector(database, row.slot, words.content, embedder));
  return AddWords(database, row, words);
}

Status ReplaceItem(Database& database, const ItemRow& old, const ItemRow& row,
                   const Embedder* embedder) {
  const Item& item = row.item;
  const ItemWords before(old.item, old.cut), words(item);
  const bool same = before == words;
  if (!same) {
    ASSIGN_OR_RETURN(Statement count,
                     database.Prepare("UPDATE item_counts SET words = item_counts.words + ?2 - "
                                      "i.words FROM items i WHERE i.slot = ?1 AND "
                                      "item_counts.project = i.project"));
    RETURN_IF_ERROR(count.Bind(row.slot).Bind(words.facts.words).Run());
  }
  ASSIGN_OR_RETURN(
      Statement update,
      database.Prepare("UPDATE items SET version = ?2, created_ms = ?3, accessed_ms = ?4, "
                       "ttl_ns = ?5, over_ms = ?6, words = ?7, marks = ?8, value = ?9, "
                       "metadata = ?10, cut = ?11 WHERE slot = ?1"));
  update.Bind(row.slot).Bind(item.version).Bind(item.created_ms).Bind(item.accessed_ms);
  update.Bind(item.ttl_ns).Bind(row.over_ms).Bind(words.facts.words).Bind(words.facts.marks);
  update.Bind(base::DumpJson(item.value)).Bind(base::DumpJson(item.metadata));
  update.Bind(int64_t{same ? old.cut : true});
  RETURN_IF_ERROR(update.Run());
  if (same) return {};
  if (before.content != words.content) {
    RETURN_IF_ERROR(RemoveItemVector(database, row.slot));
    RETURN_IF_ERROR(PutItemVector(database, row.slot, words.content, embedder));
  }
  RETURN_IF_ERROR(RemoveWords(database, old, before));
  return AddWords(database, row, words);
}

Status RemoveItem(Database& database, const ItemRow& row) {
  RETURN_IF_ERROR(RemoveRow(database, row));
  return RemoveWords(database, row, ItemWords(row.item, row.cut));
}

Result<int64_t> RemoveItemsOver(Database& database, std::optional<int64_t> project, int64_t now_ms,
                                int64_t most) {
  struct Over {
    ItemRow row;  // without its value and metadata: many trees are larger than their words
    ItemWords words;
  };
  std::vector<Over> over;
  {
    ASSIGN_OR_RETURN(
        Statement read,
        database.Prepare(MEMORY_SELECT_ITEM "WHERE over_ms <= ?1 AND (?2 IS NULL OR project = ?2) "
                                            "ORDER BY over_ms LIMIT ?3"));
    read.Bind(now_ms).Bind(project).Bind(most);
    RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Status {
      ASSIGN_OR_RETURN(ItemRow one, ItemAt(row, row.Int(9) != 0));
      ItemWords words(one.item, one.cut);
      one.item.value = one.item.metadata = nullptr;
      over.push_back({std::move(one), std::move(words)});
      return {};
    }));
  }
  for (const Over& one : over) RETURN_IF_ERROR(RemoveRow(database, one.row));
  std::ranges::sort(over, {}, [](const Over& one) { return one.row.slot; });
  for (const Over& one : over) RETURN_IF_ERROR(RemoveWords(database, one.row, one.words));
  return static_cast<int64_t>(over.size());
}

Result<bool> ReadItems(Database& database, std::optional<int64_t> project, int64_t now_ms,
                       int64_t after,
                       const std::function<bool(int64_t slot, ExportedItem&&)>& take) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT slot, key, value, metadata, created_ms, accessed_ms, ttl_ns, "
                       "version, over_ms, p.name FROM items JOIN projects p ON p.number = project "
                       "WHERE slot > ?1 AND (?2 IS NULL OR project = ?2) AND (over_ms IS NULL OR "
                       "over_ms > ?3) ORDER BY slot"));
  read.Bind(after).Bind(project).Bind(now_ms);
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, read.Step());
    if (!more) return true;
    ASSIGN_OR_RETURN(ItemRow row, ItemAt(read, true));
    if (!take(row.slot, {read.Text(9), std::move(row.item)})) return false;
  }
}

bool HasItems(Database& database) {
  Result<Statement> read =
      database.Prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'items'");
  return read && read->Step().value_or(false);
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
  std::vector<ItemRow> rows;
  for (int64_t slot : slots) {
    ASSIGN_OR_RETURN(auto row, FindItem(database, slot));
    if (row && !row->cut) rows.push_back(*std::move(row));
  }
  for (const ItemRow& row : rows) {
    ASSIGN_OR_RETURN(Statement cut, database.Prepare("UPDATE items SET cut = 1 WHERE slot = ?1"));
    RETURN_IF_ERROR(cut.Bind(row.slot).Run());
  }
  for (const ItemRow& row : rows)
    RETURN_IF_ERROR(RemoveWords(database, row, ItemWords(row.item, false)));
  for (const ItemRow& row : rows) RETURN_IF_ERROR(AddWords(database, row, ItemWords(row.item)));
  return {};
}

Status IndexAllItems(Database& database) {
  RETURN_IF_ERROR(database.Execute("UPDATE items SET cut = 1 WHERE cut = 0"));
  RETURN_IF_ERROR(database.Execute("INSERT INTO item_words(item_words) VALUES('delete-all')"));
  ASSIGN_OR_RETURN(Statement read, database.Prepare(MEMORY_SELECT_ITEM "ORDER BY slot"));
  return read.ForEachRow([&](const Statement& at) -> Status {
    ASSIGN_OR_RETURN(const ItemRow row, ItemAt(at, true));
    return AddWords(database, row, ItemWords(row.item));
  });
}

}  // namespace memory
