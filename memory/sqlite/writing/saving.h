// Writes of observations inside a transaction, for every call that makes one. Callers handle the
// transaction, answers and keys.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lib/sqlite/database.h"
#include "memory/model/dedup.h"
#include "memory/model/same_fact.h"
#include "memory/model/words.h"
#include "memory/store/writes.h"

namespace memory {

// Prepared before the transaction, off the writer's thread.
struct Saving {
  Saving(const api::NewObservation& observation, TextFacts facts, const std::string& salt,
         int64_t dedup_window_ms, int64_t now_ms);
  api::NewObservation made;
  Incoming asked;
  TextFacts facts;
  int64_t text_digest = 0, window_ms = 0, now_ms = 0;
  std::optional<int64_t> owner = {};  // OwnerDigest of a trace that is not of the whole project
  // Compared with what the session says already (said_before.h); absent: not compared.
  std::optional<SaidFact> said = {};
};

// A new row; topic, hash and time are those of `incoming`.
api::Observation RowOf(const api::NewObservation& made, const Incoming& incoming);
base::Result<Saved> SaveInside(sqlite::Database& database, const Saving& saving);

base::Error NoSuchRow(int64_t id);  // kNotFound

// The texts of a row for the indexes.
using FactsOfRow = std::function<TextFacts(const std::string& title, const std::string& content)>;
// Changes a row. → the new row. kNotFound: the row is not live; kDenied: its writer may not change
// it; kConflict: it has another revision than patch.if_revision.
base::Result<api::Observation> ChangeInside(sqlite::Database& database, int64_t id,
                                            const Patch& patch, const FactsOfRow& facts_of,
                                            int64_t now_ms);
// Soft-deletes the row of `slot`, live or not.
base::Status HideInside(sqlite::Database& database, const std::string& salt, int64_t slot,
                        int64_t now_ms);
// Undoes a soft delete. False: another row has its topic now.
base::Result<bool> ShowInside(sqlite::Database& database, const std::string& salt, int64_t slot);

}  // namespace memory
