// Removes quotes of hard-deleted rows from what the server and the sidecars made of it: summaries
// and digests of sessions. quotes.h defines a quote. Finds the other texts that quote it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/text/quotes.h"
#include "lib/sql/database.h"
#include "memory/model/words.h"
#include "memory/store/reads.h"

namespace memory {

class ReaderPool;

// What quotes one of the rows, read in short snapshots.
struct Quoting {
  std::vector<int64_t> sessions;  // by their summary
  std::vector<int64_t> digests;   // slots of observations with topics session/…
};
base::Result<Quoting> FindQuoting(ReaderPool& readers, std::span<const int64_t> ids);
// In the transaction that removes the rows: removes their quotes from these, and from summaries and
// digests written since `since_ms`. → the slots of changed digests.
using FactsOfText = std::function<TextFacts(const std::string& title, const std::string& content)>;
base::Result<std::vector<int64_t>> EraseQuotes(sql::Database& writer, std::span<const int64_t> ids,
                                               Quoting quoting, int64_t since_ms,
                                               const FactsOfText& facts_of);

// The texts that quote a row and stay when it is erased: they are somebody's own. With a viewer,
// what it sees; `callers`: also those of single callers. At most kMostPlaces, and those found
// before `deadline_ms` on the monotonic clock.
base::Result<QuotingPlaces> FindPlaces(ReaderPool& readers, int64_t id,
                                       const std::optional<Viewer>& viewer, bool callers,
                                       int64_t deadline_ms);

}  // namespace memory
