// Notes concatenated (format notes) and as files in folders (formats markdown and obsidian),
// written row by row and read as a stream.
#pragma once

#include "lib/http/message/message.h"
#include "memory/transfer/notes/notes.h"
#include "memory/transfer/rows/importer.h"

namespace memory {

// What begins and ends a file of notes, so that one that was cut off is seen.
std::string FirstNote(int64_t now_ms);
std::string LastNote(size_t sessions, size_t observations);

// Notes of a file of ours, or written by hand: each begins with a line --- that a field follows. A
// note that cannot be read is refused alone, with its line. Markdown before the first note, or
// without any, is a row for each section. kInvalid: a file of ours without its
// last note; kTooLarge: a note over kMaxNoteBytes.
base::Status ReadNotes(http::BodyReader& body, const ForeignDefaults& defaults, Importer& importer);

// A session's or observation's file: path and bytes as an entry of a tar archive. Each observation
// links those that its edges lead to by the ids of their traces, each session the one before it.
// `linked`: also its session, and tags stand in the text with a #, as Obsidian has them.
std::string VaultEntry(const api::Session& session);
std::string VaultEntry(const ExportedRow& row, bool linked);

// A row among the notes of a file, with its edges.
std::string NoteOf(const ExportedRow& row);

// The .md files of a vault, ours or anybody's: without the field, a folder is the type and a name
// the title; words with a # are tags, [[links]] to other notes edges. Other files and hidden ones
// are passed over. Errors as ReadTar.
base::Status ReadVault(http::BodyReader& body, const ForeignDefaults& defaults, Importer& importer);

bool StartsAsNotes(std::string_view beginning);

}  // namespace memory
