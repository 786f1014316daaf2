// The catalogue of a conversation's closed blocks: a line per block, from which a model knows which
// blocks it can recall. Calls run inside the caller's transaction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace conversation {

// The number of the next block to begin.
base::Result<int64_t> NextBlock(sqlite::Database& db, const std::string& conversation);

// The lines (CatalogueLine) of closed blocks from number `from` on, the oldest first: the newest
// that fit `max_characters`, including line ends. Reads at most a page more.
base::Result<std::vector<std::string>> Catalogue(sqlite::Database& db,
                                                 const std::string& conversation, int64_t from,
                                                 size_t max_characters);

}  // namespace conversation
