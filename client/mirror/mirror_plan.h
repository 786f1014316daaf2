// What a sync does with one memory and its file. Pure.
#pragma once

namespace client {

// What became of a pair since the last sync.
struct MirrorPair {
  bool file = false;     // there is a file, and
  bool edited = false;   //   it has other bytes than the last sync left
  bool row = false;      // there is a memory, and
  bool changed = false;  //   it has another revision than the last sync saw
  bool same = false;     // both are there and say the same
};

enum class MirrorStep {
  kNothing,
  kNote,        // both say the same: only what is known of them changes
  kWriteFile,   // the memory's text goes to the file
  kWriteBack,   // the same, where a person removed the file of a memory that changed since
  kChangeRow,   // the file's text goes to the memory
  kCreateRow,   // the file becomes a new memory
  kHideRow,     // the person removed the file
  kRemoveFile,  // the memory is gone
  kConflict,    // both changed: the memory's text goes to the file, the person's beside it
  kForget,      // both are gone
};

// No text is lost by any step: it is in the file, in the memory, or beside the file. What was
// edited of a memory that is gone becomes a new one; a change wins against a removal.
MirrorStep StepFor(const MirrorPair& pair);

}  // namespace client
