// The store of one tenant in the shared database.
#pragma once

#include <memory>
#include <string>

#include "lib/base/process/workers.h"
#include "lib/postgres/pool.h"
#include "memory/sqlite/ranking/text_indexes.h"
#include "memory/sqlite/store/sql_store.h"

namespace memory {

class PostgresStore final : public SqlStore {
 public:
  struct Shared {  // by all tenants of the process; outlives the stores
    postgres::Pool& pool;
    TextIndexes& texts;
    base::Workers& workers;  // of posted writes
    std::string spools;      // a directory for uploads
    std::string replica;     // the name of the process among others
  };
  // Makes the tenant if it is not there. The schema is made (schema.h).
  static base::Result<std::unique_ptr<PostgresStore>> Open(const std::string& tenant,
                                                           const Shared& shared,
                                                           StoreOptions options);
  ~PostgresStore() override;
  void Close() override;

 private:
  PostgresStore(std::unique_ptr<StoreState> state, std::string replica);
  base::Result<bool> MaySweep() override;
  base::Status NoteChanges() override;
  const std::string replica_;
  bool closed_ = false;
};

}  // namespace memory
