// The similarity of rows to a query, for ranges without a resident index, from the tables `vectors`
// and `remote_vectors`. fusion.h weighs it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/range_vectors.h"
#include "memory/sqlite/ranking/rank_query.h"

namespace memory {

// A vector as the table stores it; a view of `bytes`.
inline std::span<const int8_t> AsVector(std::string_view bytes) {
  return {reinterpret_cast<const int8_t*>(bytes.data()), bytes.size()};
}

// Appends the rows of `ranges` with a vector of the meaning's model, in order of slots. → whether
// the deadline, in `left_ms`, passed and cut the result.
base::Result<bool> ReadNear(sqlite::Database& database, const Meaning& meaning,
                            std::vector<int64_t> ranges, int64_t left_ms,
                            const std::stop_token& stop, std::vector<Similarity>& near);

}  // namespace memory
