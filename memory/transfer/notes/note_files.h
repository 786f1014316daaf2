// Notes concatenated (format notes) and as files in folders (formats markdown and obsidian),
// written row by row and read as a stream.
#pragma once

#include "lib/http/message/message.h"
#include "memory/transfer/notes/notes.h"
#include "memory/transfer/rows/importer.h"

namespace memory {

// The first and last note of a file; a file without its last note was cut off.
std::string FirstNote(int64_t now_ms);
std::string LastNote(size_t sessions, size_t observations);

// Notes of a file of ours, or written by hand: each begins with a line --- that a field follows. A
// note that cannot be read is refused alone, with its line. Markdown before the first note, or
// without any, is a row for each section. kInvalid: a file of ours without its
// last note; kTooLarge: a note over kMaxNoteBytes.
base::Status ReadNotes(http::BodyReader& body, const ForeignDefaults& defaults, Importer& importer);

// The file of a session or observation as an entry of a tar archive. An observation links the ends
// of its edges by the ids of their traces, a session the one before it. `linked`: an observation
// also links its session, and has its tags with a # in the text, as Obsidian does.
std::string VaultEntry(const api::Session& session);
std::string VaultEntry(const ExportedRow& row, bool linked);

// A row among the notes of a file, with its edges.
std::string NoteOf(const ExportedRow& row);

// The .md files of a vault, ours or a person's. A note without these fields gets its folder as type
// and its name as title; words with a # are tags, [[links]] to other notes edges. Passes over other
// files and hidden ones. Errors as TarReader.
base::Status ReadVault(http::BodyReader& body, const ForeignDefaults& defaults, Importer& importer);

bool StartsAsNotes(std::string_view beginning);

}  // namespace memory
