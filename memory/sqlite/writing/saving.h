// What a write of an observation does inside a transaction, for every call that makes one. Not for
// the transaction itself, nor for answers and keys.
#pragma once

#include <functional>
#include <string>

#include "lib/sqlite/database.h"
#include "memory/model/dedup.h"
#include "memory/model/words.h"
#include "memory/store/writes.h"

namespace memory {

// Made before the transaction, off the writer's thread.
struct Saving {
  Saving(const api::NewObservation& observation, TextFacts facts, const std::string& salt,
         int64_t dedup_window_ms, int64_t now_ms);
  api::NewObservation made;
  Incoming asked;
  TextFacts facts;
  int64_t mark = 0, window_ms = 0, now_ms = 0;
};

base::Result<Saved> SaveInside(sqlite::Database& database, const Saving& saving);

base::Error NoSuchRow(int64_t id);  // kNotFound

// What the indexes know of a row's texts.
using FactsOfRow = std::function<TextFacts(const std::string& title, const std::string& content)>;
// kNotFound: the row is not live; kDenied: its writer may not change it. → the row as it is then.
base::Result<api::Observation> ChangeInside(sqlite::Database& database, int64_t id,
                                            const Patch& patch, const FactsOfRow& facts_of,
                                            int64_t now_ms);
// Deletes softly a row that lies in `slot`, live or not.
base::Status HideInside(sqlite::Database& database, const std::string& salt, int64_t slot,
                        int64_t now_ms);
// Takes that back. False: another row has its topic now.
base::Result<bool> ShowInside(sqlite::Database& database, const std::string& salt, int64_t slot);

}  // namespace memory
