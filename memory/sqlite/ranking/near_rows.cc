// Computes similarity as resident ranges do, so that both find the same rows.
#include "memory/sqlite/ranking/near_rows.h"

#include <algorithm>

#include "memory/model/slots.h"

namespace memory {

using base::Code;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

struct ReadVector {
  RangeVectors::NewRow row;
  std::string bytes;
};

constexpr const char* kOfTable =
    "SELECT o.slot, o.session, o.position, v.vector FROM vectors v "
    "CROSS JOIN observations o ON o.slot = v.slot WHERE v.slot BETWEEN ?1 AND "
    "?2 AND v.model = ?3 AND o.deleted_ms IS NULL ORDER BY v.slot";
constexpr const char* kOfRemote =
    "SELECT o.slot, o.session, o.position, v.vector FROM remote_vectors v NOT INDEXED "
    "CROSS JOIN observations o ON o.slot = v.slot WHERE v.slot BETWEEN ?1 AND "
    "?2 AND v.model = ?3 AND o.deleted_ms IS NULL ORDER BY v.slot";

Status ReadVectors(Database& database, const Meaning& meaning, int64_t range,
                   std::vector<ReadVector>& rows) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(meaning.remote ? kOfRemote : kOfTable));
  read.Bind(range << kRangeBits).Bind(((range + 1) << kRangeBits) - 1).Bind(meaning.model);
  return read.ForEachRow([&](const Statement& row) {
    rows.push_back({{row.Int(0), row.Int(1), row.Int(2), {}}, row.Text(3)});
  });
}

}  // namespace

Result<bool> ReadNear(Database& database, const Meaning& meaning, std::vector<int64_t> ranges,
                      int64_t left_ms, const std::stop_token& stop, std::vector<Similarity>& near) {
  if (left_ms <= 0) return true;
  std::sort(ranges.begin(), ranges.end());
  const sqlite::TimeLimit limit(database, left_ms, stop);
  for (int64_t range : ranges) {
    std::vector<ReadVector> read;
    Status done = ReadVectors(database, meaning, range, read);
    if (!done && done.error().code != Code::kTimeout) return done.error();
    std::vector<RangeVectors::NewRow> rows;
    for (ReadVector& row : read) {
      row.row.values = AsVector(row.bytes);
      rows.push_back(row.row);
    }
    RangeVectors vectors(range, meaning.values.size());
    vectors.Put(rows);
    vectors.AppendSimilarities(meaning.values, near);
    if (!done) return true;
  }
  return false;
}

}  // namespace memory
