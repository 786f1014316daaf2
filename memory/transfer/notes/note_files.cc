// Notes of one file, apart by their marks.
#include "memory/transfer/notes/note_files.h"

#include "lib/base/archive/note_folder.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "memory/transfer/notes/agent_notes.h"
#include "memory/transfer/notes/markdown.h"
#include "memory/transfer/notes/note_graph.h"
#include "memory/transfer/notes/notes.h"
#include "memory/transfer/rows/bodies.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Status;

namespace {

constexpr size_t kMostFieldBytes = 64 << 10;

bool StartsWithMark(std::string_view text) {
  text = WithoutByteOrderMark(text);
  return IsNoteMark(text.substr(0, text.find('\n')));
}

// Collects lines until the next note begins.
class NotesReader {
 public:
  NotesReader(const ForeignDefaults& defaults, Importer& importer)
      : defaults_(defaults), importer_(importer), notes_(defaults, importer) {}

  // `line` with its end.
  Status Take(std::string_view line) {
    ++number_;
    const std::string_view text = line.substr(0, line.find('\n'));
    if (in_fields_) {
      fields_ += line;
      const bool ends = IsNoteMark(text);
      if (!ends && fields_.size() <= kMostFieldBytes) return {};
      in_fields_ = false;
      return ends ? BeginNote() : Append(std::exchange(fields_, std::string()));
    }
    if (!mark_.empty() && IsFieldLine(text)) {
      fields_ = std::exchange(mark_, std::string()) + std::string(line);
      fields_line_ = number_ - 1;
      in_fields_ = true;
      return {};
    }
    RETURN_IF_ERROR(Append(std::exchange(mark_, std::string())));
    const bool code = fences_.Inside(text) || comments_.Inside(text);
    if (code || !IsNoteMark(text)) return Append(line);
    mark_ = line;
    return {};
  }

  Status Finish() {
    RETURN_IF_ERROR(Append(std::exchange(fields_, std::string())));
    RETURN_IF_ERROR(Append(std::exchange(mark_, std::string())));
    RETURN_IF_ERROR(EndNote());
    if (!ours_ || ended_) return notes_.Finish();
    return Error{Code::kInvalid, "the import was cut off behind line " + std::to_string(number_) +
                                     ": the last note must be that with kind: end"};
  }

 private:
  // What stands between two marks begins a note if it is fields: at the start of a file any, behind
  // a text those that a note has. Else it is text between two rules.
  Status BeginNote() {
    std::string fields = std::exchange(fields_, std::string());
    const bool first = !any_;
    const Json front = DecodeNote(fields).front;
    const bool is_note =
        first ? !front.empty()
              : front.contains("kind") || front.contains("title") || front.contains("type");
    if (!is_note) return Append(fields);
    RETURN_IF_ERROR(EndNote());
    first_line_ = fields_line_;
    fences_ = CodeFences();
    comments_ = HtmlComments();
    return Append(fields);
  }
  Status Append(std::string_view line) {
    any_ = any_ || !base::Trim(line).empty();
    if (!ours_ && note_.size() + line.size() > kMaxNoteBytes && !base::Trim(note_).empty()) {
      // A file of a person may be one text of any length: its parts keep their order.
      const size_t next = number_;
      RETURN_IF_ERROR(EndNote());
      first_line_ = next;
    }
    note_ += line;
    if (note_.size() <= kMaxNoteBytes || !ours_) return {};
    return Error{Code::kTooLarge, "line " + std::to_string(first_line_) + ": a note is over " +
                                      std::to_string(kMaxNoteBytes) + " bytes"};
  }
  Status EndNote() {
    const std::string text = std::exchange(note_, std::string());
    if (base::Trim(text).empty()) return {};
    const Json where = {{"line", first_line_}};
    if (ended_) return Wrong("there is something behind the last note");
    if (!StartsWithMark(text)) return TakeSections(text);
    ParsedNote note = DecodeNote(text);
    const std::string kind = base::StringAt(note.front, {"kind"});
    if (kind == "export" && note.front.contains("format")) {
      ours_ = true;
      notes_.TakeStrictly();
      return importer_.SetFormat(note.front["format"]);
    }
    if (kind == "end" && ours_) return End(note.front);
    return notes_.Take(std::move(note), where);
  }
  // What stands before the first fields, or a file without any: somebody's Markdown.
  Status TakeSections(const std::string& text) {
    for (MarkdownSection& section : SectionsOf(DecodeNote(text).body)) {
      const Json where = {{"line", first_line_ + section.line - 1}};
      if (IsIndex(section.content)) {
        importer_.Tell(kIndexIsNoMemory, where, true);
        continue;
      }
      Json row = {{"content", std::move(section.content)}};
      if (!section.title.empty()) row["title"] = base::Ellipsize(section.title, api::kMaxTitle);
      RETURN_IF_ERROR(importer_.TakeForeign(RowOfFields(std::move(row), defaults_), where));
    }
    return {};
  }
  Status End(const Json& front) {
    ended_ = true;
    if (front.value("sessions", Json()) == importer_.given(RowKind::kSession) &&
        front.value("observations", Json()) == importer_.given(RowKind::kObservation))
      return {};
    return Wrong("its counts are not those of the notes before it: some are missing");
  }
  Error Wrong(const char* why) const {
    return Error{Code::kInvalid, "line " + std::to_string(first_line_) + ": " + why};
  }

  const ForeignDefaults& defaults_;
  Importer& importer_;
  NoteTaker notes_;
  std::string note_, mark_;  // a mark waits for the line that tells what it is
  std::string fields_;       // from a mark on, until the next one tells whether they are some
  size_t number_ = 0, first_line_ = 1, fields_line_ = 0;
  bool any_ = false;  // something but blank lines was there
  CodeFences fences_;
  HtmlComments comments_;
  bool in_fields_ = false, ours_ = false, ended_ = false;
};

}  // namespace

std::string FirstNote(int64_t now_ms) {
  return NoteOf(
      {{"kind", "export"}, {"format", kExportFormat}, {"exported_at", base::FormatTime(now_ms)}},
      "");
}

std::string NoteOf(const ExportedRow& row) {
  return NoteOf(FrontOf(row), row.row.content, RelatedOf(row));
}

std::string LastNote(size_t sessions, size_t observations) {
  return NoteOf({{"kind", "end"}, {"sessions", sessions}, {"observations", observations}}, "");
}

bool StartsAsNotes(std::string_view beginning) {
  const size_t end = beginning.find('\n');
  return end != beginning.npos && IsNoteMark(beginning.substr(0, end)) &&
         IsFieldLine(beginning.substr(end + 1, beginning.find('\n', end + 1) - end - 1));
}

Status ReadNotes(http::BodyReader& body, const ForeignDefaults& defaults, Importer& importer) {
  NotesReader reader(defaults, importer);
  RETURN_IF_ERROR(ForEachLine(body, base::kMostNoteBytes,
                              [&](std::string_view line) { return reader.Take(line); }));
  return reader.Finish();
}

}  // namespace memory
