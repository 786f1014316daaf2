// The log of rows that clients deleted, for imports: the seam between what it means
// (memory/keeping/deletions.h) and an engine. Salted digests of places and texts, no text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/result.h"
#include "memory/model/salted_digests.h"

namespace memory {

using RowId = int64_t;  // opaque; the engine gives it, and never gives it to another row

// Of whom deletions count: nullopt: of all; else those of rows of the whole project, and of traces
// of these owners (OwnerDigest).
using Owners = std::optional<std::vector<int64_t>>;

// An entry. Without a place: the text was written again.
struct Deletion {
  std::optional<int64_t> place;
  int64_t text = 0, created_ms = 0;
  std::optional<int64_t> owner = {};  // of a trace of one user, Agent or conversation
};

// A row of which an entry is made; of `row` only what digests need.
struct DeletedRow {
  api::Observation row;
  std::string owner_scope, owner_id;   // empty: a row of the whole project
  std::string first_type, first_hash;  // of its first text; empty: never changed
  bool retired = false;                // retention hid it, no client
};

// Bound to the transaction of the rows. Errors: kUnavailable, kTimeout, kFull, kInternal.
class Deletions {
 public:
  virtual ~Deletions() = default;
  virtual base::Result<DeletedRow> ReadDeleted(RowId row) = 0;  // hidden or not
  // The texts of the deletions of a place, at most two: of the row, and its first one.
  virtual base::Result<std::vector<int64_t>> TextsAt(int64_t place) = 0;
  // Whether the newest entry of the text is a deletion, not a write. Costs the same however many
  // entries there are.
  virtual base::Result<bool> NewestIsDeletion(int64_t text, const Owners& owners) = 0;
  virtual base::Result<bool> HasDeletion(int64_t text, int64_t created_ms) = 0;
  virtual base::Status Append(const Deletion& entry) = 0;  // the oldest entry may go for it
  // Removes every entry of the row's place, and of the places that owners deleted its text at (with
  // its time, if known).
  virtual base::Status Forget(const DeletionDigests& row, const Owners& owners) = 0;
};

}  // namespace memory
