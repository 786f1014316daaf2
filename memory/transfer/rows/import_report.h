// What an import reports: the outcomes of its rows, and what was refused or changed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "memory/store/transfers.h"

namespace memory {

// Which row of its kind, from 0 on, and where it stands: {"line": 7}, {"file": "a.md"} or null.
struct GivenPlace {
  size_t index;
  base::Json where;
};

class ImportReport {
 public:
  void Refuse(const char* kind, const GivenPlace& place, const base::Error& error);
  // The row was taken after this change ("kept": true).
  void Change(const char* kind, const GivenPlace& place, const std::string& problem);
  // Something that is no row: a part without a text, a link of an archive. `kept`: whether what it
  // stands in was taken.
  void Tell(const std::string& what, const GivenPlace& place, bool kept);
  void Skip() { ++skipped_; }
  void Count(Imported::Outcome outcome, const std::string& origin);
  // "skipped" and "errors", and if any "skipped_deleted", "raised", "not_injected" with a "hint",
  // "errors_left_out". `as_lines`: errors as strings "kind index: error", as AgentOS has them.
  void AddTo(base::Json& report, bool as_lines) const;

 private:
  void List(base::Json error, const base::Json& where);

  int64_t skipped_ = 0, skipped_deleted_ = 0, raised_ = 0, not_injected_ = 0, errors_left_out_ = 0;
  base::Json errors_ = base::Json::array();
};

// Lowers an origin to what the sender may say; a sender who vouches raises class import to user.
void HoldOrigin(std::string& origin, const ImportOptions& options, bool administrator);

// A file can hold what JSON from the wire cannot: kInvalid if a text is no UTF-8 or has a NUL.
base::Status CheckTexts(const base::Json& json);

// The outcome of a row as every kind of the store has it: whether the row was new.
inline base::Result<bool> IsNew(bool outcome) { return outcome; }
inline base::Result<bool> IsNew(const base::Result<bool>& outcome) { return outcome; }
inline base::Result<bool> IsNew(const base::Result<Imported>& outcome) {
  if (!outcome) return outcome.error();
  return outcome->outcome == Imported::kNew;
}
base::Result<bool> IsNew(EdgeTaken outcome);

// The rows of one kind: counted, and waiting for the next commit.
template <class Row>
struct Batch {
  const char* kind;      // in the report
  size_t given = 0;      // so far, also those that were refused
  int64_t imported = 0;  // those that were new
  std::vector<Row> rows = {};
  std::vector<GivenPlace> places = {};  // of `rows`

  void Add(Row row, GivenPlace place) {
    rows.push_back(std::move(row));
    places.push_back(std::move(place));
  }
  // Adds a row, or refuses one that `decode` cannot read. → how many wait.
  template <class Decode>
  size_t Take(const base::Json& json, const base::Json& where, const Decode& decode,
              ImportReport& report) {
    GivenPlace place{given++, where};
    const base::Status clean = CheckTexts(json);
    base::Result<Row> row = clean ? decode(json) : clean.error();
    if (row)
      Add(*std::move(row), std::move(place));
    else
      report.Refuse(kind, place, row.error());
    return rows.size();
  }
  void Count(size_t of_rows, const base::Result<bool>& is_new, ImportReport& report) {
    if (!is_new) return report.Refuse(kind, places[of_rows], is_new.error());
    if (*is_new)
      ++imported;
    else
      report.Skip();
  }
  void Clear() {
    rows.clear();
    places.clear();
  }
  // Commits and counts what waits: `import` returns an outcome for each row.
  template <class Import>
  base::Status Flush(const Import& import, ImportReport& report) {
    if (rows.empty()) return {};
    ASSIGN_OR_RETURN(const auto outcomes, import(rows));
    for (size_t i = 0; i < outcomes.size(); ++i) Count(i, IsNew(outcomes[i]), report);
    Clear();
    return {};
  }
};

}  // namespace memory
