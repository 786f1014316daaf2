// The similarity of rows to a query, from the tables `vectors` and `remote_vectors`.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/sql/database.h"
#include "memory/rows/candidates.h"

namespace memory {

// A vector as the table stores it; a view of `bytes`.
inline std::span<const int8_t> AsVector(std::string_view bytes) {
  return {reinterpret_cast<const int8_t*>(bytes.data()), bytes.size()};
}

// Candidates::AppendNear.
base::Result<bool> ReadNear(sql::Database& database, const VectorQuery& query,
                            const SearchBounds& bounds, std::vector<Similarity>& near);

}  // namespace memory
