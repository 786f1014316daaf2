// The vectors of rows: the table `vectors`. A row has one, of the model that made it, or none yet;
// the schema takes it away with its text. Everything runs in the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/words.h"

namespace memory {

// Of a row that was just written. Without a vector in `facts` the row gets none.
base::Status PutVector(sqlite::Database& database, int64_t slot, const TextFacts& facts);

// A row, live or not, that has no vector of a model.
struct Vectorless {
  int64_t slot = 0, revision_count = 0;
  std::string title, content;
};
struct VectorlessPage {
  std::vector<Vectorless> rows;
  int64_t last = 0;  // the slot that was looked at last
  bool end = false;  // there are no rows behind it
};
// Of the rows behind slot `after`: some thousand are looked at, texts of a bounded size are read.
base::Result<VectorlessPage> FindVectorless(sqlite::Database& database, int64_t model,
                                            int64_t after);
// Unless the row was written meanwhile, or is gone.
base::Status FillVector(sqlite::Database& database, const Vectorless& row, const TextFacts& facts);

// The table `remote_vectors`, beside the above: of a model that is asked over the network.
struct RemoteGaps {
  std::vector<int64_t> slots;  // live, without a vector of the model
  int64_t last = 0;            // the slot that was looked at last
  bool end = false;            // there are no rows behind it
};
base::Result<RemoteGaps> FindRemoteGaps(sqlite::Database& database, int64_t model, int64_t after);
// With its text; nullopt: the slot is no such gap any more.
base::Result<std::optional<Vectorless>> ReadRemoteGap(sqlite::Database& database, int64_t model,
                                                      int64_t slot);
// As FillVector; an empty vector says that the model has none for this text. False: the row was
// written meanwhile, or is gone.
base::Result<bool> FillRemoteVector(sqlite::Database& database, const Vectorless& row,
                                    int64_t model, const std::vector<int8_t>& vector);

}  // namespace memory
