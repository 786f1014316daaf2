// Codecs, walks and imports of each kind.
#include "memory/transfer/rows/row_kinds.h"

#include <functional>
#include <type_traits>
#include <utility>

#include "lib/api/memory_api.h"
#include "memory/api/episodes/episode_json.h"
#include "memory/api/items/item_json.h"
#include "memory/api/revision.h"
#include "memory/api/shared/shared_handlers.h"
#include "memory/api/traces/exported_traces.h"
#include "memory/api/validate.h"

namespace memory {

using base::Json;
using base::Result;
using base::Status;

namespace {

template <class Row, auto kDecode, auto kImport>
class ImportOf final : public RowImport {
 public:
  explicit ImportOf(const char* name) : batch_{name} {}
  size_t Take(const Json& json, const Json& where, ImportReport& report) override {
    return batch_.Take(json, where, kDecode, report);
  }
  Status Flush(const RowTarget& to, ImportReport& report) override {
    return batch_.Flush([&](const auto& rows) { return kImport(to, rows); }, report);
  }
  size_t given() const override { return batch_.given; }
  int64_t imported() const override { return batch_.imported; }

 private:
  Batch<Row> batch_;
};

// `kImport` null: Importer takes the rows itself.
template <class Row, auto kWalk, auto kEncode, auto kDecode, auto kImport>
constexpr KindRow KindOf(const char* name, const char* line, const char* array, const char* words) {
  KindRow row{name, line, array, words, nullptr, nullptr};
  row.walk = [](ExportCursor& cursor, const OnJson& on_row) {
    return std::invoke(kWalk, cursor, [&](const Row& one) -> Status {
      const Result<Json> json = kEncode(one);
      return json ? on_row(*json) : Status(json.error());
    });
  };
  // Not != nullptr, which GCC 12 takes for no constant with -fno-delete-null-pointer-checks.
  if constexpr (!std::is_null_pointer_v<decltype(kImport)>) {
    row.begin_import = [](const char* of) -> std::unique_ptr<RowImport> {
      return std::make_unique<ImportOf<Row, kDecode, kImport>>(of);
    };
  }
  return row;
}

Status WalkObservations(ExportCursor& cursor, const OnRow<ExportedRow>& on_row) {
  return cursor.WalkObservations(false, on_row);
}

template <const CellKind& kKind>
Status WalkCells(ExportCursor& cursor, const OnRow<Cell>& on_row) {
  return cursor.WalkCells(kKind, on_row);
}

auto ImportSessions(const RowTarget& to, const std::vector<api::Session>& rows) {
  return to.store.Import(rows);
}
auto ImportEpisodes(const RowTarget& to, const std::vector<Episode>& rows) {
  return to.store.ImportEpisodes(rows);
}
template <class Row>
auto ImportOfTraces(const RowTarget& to, const std::vector<Row>& rows) {
  return to.store.traces().Import(rows);
}

// Refuses each value of an Agent that the sender may not write, and imports the others.
template <const CellKind& kKind>
Result<std::vector<Result<bool>>> ImportCells(const RowTarget& to, const std::vector<Cell>& rows) {
  std::vector<Result<bool>> outcomes;
  std::vector<Cell> allowed;
  for (const Cell& row : rows) {
    const Status may = kKind.of_agents ? to.may_share(row.owner) : Status();
    if (!may && may.error().code != base::Code::kDenied) return may.error();
    outcomes.push_back(may ? Result<bool>(false) : may.error());
    if (may) allowed.push_back(row);
  }
  ASSIGN_OR_RETURN(const std::vector<bool> stored, to.store.cells(kKind).Import(allowed));
  auto next = stored.begin();
  for (Result<bool>& outcome : outcomes)
    if (outcome) outcome = *next++;
  return outcomes;
}

// A batch is committed in this order: sessions first, so that no observation implies one; episodes,
// traces and edges after the observations that they refer to.
constexpr KindRow kKinds[] = {
    KindOf<api::Session, &ExportCursor::WalkSessions, api::EncodeSession, DecodeSession,
           ImportSessions>("session", "session", "sessions", nullptr),
    KindOf<ExportedRow, WalkObservations, EncodeRow, DecodeRow, nullptr>(
        "observation", "observation", "observations", nullptr),
    KindOf<Cell, WalkCells<kItemCells>, EncodeExportedItem, DecodeExportedItem,
           ImportCells<kItemCells>>("item", "item", "items", "items"),
    KindOf<Cell, WalkCells<kSharedCells>, EncodeExportedShared, DecodeExportedShared,
           ImportCells<kSharedCells>>("shared", "shared", "shared", "shared values"),
    KindOf<Episode, &ExportCursor::WalkEpisodes, EncodeExportedEpisode, DecodeExportedEpisode,
           ImportEpisodes>("episode", "episode", "episodes", "episodes"),
    KindOf<ExportedTrace, &ExportCursor::WalkTraces, EncodeExportedTrace, DecodeExportedTrace,
           ImportOfTraces<ExportedTrace>>("trace", "trace", "traces", "traces"),
    KindOf<ExportedEdge, &ExportCursor::WalkEdges, EncodeExportedEdge, DecodeExportedEdge,
           ImportOfTraces<ExportedEdge>>("edge", "trace_edge", "traces_edges", "edges"),
};

}  // namespace

RowKind KindRow::kind() const { return static_cast<RowKind>(this - kKinds); }

std::span<const KindRow> KindRows() { return kKinds; }

}  // namespace memory
