// Notes into an import: which are sessions, observations, traces, and which edges they have. Links
// wait until all notes are there: a link may lead to a note that comes later. Not for how links are
// written.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "memory/transfer/notes/note_links.h"
#include "memory/transfer/notes/notes.h"
#include "memory/transfer/rows/importer.h"

namespace memory {

// Limits of what is held until the end: 24 bytes a name (a note has some three), 48 a link, 8 a
// note, and the kinds of edges.
struct GraphLimits {
  size_t names = 2'000'000, links = 1'000'000, kinds = 10'000;
};

class NoteGraph {
 public:
  // `importer` outlives it and keeps numbers from now on.
  explicit NoteGraph(Importer& importer, const GraphLimits& limits = {})
      : importer_(importer), limits_(limits) {
    importer_.KeepNumbers();
  }

  // Begins the note whose observation the importer gets next.
  void Begin() { note_ = static_cast<uint32_t>(importer_.given(RowKind::kObservation)); }
  // Names of the current note: its path in the vault, whose end a link may name, and its number in
  // the exporting store, with which the names of our files begin.
  void AddPath(const std::string& path);
  void AddNumber(int64_t number);
  // `ours`: the links are of our own section of edges; a name that is not found is then looked up
  // by its number.
  void AddLinks(const FoundLinks& found, bool ours, const base::Json& where);

  // After the last note: imports an edge for each link between two notes. Other links are text.
  base::Status Resolve();

 private:
  using Key = std::array<uint64_t, 2>;  // of a name: of its SHA-256, so that no names collide
  struct Name {
    Key key;
    // Of two files with the same name, the shallower path wins. `note`: an index among the import's
    // observations.
    uint32_t depth, note;
    auto operator<=>(const Name&) const = default;
  };
  struct Link {
    Key key;
    int64_t number;  // at the beginning of the name; 0: none
    double weight;
    uint32_t from, kind;
  };
  static Key KeyOf(const std::string& name);
  void AddName(const std::string& name, uint32_t depth);
  // False: a limit is reached.
  bool AddLink(const NoteLink& link, bool ours);
  int64_t Find(const Key& key) const;  // the number here; 0: none

  Importer& importer_;
  const GraphLimits limits_;
  uint32_t note_ = 0;
  std::vector<Name> names_;
  std::vector<Link> links_;
  std::map<std::string, uint32_t> kinds_;
  bool cut_ = false;  // a limit was reached and reported
};

// The notes of one import; `defaults` and `importer` outlive it.
class NoteTaker {
 public:
  NoteTaker(const ForeignDefaults& defaults, Importer& importer)
      : defaults_(defaults), importer_(importer), graph_(importer) {}

  // `path`: in a vault; "" for a note in a file with others. A note of ours has the edges of its
  // section, a foreign note of a vault those to which its text links.
  base::Status Take(ParsedNote note, const base::Json& where, const std::string& path = "");
  base::Status Finish();  // after the last note: edges
  // From now on notes are of an export of ours: odd ones are refused.
  void TakeStrictly() { strict_ = true; }

 private:
  const ForeignDefaults& defaults_;
  Importer& importer_;
  NoteGraph graph_;
  bool strict_ = false;
};

// Whether an export of this server wrote it.
bool IsOurNote(const ParsedNote& note);

}  // namespace memory
