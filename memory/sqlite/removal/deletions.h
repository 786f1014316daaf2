// What somebody deleted, softly or for good, so that no import brings it back unasked: of each row
// salted digests of where it lay and of what it said, no text. What retention removed is not among
// it. Everything runs in the caller's transaction.
#pragma once

#include <optional>
#include <string>

#include "lib/api/memory_api.h"
#include "lib/sqlite/database.h"

namespace memory {

inline constexpr int64_t kMostDeletions = 100'000;  // entries of a file; the oldest go

// By what a row is known again.
struct RowMarks {
  std::optional<int64_t> place;  // id, session, project and time; none without id or time
  int64_t text = 0;              // content, type, scope, rule and project
  int64_t created_ms = 0;        // 0: not known, any time fits
};
RowMarks MarksOf(const std::string& salt, const api::Observation& row);
// Of what a write says.
int64_t TextMark(const std::string& salt, const std::string& hash, const std::string& type,
                 const std::string& scope, const std::string& rule, const std::string& project);

// Before somebody hides or erases a row, and before a row that he hid is removed. A row that is
// known already stays as it is.
base::Status NoteDeletion(sqlite::Database& database, const std::string& salt, int64_t slot);
// Somebody deleted this row, and wrote the same not anew since. `hidden`: the slot of the same row,
// when it lies here and shows nowhere.
base::Result<bool> WasDeleted(sqlite::Database& database, const std::string& salt,
                              const RowMarks& row, std::optional<int64_t> hidden);
// It comes back: an import was told to restore it.
base::Status ForgetDeletion(sqlite::Database& database, const RowMarks& row);
// The text is written anew: from now on an import may bring the earlier row too.
base::Status NoteWriting(sqlite::Database& database, int64_t text);

}  // namespace memory
