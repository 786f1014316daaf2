// The links of the notes of one import, until all notes are there: a link may lead to a note that
// comes later. Not for how links are written.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "memory/transfer/notes/note_links.h"
#include "memory/transfer/rows/importer.h"

namespace memory {

// What is kept until the end: 24 bytes a name (a note has some three), 48 a link, 8 a note, and the
// kinds of edges.
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

  // The note is the observation that the importer gets next.
  void Begin() { note_ = static_cast<uint32_t>(importer_.observations_given()); }
  // Of the note that was begun last: its path in the vault, of which a link may name the end; the
  // number it has in the store that it is from, which the names of our files begin with.
  void AddPath(const std::string& path);
  void AddNumber(int64_t number);
  // `ours`: of our own section of edges, where a name that is not found is looked up by its number.
  void AddLinks(const FoundLinks& found, bool ours, const base::Json& where);

  // Behind the last note: edges between those that are there. A link that leads nowhere is text.
  base::Status Resolve();

 private:
  using Key = std::array<uint64_t, 2>;  // of a name: of its SHA-256, so that no names collide
  struct Name {
    Key key;
    uint32_t depth, note;  // an index among the import's observations; of two files of a name, the
                           // one that is less deep is meant
    auto operator<=>(const Name&) const = default;
  };
  struct Link {
    Key key;
    int64_t number;  // that the name begins with; 0: none
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
  bool cut_ = false;  // a limit was reached, and said
};

}  // namespace memory
