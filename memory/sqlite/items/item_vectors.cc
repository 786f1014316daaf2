// Items have no sessions: the ranking of observations treats each as a session of its own.
#include "memory/sqlite/items/item_vectors.h"

#include "memory/model/embedded_text.h"
#include "memory/model/slots.h"

namespace memory {

using base::Code;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr int64_t kLookAtItems = 2048;
constexpr size_t kItemsAtOnce = 128;
constexpr size_t kReadItemVectors = 20'000;  // some 30 ms; with more, only words find items

}  // namespace

Status PutItemVector(Database& database, int64_t slot, const std::string& text,
                     const Embedder* embedder) {
  if (!embedder) return {};
  const std::vector<int8_t> vector = embedder->Embed(EmbeddedText(text));
  if (vector.empty()) return {};
  ASSIGN_OR_RETURN(
      Statement put,
      database.Prepare("INSERT INTO item_vectors VALUES(?1, ?2, ?3) ON CONFLICT(slot) DO UPDATE "
                       "SET model = excluded.model, vector = excluded.vector"));
  put.Bind(slot).Bind(embedder->model());
  return put.BindBlob({reinterpret_cast<const char*>(vector.data()), vector.size()}).Run();
}

Status RemoveItemVector(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement remove, database.Prepare("DELETE FROM item_vectors WHERE slot = ?1"));
  return remove.Bind(slot).Run();
}

Result<VectorlessItems> FindVectorlessItems(Database& database, int64_t model, int64_t after) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT i.slot, v.slot IS NULL FROM items i LEFT JOIN item_vectors v ON "
                       "v.slot = i.slot AND v.model = ?1 WHERE i.slot > ?2 ORDER BY i.slot "
                       "LIMIT ?3"));
  read.Bind(model).Bind(after).Bind(kLookAtItems);
  VectorlessItems found{{}, after, false};
  int64_t looked = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    found.last = row.Int(0);
    if (row.Int(1) != 0) found.slots.push_back(found.last);
    ++looked;
    return found.slots.size() < kItemsAtOnce;
  }));
  found.end = looked < kLookAtItems && found.slots.size() < kItemsAtOnce;
  return found;
}

Result<std::vector<Similarity>> NearItems(Database& database, const ItemMeaning& asked) {
  std::vector<Similarity> near;
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "SELECT i.slot, v.vector FROM item_vectors v CROSS JOIN items i WHERE i.slot "
          "= v.slot AND v.slot BETWEEN ?1 AND ?2 AND v.model = ?3 AND "
          "(i.over_ms IS NULL OR i.over_ms > ?4) ORDER BY v.slot LIMIT ?5"));
  read.Bind(asked.project << kRangeBits).Bind(((asked.project + 1) << kRangeBits) - 1);
  read.Bind(asked.model).Bind(asked.now_ms).Bind(static_cast<int64_t>(kReadItemVectors) + 1);
  const sql::TimeLimit limit(database, asked.deadline_ms, asked.stop);
  std::vector<std::pair<int64_t, std::string>> items;
  const Status done =
      read.ForEachRow([&](const Statement& row) { items.emplace_back(row.Int(0), row.Text(1)); });
  if (!done && done.error().code != Code::kTimeout) return done.error();
  if (!done || items.size() > kReadItemVectors) return near;
  std::vector<RangeVectors::NewRow> rows;
  for (const auto& [slot, bytes] : items) {
    const int64_t own_session = slot - (asked.project << kRangeBits);
    rows.push_back(
        {slot, own_session, 0, {reinterpret_cast<const int8_t*>(bytes.data()), bytes.size()}});
  }
  RangeVectors vectors(asked.project, asked.question.size());
  vectors.Put(rows);
  vectors.AppendSimilarities(asked.question, near);
  return near;
}

}  // namespace memory
