// Opens the cells of a table over a store's writer and readers.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "lib/sqlite/writer.h"
#include "memory/rows/cells.h"
#include "memory/sqlite/reading/snapshot.h"

namespace memory {

class SqliteCellHost final : public CellHost {
 public:
  // All outlive it.
  struct Parts {
    sqlite::Writer& writer;
    ReaderPool& readers;
    std::function<base::Status()> admit;  // before a write that consumes space
    std::function<std::unique_ptr<Cells>(sqlite::Database&)> cells;
  };
  explicit SqliteCellHost(Parts parts) : parts_(std::move(parts)) {}
  base::Status Read(const Work& work) override {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
    return work(*parts_.cells(snapshot.database()));
  }
  base::Status Write(const Work& work, Space space) override {
    if (space == Space::kConsumes) RETURN_IF_ERROR(parts_.admit());
    using Writing = sqlite::Writer::Space;
    return parts_.writer.RunAny(
        [&](sqlite::Database& database) { return work(*parts_.cells(database)); },
        space == Space::kFrees ? Writing::kFrees : Writing::kConsumes);
  }

 private:
  const Parts parts_;
};

// Raises a counter of versions, as Cells::RaiseVersion.
inline base::Result<int64_t> RaiseVersion(sqlite::Database& database, const char* counter,
                                          int64_t to) {
  ASSIGN_OR_RETURN(sqlite::Statement raise,
                   database.Prepare("UPDATE counters SET value = max(value + (?2 = 0), ?2) WHERE "
                                    "name = ?1"));
  RETURN_IF_ERROR(raise.Bind(counter).Bind(to).Run());
  ASSIGN_OR_RETURN(sqlite::Statement read,
                   database.Prepare("SELECT value FROM counters WHERE name = ?1"));
  ASSIGN_OR_RETURN(const auto version,
                   read.Bind(counter).ReadFirst([](const auto& row) { return row.Int(0); }));
  if (version) return *version;
  return base::Error{base::Code::kInternal, std::string("the counter ") + counter + " is missing"};
}

}  // namespace memory
