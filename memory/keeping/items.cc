// Changes of items.
#include "memory/keeping/items.h"

#include <algorithm>

namespace memory {

using base::Result;
using base::Status;

namespace {

std::string FullItems(const std::string& /*project*/, int64_t CellKind::* /*limit*/,
                      int64_t value) {
  return "this project keeps " + std::to_string(value - 1) + " items, the limit is " +
         std::to_string(kMaxItemsOfProject) + "; forget some, or give them a ttl";
}

std::string MissingItem(const std::string& /*project*/, const std::string& key) {
  return "there is no item \"" + key + "\"";
}

}  // namespace

const CellKind kItemCells = {kMaxItemsOfProject, INT64_MAX, INT64_MAX, FullItems,
                             MissingItem,        "item",    "items"};

Result<CellWritten> Items::Change(const std::string& project, const std::string& key,
                                  const ItemChange& change, const Precondition& condition) {
  RETURN_IF_ERROR(host_->Admit());
  CellWritten written;
  RETURN_IF_ERROR(host_->Write([&](Cells& cells) -> Status {
    const int64_t now_ms = clock_.NowMs(), aged_ms = AgedMs();
    const auto apply = [&](Cell& cell) {
      cell.value = change.value.value_or(cell.value);
      cell.metadata = change.metadata.value_or(cell.metadata);
      if (!change.ttl_ns) return;
      // By the clock of expiry, from which the wall clock may differ now.
      const int64_t created_ms = cell.expires_ms
                                     ? *cell.expires_ms - *ExpiryOf(0, cell.ttl_ns)
                                     : aged_ms - std::max<int64_t>(0, now_ms - cell.created_ms);
      cell.expires_ms = ExpiryOf(created_ms, *change.ttl_ns);
      cell.ttl_ns = *change.ttl_ns;
    };
    ASSIGN_OR_RETURN(written, ChangeCell(cells, kind_, project, key, condition, aged_ms, apply));
    return {};
  }));
  return written;
}

}  // namespace memory
