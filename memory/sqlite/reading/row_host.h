// Opens the rows of one kind over a store's writer and readers.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "lib/sql/writer.h"
#include "memory/rows/host.h"
#include "memory/sqlite/reading/snapshot.h"

namespace memory {

template <class Rows>
class SqliteRowHost final : public RowHost<Rows> {
 public:
  using typename RowHost<Rows>::Work;
  using typename RowHost<Rows>::Space;
  // All outlive it.
  struct Parts {
    sql::Writer& writer;
    ReaderPool& readers;
    std::function<base::Status()> admit;
    std::function<std::unique_ptr<Rows>(sql::Database&)> rows;
  };
  explicit SqliteRowHost(Parts parts) : parts_(std::move(parts)) {}
  base::Status Admit() override { return parts_.admit(); }
  base::Status Read(const Work& work) override {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
    return work(*parts_.rows(snapshot.database()));
  }
  base::Status ReadUnhurried(const Work& work) override {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(parts_.readers));
    return work(*parts_.rows(snapshot.database()));
  }
  base::Status Write(const Work& work, Space space) override {
    using Writing = sql::Writer::Space;
    return parts_.writer.RunAny(
        [&](sql::Database& database) { return work(*parts_.rows(database)); },
        space == Space::kFrees ? Writing::kFrees : Writing::kConsumes);
  }

 private:
  const Parts parts_;
};

}  // namespace memory
