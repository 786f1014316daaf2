// Notes as files of a vault: their names, folders and links, and a vault's files as rows.
#include <algorithm>
#include <cctype>

#include "lib/base/archive/note_folder.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "memory/transfer/notes/note_files.h"
#include "memory/transfer/notes/note_links.h"
#include "memory/transfer/notes/note_taking.h"
#include "memory/transfer/notes/note_trace.h"
#include "memory/transfer/notes/tar_archive.h"
#include "memory/transfer/rows/format.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr const char* kSessionFolder = "_sessions";
constexpr size_t kSessionBytes = 60;

// The same for the same id, another for another id.
std::string SessionName(const std::string& id) {
  const std::string slug = Slug(id, kSessionBytes);
  return slug == id ? slug : slug + (slug.empty() ? "" : "-") + base::Sha256Hex(id).substr(0, 12);
}

std::string SessionLink(const std::string& id) {
  return "[[" + std::string(kSessionFolder) + "/" + SessionName(id) + "]]";
}

// A tag as Obsidian takes it; the fields have the tag itself.
std::string ObsidianTag(std::string tag) {
  for (char& c : tag) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && !std::isalnum(byte) && c != '_' && c != '-' && c != '/') c = '-';
  }
  return "#" + tag;
}

// The innermost folder that is a kind of memory, else the innermost; "": none.
std::string FolderOf(const std::string& path) {
  std::vector<std::string> folders = base::Split(path, '/');
  folders.pop_back();
  std::reverse(folders.begin(), folders.end());
  const auto kind = std::find_if(folders.begin(), folders.end(),
                                 [](const std::string& folder) { return IsTraceKind(folder); });
  if (kind != folders.end()) return *kind;
  return folders.empty() || folders.front() == "." ? "" : folders.front();
}

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Of a program's own.
bool IsHidden(const std::string& path) {
  if (path.find("__MACOSX") != path.npos) return true;
  const std::vector<std::string> parts = base::Split(path, '/');
  return std::ranges::any_of(parts, [](const std::string& part) {
    return part.starts_with('.') && part != "." && part != "..";
  });
}

bool IsNotePath(const std::string& path) { return base::IsNoteFile(path) && !IsHidden(path); }

// Files that may hold what a person wrote.
bool IsTextPath(const std::string& path) {
  constexpr std::string_view kTexts[] = {".txt", ".text", ".canvas", ".org",  ".rst", ".adoc",
                                         ".csv", ".json", ".jsonl",  ".html", ".base"};
  const size_t dot = path.rfind('.');
  return dot != path.npos && base::IsOneOf(base::FoldCase(path.substr(dot)), kTexts);
}

// What the place of a note says where its fields do not.
void FillInFromPath(ParsedNote& note, const std::string& path) {
  auto put = [&](const char* field, const std::string& value) {
    if (!note.front.contains(field) && !base::IsBlank(value)) note.front[field] = value;
  };
  const std::string file = FileName(path);
  put("type", std::string(base::Prefix(FolderOf(path), api::kMaxType)));
  put("title", std::string(base::Prefix(file.substr(0, file.rfind('.')), api::kMaxTitle)));
  if (IsOurNote(note)) return;  // its tags are in the fields
  Json& tags = note.front["tags"];
  if (tags.is_string()) tags = base::Split(tags.get<std::string>(), ',');
  if (tags.is_null()) tags = Json::array();
  if (!tags.is_array()) return;
  for (std::string& tag : TagsInText(note.body)) {
    if (tags.size() >= api::kMaxTags) break;
    if (base::Prefix(tag, api::kMaxTag) != tag) continue;
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(std::move(tag));
  }
}

Status TakeFile(const std::string& path, std::string_view bytes, NoteTaker& notes,
                Importer& importer) {
  const Json where = {{"file", base::ToUtf8(path)}};
  Result<ParsedNote> note = DecodeNote(bytes);
  if (!note) {
    importer.RefuseObservation(note.error(), where);
    return {};
  }
  if (!IsSessionNote(*note) && base::IsBlank(note->body) && note->front.empty()) {
    importer.SkipObservation();  // an empty note is common in a vault
    return {};
  }
  const std::string name = base::ToUtf8(path);
  if (!IsSessionNote(*note)) FillInFromPath(*note, name);
  return notes.Take(std::move(*note), where, name);
}

}  // namespace

std::string VaultEntry(const api::Session& session) {
  const std::string path = std::string(kSessionFolder) + "/" + SessionName(session.id) + ".md";
  const std::string footer =
      session.predecessor.empty() ? "" : "After " + SessionLink(session.predecessor);
  return TarFile(path, NoteOf(FrontOf(session), session.summary, footer), session.started_ms);
}

std::string VaultEntry(const ExportedRow& exported, bool linked) {
  const api::Observation& row = exported.row;
  std::string footer;
  if (linked) {
    for (const std::string& tag : row.tags) footer += ObsidianTag(tag) + " ";
    footer += (footer.empty() ? "" : "\n\n") + ("Session " + SessionLink(row.session_id));
  }
  if (const std::string related = RelatedOf(exported); !related.empty())
    footer += (footer.empty() ? "" : "\n\n") + related;
  const std::string id = exported.trace ? exported.trace->id : NumberedTraceId(row.id);
  return TarFile(NoteName(row.type, id) + ".md", NoteOf(FrontOf(exported), row.content, footer),
                 row.updated_ms);
}

Status ReadVault(http::BodyReader& body, const ForeignDefaults& defaults, Importer& importer) {
  RETURN_IF_ERROR(importer.SetFormat(kExportFormat));
  NoteTaker notes(defaults, importer);
  TarHandlers handlers;
  handlers.max_bytes = base::kMostNoteBytes;
  handlers.wants = IsNotePath;
  handlers.on_file = [&](const std::string& path, std::string_view bytes) {
    return TakeFile(path, bytes, notes, importer);
  };
  handlers.on_too_large = [&](const std::string& path) {
    importer.RefuseObservation(
        {Code::kTooLarge, "the note is over " + std::to_string(base::kMostNoteBytes) + " bytes"},
        {{"file", base::ToUtf8(path)}});
  };
  handlers.on_passed = [&](const std::string& path, bool file) {
    if (IsHidden(path) || (file && !IsTextPath(path))) return;  // a picture is no text
    importer.SkipObservation();
    importer.Tell(file ? "it is no Markdown: nothing of it was imported"
                       : "it is a link or a device, not a file: nothing of it was imported",
                  {{"file", base::ToUtf8(path)}}, false);
  };
  RETURN_IF_ERROR(ReadTar(body, handlers));
  return notes.Finish();
}

}  // namespace memory
