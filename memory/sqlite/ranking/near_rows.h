// Which rows mean what a question means, for ranges without a resident index: read from the tables
// `vectors` and `remote_vectors`. What it is worth is fusion.h.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/range_vectors.h"
#include "memory/sqlite/ranking/rank_query.h"

namespace memory {

// As the table keeps a vector; it lives as long as `bytes`.
inline std::span<const int8_t> AsVector(std::string_view bytes) {
  return {reinterpret_cast<const int8_t*>(bytes.data()), bytes.size()};
}

// Appends the rows of `ranges` that have a vector of the meaning's model, in order of slots. True:
// the deadline, which is in `left_ms`, came first, and some are not there.
base::Result<bool> ReadNear(sqlite::Database& database, const Meaning& meaning,
                            std::vector<int64_t> ranges, int64_t left_ms,
                            const std::stop_token& stop, std::vector<Similarity>& near);

}  // namespace memory
