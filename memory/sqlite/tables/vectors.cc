// A vector has one signed byte per dimension; only its direction matters.
#include "memory/sqlite/tables/vectors.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr int64_t kLookAtRows = 2048;
constexpr size_t kMostRows = 256, kMostBytes = 1 << 20;  // of texts, of one page

std::string_view BytesOf(const std::vector<int8_t>& vector) {
  return {reinterpret_cast<const char*>(vector.data()), vector.size()};
}

}  // namespace

Status PutVector(Database& database, int64_t slot, const TextFacts& facts) {
  if (facts.vector.empty()) return {};
  ASSIGN_OR_RETURN(Statement put,
                   database.Prepare("INSERT INTO vectors VALUES(?1, ?2, ?3) ON CONFLICT(slot) DO "
                                    "UPDATE SET model = excluded.model, vector = excluded.vector"));
  return put.Bind(slot).Bind(facts.model).BindBlob(BytesOf(facts.vector)).Run();
}

Result<VectorlessPage> FindVectorless(Database& database, int64_t model, int64_t after) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "SELECT o.slot, v.slot IS NOT NULL, "
          "CASE WHEN v.slot IS NULL THEN o.revision_count ELSE 0 END, "
          "CASE WHEN v.slot IS NULL THEN o.title ELSE '' END, CASE WHEN v.slot IS NULL THEN "
          "o.content ELSE '' END "
          "FROM observations o LEFT JOIN vectors v ON v.slot = o.slot AND v.model = ?1 "
          "WHERE o.slot > ?2 ORDER BY o.slot LIMIT ?3"));
  read.Bind(model).Bind(after).Bind(kLookAtRows);
  VectorlessPage page{{}, after, true};
  int64_t looked = 0;
  size_t bytes = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    page.last = row.Int(0);
    ++looked;
    if (row.Int(1) == 0) {
      page.rows.push_back({row.Int(0), row.Int(2), row.Text(3), row.Text(4)});
      bytes += page.rows.back().content.size();
    }
    page.end = page.rows.size() < kMostRows && bytes < kMostBytes;
    return page.end;
  }));
  page.end = page.end && looked < kLookAtRows;
  return page;
}

Status FillVector(Database& database, const Vectorless& row, const TextFacts& facts) {
  if (facts.vector.empty()) return {};
  ASSIGN_OR_RETURN(Statement fill,
                   database.Prepare("INSERT INTO vectors SELECT slot, ?3, ?4 FROM observations "
                                    "WHERE slot = ?1 AND revision_count = ?2 ON CONFLICT(slot) DO "
                                    "UPDATE SET model = excluded.model, vector = excluded.vector"));
  fill.Bind(row.slot).Bind(row.revision_count).Bind(facts.model);
  return fill.BindBlob(BytesOf(facts.vector)).Run();
}

Result<RemoteGaps> FindRemoteGaps(Database& database, int64_t model, int64_t after) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT o.slot, o.deleted_ms IS NULL AND NOT EXISTS (SELECT 1 FROM "
                       "remote_vectors v INDEXED BY remote_vectors_model WHERE v.model = ?1 AND "
                       "v.slot = o.slot) FROM observations o WHERE o.slot > ?2 ORDER BY o.slot "
                       "LIMIT ?3"));
  read.Bind(model).Bind(after).Bind(kLookAtRows);
  RemoteGaps gaps{{}, after, false};
  int64_t looked = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    gaps.last = row.Int(0);
    if (row.Int(1) != 0) gaps.slots.push_back(gaps.last);
    ++looked;
  }));
  gaps.end = looked < kLookAtRows;
  return gaps;
}

Result<std::optional<Vectorless>> ReadRemoteGap(Database& database, int64_t model, int64_t slot) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT slot, revision_count, title, content FROM observations WHERE "
                       "slot = ?1 AND deleted_ms IS NULL AND NOT EXISTS (SELECT 1 FROM "
                       "remote_vectors v INDEXED BY remote_vectors_model WHERE v.model = ?2 AND "
                       "v.slot = ?1)"));
  read.Bind(slot).Bind(model);
  ASSIGN_OR_RETURN(const bool there, read.Step());
  std::optional<Vectorless> row;
  if (there) row = Vectorless{read.Int(0), read.Int(1), read.Text(2), read.Text(3)};
  return row;
}

Result<bool> FillRemoteVector(Database& database, const Vectorless& row, int64_t model,
                              const std::vector<int8_t>& vector) {
  ASSIGN_OR_RETURN(
      Statement fill,
      database.Prepare("INSERT INTO remote_vectors SELECT slot, ?3, ?4 FROM observations "
                       "WHERE slot = ?1 AND revision_count = ?2 ON CONFLICT(slot) DO UPDATE SET "
                       "model = excluded.model, vector = excluded.vector RETURNING slot"));
  fill.Bind(row.slot).Bind(row.revision_count).Bind(model).BindBlob(BytesOf(vector));
  ASSIGN_OR_RETURN(const bool filled, fill.Step());
  RETURN_IF_ERROR(fill.Run());
  return filled;
}

}  // namespace memory
