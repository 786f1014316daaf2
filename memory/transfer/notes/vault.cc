// Notes as files of a vault: their names, folders and links, and a vault's files as rows.
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include "lib/base/archive/note_folder.h"
#include "lib/base/archive/tar.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/slug.h"
#include "lib/base/text/text.h"
#include "memory/transfer/notes/agent_notes.h"
#include "memory/transfer/notes/markdown.h"
#include "memory/transfer/notes/note_files.h"
#include "memory/transfer/notes/note_graph.h"
#include "memory/transfer/notes/note_links.h"
#include "memory/transfer/notes/notes.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Status;

namespace {

constexpr const char* kSessionFolder = "_sessions";
constexpr size_t kSessionBytes = 60;

// The same for the same id, another for another id.
std::string SessionName(const std::string& id) {
  const std::string slug = base::Slug(id, kSessionBytes);
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

// Whether a program keeps the file for itself.
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

// Fields that the note lacks, from its place and its text.
void FillInFromPath(ParsedNote& note, const std::string& path) {
  auto put = [&](const char* field, const std::string& value) {
    if (!note.front.contains(field) && !base::IsBlank(value)) note.front[field] = value;
  };
  const std::string file = FileName(path);
  put("type", std::string(base::Prefix(FolderOf(path), api::kMaxType)));
  put("title", std::string(base::Prefix(file.substr(0, file.rfind('.')), api::kMaxTitle)));
  if (IsOurNote(note)) return;  // its tags are in the fields
  for (const std::string& tag : TagsInText(note.body)) {
    if (note.front["tags"].size() >= api::kMaxTags) break;
    if (base::Prefix(tag, api::kMaxTag) == tag) AddTag(note.front, tag);
  }
}

// The folders of a vault that have the index of an agent's memory files.
using AgentFolders = std::set<std::string>;

std::string FolderPath(const std::string& path) {
  return path.substr(0, path.size() - FileName(path).size());
}

// An index is no memory; what else people write into the file are sections of it.
Status TakeAgentIndex(const ParsedNote& note, const ForeignDefaults& defaults, const Json& where,
                      Importer& importer) {
  bool any = false;
  for (MarkdownSection& section : SectionsOf(note.body)) {
    if (base::IsBlank(section.content) || IsIndex(section.content)) continue;
    any = true;
    Json row = {{"title", section.title.empty() ? TitleOfText(section.content)
                                                : base::Ellipsize(section.title, api::kMaxTitle)}};
    row["content"] = std::move(section.content);
    RETURN_IF_ERROR(importer.TakeForeign(RowOfFields(std::move(row), defaults), where));
  }
  if (!any) importer.Tell(kIndexIsNoMemory, where, true);
  return {};
}

Status TakeFile(const std::string& path, std::string_view bytes, const ForeignDefaults& defaults,
                AgentFolders& agents, NoteTaker& notes, Importer& importer) {
  const std::string name = base::ToUtf8(path);
  const Json where = {{"file", name}};
  ParsedNote note = DecodeNote(bytes);
  const bool session = IsSessionNote(note);
  if (!session && base::IsBlank(note.body) && note.front.empty()) {
    importer.SkipObservation();  // an empty note is common in a vault
    return {};
  }
  if (FileName(name) == kAgentIndex && note.front.empty()) {
    agents.insert(FolderPath(name));
    return TakeAgentIndex(note, defaults, where, importer);
  }
  const bool agents_note = IsAgentNote(note.front);
  if (agents_note) TakeAgentFields(note.front);
  // The name of such a file is a slug; of any other note it is the title.
  if ((agents_note || agents.contains(FolderPath(name))) && !IsOurNote(note) &&
      !note.front.contains("title") && !base::IsBlank(note.body))
    note.front["title"] = TitleOfText(note.body);
  if (!session) FillInFromPath(note, name);
  return notes.Take(std::move(note), where, name);
}

}  // namespace

std::string VaultEntry(const api::Session& session) {
  const std::string path = std::string(kSessionFolder) + "/" + SessionName(session.id) + ".md";
  const std::string footer =
      session.predecessor.empty() ? "" : "After " + SessionLink(session.predecessor);
  return base::TarFile(path, NoteOf(FrontOf(session), session.summary, footer), session.started_ms);
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
  return base::TarFile(NoteName(row.type, id) + ".md",
                       NoteOf(FrontOf(exported), row.content, footer), row.updated_ms);
}

Status ReadVault(http::BodyReader& body, const ForeignDefaults& defaults, Importer& importer) {
  RETURN_IF_ERROR(importer.SetFormat(kExportFormat));
  NoteTaker notes(defaults, importer);
  AgentFolders agents;
  base::TarHandlers handlers;
  handlers.max_bytes = base::kMostNoteBytes;
  handlers.wants = IsNotePath;
  handlers.on_file = [&](const std::string& path, std::string_view bytes) {
    return TakeFile(path, bytes, defaults, agents, notes, importer);
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
  base::TarReader reader(std::move(handlers));
  for (;;) {
    ASSIGN_OR_RETURN(const std::string piece, body.Read());
    if (piece.empty()) break;
    RETURN_IF_ERROR(reader.Push(piece));
  }
  RETURN_IF_ERROR(reader.Finish());
  return notes.Finish();
}

}  // namespace memory
