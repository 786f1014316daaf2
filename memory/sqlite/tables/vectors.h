// The vectors of rows: the table `vectors`. A row has one vector or none yet; triggers delete it
// when the text changes. Everything runs in the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/sql/database.h"
#include "memory/model/words.h"

namespace memory {

// Stores the vector in `facts`, if any, of a row that was just written.
base::Status PutVector(sql::Database& database, int64_t slot, const TextFacts& facts);

// A row, live or not, without a vector of a model.
struct Vectorless {
  int64_t slot = 0, revision_count = 0;
  std::string title, content;
};
struct VectorlessPage {
  std::vector<Vectorless> rows;
  int64_t last = 0;  // the slot that was looked at last
  bool end = false;  // there are no rows behind it
};
// Scans some thousand rows after slot `after`; reads texts up to a total size.
base::Result<VectorlessPage> FindVectorless(sql::Database& database, int64_t model, int64_t after);
// Stores a vector, unless the row changed or was removed since the scan.
base::Status FillVector(sql::Database& database, const Vectorless& row, const TextFacts& facts);

// The table `remote_vectors`: vectors of the remote model.
struct RemoteGaps {
  std::vector<int64_t> slots;  // live, without a vector of the model
  int64_t last = 0;            // the slot that was looked at last
  bool end = false;            // there are no rows behind it
};
base::Result<RemoteGaps> FindRemoteGaps(sql::Database& database, int64_t model, int64_t after);
// A gap with its text; nullopt: the slot is no gap any more.
base::Result<std::optional<Vectorless>> ReadRemoteGap(sql::Database& database, int64_t model,
                                                      int64_t slot);
// Like FillVector; an empty vector means that the model refused the text. False: the row changed or
// was removed.
base::Result<bool> FillRemoteVector(sql::Database& database, const Vectorless& row, int64_t model,
                                    const std::vector<int8_t>& vector);

}  // namespace memory
