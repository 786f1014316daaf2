// The table of kinds of rows in our own exports, in their order: exports, imports and reports loop
// over it. A new kind of memory is a row here.
//   json      one object: format, exported_at, an array a kind, aegis
//   jsonl     one object a line, its "kind" first export, then those of rows, at last end with
//             the counts
//   sqlite    a database file as a store keeps it
//   markdown  notes one behind the other, the first of kind export, the last of kind end
//   obsidian  a tar archive with a note a file, folders by type, links to sessions
// An export without `format` is the reference service's, whose duplicate_count starts at 1.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "lib/base/json/json.h"
#include "memory/store/store.h"
#include "memory/transfer/rows/import_report.h"

namespace memory {

inline constexpr const char* kExportFormat = "agent-memory/1";
inline constexpr const char* kAegisSection = "aegis";           // of an export
inline constexpr const char* kSqliteMagic = "SQLite format 3";  // and a NUL

// The places of KindRows(). A kind that no code names follows there without a name here.
enum class RowKind { kSession, kObservation, kItem, kShared, kEpisode, kTrace, kEdge };

// Where an import puts rows.
struct RowTarget {
  Store& store;
  // Ok, or kDenied: the sender may not write what this Agent shares; else no decision now.
  std::function<base::Status(const std::string& owner)> may_share;
};

// Rows of one kind on their way into a store, in batches. One thread.
class RowImport {
 public:
  virtual ~RowImport() = default;
  // Decodes a row, which waits for Flush; the report gets one that cannot be decoded. → how many
  // wait.
  virtual size_t Take(const base::Json& json, const base::Json& where, ImportReport& report) = 0;
  virtual base::Status Flush(const RowTarget& to, ImportReport& report) = 0;
  virtual size_t given() const = 0;      // also refused ones
  virtual int64_t imported() const = 0;  // new ones
};

using OnJson = std::function<base::Status(base::Json row)>;

struct KindRow {
  RowKind kind() const;  // its place
  const char* name;      // in the report: of a refused row, and imported_<name>s
  const char* line;      // the "kind" of a line; the last line counts <line>s (Plural)
  const char* array;     // of an export in one object
  const char* words;     // of imported rows, for people; null: counted otherwise
  // Reads and encodes every row; an error of `on_row` ends the walk.
  base::Status (*walk)(ExportCursor& cursor, const OnJson& on_row);
  std::unique_ptr<RowImport> (*begin_import)(const char* name);  // null: Importer has the batch
};
inline std::string Plural(const std::string& name) { return name == "shared" ? name : name + "s"; }
std::span<const KindRow> KindRows();  // in the order of RowKind

}  // namespace memory
