// Notes as files of a vault: their names, folders and links, and a vault's files as rows.
#include <algorithm>
#include <cctype>

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "memory/transfer/notes/note_files.h"
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
constexpr size_t kNameBytes = 38, kSessionBytes = 60;

// Lower-case ASCII letters, digits and single dashes: safe as a name on any file system.
std::string Slug(std::string_view text, size_t bytes) {
  std::string slug;
  for (const char c : text) {
    if (slug.size() >= bytes) break;
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte))
      slug += static_cast<char>(std::tolower(byte));
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

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

std::string FolderOf(const std::string& path) {
  const size_t end = path.rfind('/');
  if (end == path.npos) return "";
  const std::string folder = path.substr(0, end);
  return folder.substr(folder.rfind('/') + 1);
}

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool IsNotePath(const std::string& path) {
  if (!path.ends_with(".md") || path.find("__MACOSX") != path.npos) return false;
  for (const std::string& part : base::Split(path, '/')) {
    if (part.starts_with('.') && part != "." && part != "..") return false;  // of a program's own
  }
  return true;
}

// What the place of a note says where its fields do not.
void FillInFromPath(ParsedNote& note, const std::string& path) {
  auto put = [&](const char* field, const std::string& value) {
    if (!note.front.contains(field) && !base::IsBlank(value)) note.front[field] = value;
  };
  const std::string file = FileName(path);
  if (const std::string folder = FolderOf(path); folder != ".")
    put("type", std::string(base::Prefix(folder, api::kMaxType)));
  put("title", std::string(base::Prefix(file.substr(0, file.size() - 3), api::kMaxTitle)));
  if (note.front.contains("kind")) return;  // ours: its tags are in the fields
  Json& tags = note.front["tags"];
  if (tags.is_string()) tags = base::Split(tags.get<std::string>(), ',');
  if (tags.is_null()) tags = Json::array();
  if (!tags.is_array()) return;
  for (std::string& tag : TagsInText(note.body)) {
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(std::move(tag));
  }
}

Status TakeFile(const std::string& path, std::string_view bytes, const ForeignDefaults& defaults,
                Importer& importer) {
  const Json where = {{"file", base::ToUtf8(path)}};
  Result<ParsedNote> note = DecodeNote(bytes);
  if (!note || !base::IsUtf8(path)) {
    importer.RefuseObservation(note ? Error{Code::kInvalid, "its name is not UTF-8"} : note.error(),
                               where);
    return {};
  }
  if (IsSessionNote(*note)) return importer.TakeSession(SessionOfNote(std::move(*note)), where);
  if (base::IsBlank(note->body)) {
    importer.SkipObservation();  // an empty note is common in a vault
    return {};
  }
  FillInFromPath(*note, path);
  return importer.TakeObservation(RowOfNote(std::move(*note), defaults), where);
}

}  // namespace

std::string VaultEntry(const api::Session& session) {
  const std::string path = std::string(kSessionFolder) + "/" + SessionName(session.id) + ".md";
  const std::string footer =
      session.predecessor.empty() ? "" : "After " + SessionLink(session.predecessor);
  return TarFile(path, NoteOf(FrontOf(session), session.summary, footer), session.started_ms);
}

std::string VaultEntry(const api::Observation& row) {
  const std::string type = Slug(row.type, kNameBytes), title = Slug(row.title, kNameBytes);
  const std::string path = (type.empty() ? "other" : type) + "/" + std::to_string(row.id) +
                           (title.empty() ? "" : "-" + title) + ".md";
  std::string footer;
  for (const std::string& tag : row.tags) footer += ObsidianTag(tag) + " ";
  footer += (footer.empty() ? "" : "\n\n") + ("Session " + SessionLink(row.session_id));
  return TarFile(path, NoteOf(FrontOf(row), row.content, footer), row.updated_ms);
}

Status ReadVault(http::BodyReader& body, const ForeignDefaults& defaults, Importer& importer) {
  RETURN_IF_ERROR(importer.SetFormat(kExportFormat));
  TarHandlers handlers;
  handlers.max_bytes = kMaxNoteBytes;
  handlers.wants = IsNotePath;
  handlers.on_file = [&](const std::string& path, std::string_view bytes) {
    return TakeFile(path, bytes, defaults, importer);
  };
  handlers.on_too_large = [&](const std::string& path) {
    importer.RefuseObservation(
        {Code::kTooLarge, "the note is over " + std::to_string(kMaxNoteBytes) + " bytes"},
        {{"file", base::ToUtf8(path)}});
  };
  return ReadTar(body, handlers);
}

}  // namespace memory
