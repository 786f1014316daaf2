// Notes into an import: what is a session, an observation, a trace, and which edges they have.
#pragma once

#include <string>

#include "memory/transfer/notes/note_graph.h"
#include "memory/transfer/notes/notes.h"

namespace memory {

// One import; both outlive it.
class NoteTaker {
 public:
  NoteTaker(const ForeignDefaults& defaults, Importer& importer)
      : defaults_(defaults), importer_(importer), graph_(importer) {}

  // `path`: of a note of a vault, "" of one that is in a file with others. A note of ours has the
  // edges of its section; one of a vault that is not ours those to which its text links.
  base::Status Take(ParsedNote note, const base::Json& where, const std::string& path = "");
  base::Status Finish();  // behind the last note: edges
  // From now on notes are of an export of ours, which is refused where it is odd.
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
