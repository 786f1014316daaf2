// Computes similarity as resident ranges do, so that both find the same rows.
#include "memory/sqlite/ranking/near_rows.h"

#include <algorithm>

#include "memory/model/slots.h"

namespace memory {

using base::Code;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

struct ReadVector {
  RangeVectors::NewRow row;
  std::string bytes;
};

constexpr const char* kOfTable =
    "SELECT o.slot, o.session, o.position, v.vector FROM vectors v "
    "CROSS JOIN observations o WHERE o.slot = v.slot AND v.slot BETWEEN ?1 AND "
    "?2 AND v.model = ?3 AND o.deleted_ms IS NULL ORDER BY v.slot";
constexpr const char* kOfRemote =
    "SELECT o.slot, o.session, o.position, v.vector FROM remote_vectors v NOT INDEXED "
    "CROSS JOIN observations o WHERE o.slot = v.slot AND v.slot BETWEEN ?1 AND "
    "?2 AND v.model = ?3 AND o.deleted_ms IS NULL ORDER BY v.slot";

Status ReadVectors(Database& database, const VectorQuery& query, int64_t range,
                   std::vector<ReadVector>& rows) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(query.remote ? kOfRemote : kOfTable));
  read.Bind(range << kRangeBits).Bind(((range + 1) << kRangeBits) - 1).Bind(query.model);
  return read.ForEachRow([&](const Statement& row) {
    rows.push_back({{row.Int(0), row.Int(1), row.Int(2), {}}, row.Text(3)});
  });
}

}  // namespace

Result<bool> ReadNear(Database& database, const VectorQuery& query, const SearchBounds& bounds,
                      std::vector<Similarity>& near) {
  if (bounds.deadline_ms <= 0) return true;
  std::vector<int64_t> ranges = bounds.ranges;
  std::sort(ranges.begin(), ranges.end());
  const sql::TimeLimit limit(database, bounds.deadline_ms, bounds.stop);
  for (int64_t range : ranges) {
    std::vector<ReadVector> read;
    Status done = ReadVectors(database, query, range, read);
    if (!done && done.error().code != Code::kTimeout) return done.error();
    std::vector<RangeVectors::NewRow> rows;
    for (ReadVector& row : read) {
      row.row.values = AsVector(row.bytes);
      rows.push_back(row.row);
    }
    RangeVectors vectors(range, query.values.size());
    vectors.Put(rows);
    vectors.AppendSimilarities(query.values, near);
    if (!done) return true;
  }
  return false;
}

}  // namespace memory
