// The vectors of items: the table `item_vectors`. An item has one, of the model that made it, or
// none yet. Everything runs in the caller's transaction.
#pragma once

#include <stop_token>
#include <vector>

#include "lib/sql/database.h"
#include "memory/model/range_vectors.h"
#include "memory/store/embedder.h"

namespace memory {

// Adds the vector of a new item; `text` is the text of its value. `embedder` null: none.
base::Status PutItemVector(sql::Database& database, int64_t slot, const std::string& text,
                           const Embedder* embedder);
base::Status RemoveItemVector(sql::Database& database, int64_t slot);

// Items after slot `after` without a vector of the model; scans some thousand rows.
struct VectorlessItems {
  std::vector<int64_t> slots;
  int64_t last = 0;  // slot that was scanned
  bool end = false;  // no rows after it
};
base::Result<VectorlessItems> FindVectorlessItems(sql::Database& database, int64_t model,
                                                  int64_t after);

// The similarity of each item of a project that is not expired at `now_ms` to a query, in order of
// slots. Empty: too many items, or the deadline passed.
struct ItemMeaning {
  std::vector<int8_t> question;
  int64_t model = 0;
  int64_t project = 0, now_ms = 0;
  int64_t deadline_ms = 250;
  std::stop_token stop;
};
base::Result<std::vector<Similarity>> NearItems(sql::Database& database, const ItemMeaning& asked);

}  // namespace memory
