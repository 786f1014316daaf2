// The items of a store's file over its writer and its readers.
#pragma once

#include <functional>

#include "lib/sql/writer.h"
#include "memory/model/fusion.h"
#include "memory/ranking/text_ranking.h"
#include "memory/sqlite/items/item_rows.h"
#include "memory/sqlite/reading/snapshot.h"

namespace memory {

class SqliteItems final : public Items {
 public:
  // All outlive it.
  struct Parts {
    sql::Writer& writer;
    ReaderPool& readers;
    const base::Clock& clock;
    std::function<int64_t()> aged_ms;     // the clock of expiry
    int64_t deadline_ms;                  // of a query
    std::function<base::Status()> admit;  // before a write that consumes space
    const Embedder* embedder = nullptr;   // null: only words find items
  };
  explicit SqliteItems(Parts parts);

  base::Result<FoundItems> Retrieve(const std::string& project, const std::string& query,
                                    size_t limit, std::stop_token stop) override;

  // One short background step: adds vectors to items without one of the embedder. False: none is
  // left. Called by the sweeping thread.
  base::Result<bool> FillVectors();
  ItemAccesses& accesses() { return accesses_; }

 private:
  // All live items of the project, or those of `matches`, the best first.
  base::Result<FoundItems> Latest(sql::Database& database, int64_t project, size_t limit,
                                  int64_t aged_ms);
  base::Result<FoundItems> Load(sql::Database& database, const std::vector<Ranked>& matches,
                                size_t limit);
  // The results of words and of meaning together.
  base::Result<std::vector<Ranked>> FuseNear(sql::Database& database, const TextMatches& matches,
                                             const TextQuery& query, size_t limit);

  const Parts parts_;
  ItemAccesses accesses_;
  int64_t vectors_until_ = 0;  // items up to this slot have vectors; of the sweeping thread
  bool vectors_done_ = false;
};

}  // namespace memory
