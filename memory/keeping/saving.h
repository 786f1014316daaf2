// What a write of an observation does, for every engine: it creates a row, updates one, or counts a
// duplicate. In the caller's transaction.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "memory/model/dedup.h"
#include "memory/model/same_fact.h"
#include "memory/model/words.h"
#include "memory/rows/observations.h"
#include "memory/rows/writes.h"

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
  // Compared with what the session says already (retelling.h); absent: not compared.
  std::optional<SaidFact> said = {};
};

// A new row; topic, hash and time are those of `incoming`.
api::Observation RowOf(const api::NewObservation& made, const Incoming& incoming);

// kConflict: the session is of another project. kDenied: an agent writes the topic of a user's row.
base::Result<Saved> SaveObservation(Observations& rows, const Saving& saving);

base::Error NoSuchRow(int64_t id);  // kNotFound

// The texts of a row for the indexes.
using FactsOfRow = std::function<TextFacts(const std::string& title, const std::string& content)>;
// → the new row. kNotFound: the row is not live; kDenied: its writer may not change it; kConflict:
// it has another revision than patch.if_revision.
base::Result<api::Observation> ChangeObservation(Observations& rows, int64_t id, const Patch& patch,
                                                 const FactsOfRow& facts_of, int64_t now_ms);

}  // namespace memory
