// Reads both sides whole, pairs them, then takes the step of each pair (mirror_plan.h).
#include "client/mirror/mirror_sync.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "client/memory/persons_memory.h"
#include "client/mirror/mirror_file.h"
#include "client/mirror/mirror_plan.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

constexpr const char* kPage = "1000";
constexpr size_t kFewFiles = 10;  // so many may vanish at once
constexpr int64_t kPageMs = 60'000;

using Rows = std::map<int64_t, Json>;  // by id

// Logs, and what an import keeps as it came, are no memories.
bool IsMirrored(const Json& row) {
  const std::string type = base::StringAt(row, {"type"});
  return type != "audit" && type != "security" && type != "agentos";
}

Result<Rows> ReadRows(const MemoryCalls& memory, const std::string& project) {
  Rows rows;
  std::string cursor;
  do {
    http::ClientRequest request;
    request.timeout_ms = kPageMs;
    request.target = Target("/observations/recent",
                            {{"project", project}, {"limit", kPage}, {"cursor", cursor}});
    ASSIGN_OR_RETURN(const auto answer, memory.Raw(std::move(request)));
    ASSIGN_OR_RETURN(const Json page, base::ParseJson(answer.body));
    if (!page.is_array()) return Error{Code::kInternal, "the list of memories is no list"};
    for (const Json& row : page)
      if (row.is_object() && IsMirrored(row)) rows[WholeNumberAt(row, "id")] = row;
    if (rows.size() > kMostMirrored)
      return Error{Code::kTooLarge, "project " + project + " has more than " +
                                        std::to_string(kMostMirrored) +
                                        " memories: a mirror has at most so many"};
    cursor = page.empty() ? "" : answer.headers.Get("X-Next-Cursor").value_or("");
  } while (!cursor.empty());
  return rows;
}

std::string Digest(const std::string& text) { return base::Sha256Hex(text); }

// The file of `row` after the change that `file` asks for.
std::string EditedFile(Json row, const MirrorText& file) {
  row.update(ChangeByFile(file, row));
  return MirrorFileOf(row, file.id);
}

class Sync {
 public:
  Sync(const MemoryCalls& memory, const MirrorFolder& folder, const MirrorOptions& options,
       MirrorState& state)
      : memory_(memory), folder_(folder), options_(options), state_(state) {}

  Result<MirrorReport> Run() {
    ASSIGN_OR_RETURN(rows_, ReadRows(memory_, options_.project));
    ASSIGN_OR_RETURN(files_, folder_.Read());
    if (state_.files.empty() && !files_.texts.empty() && !options_.take_in) {
      return Error{Code::kInvalid,
                   "the folder has " + std::to_string(files_.texts.size()) +
                       " Markdown files already, and each would become a memory: name an empty "
                       "folder, or say so with --take-in"};
    }
    RETURN_IF_ERROR(RefuseManyRemovals());
    Recover();
    for (const auto& [name, why] : files_.odd) Problem(name + ": " + why + "; it is left alone");
    const auto known = state_.files;
    for (const auto& [name, entry] : known) {
      if (!files_.odd.contains(name)) RETURN_IF_ERROR(Known(name, entry));
    }
    AdoptEqual();
    for (const auto& [name, text] : files_.texts)
      if (!state_.files.contains(name) && !known.contains(name))
        RETURN_IF_ERROR(Create(name, text));
    for (const auto& [id, row] : rows_)
      if (!paired_.contains(id)) WriteNew(row);
    return std::move(report_);
  }

 private:
  void Problem(std::string line) { report_.problems.push_back(std::move(line)); }

  // Errors of the memory server that concern one memory are problems; others end the sync.
  Status Told(const std::string& name, const Error& error) {
    if (error.code == Code::kUnavailable || error.code == Code::kTimeout) return error;
    Problem(name + ": " + error.message);
    return {};
  }

  // A folder that is not mounted, or another branch of a repository, must not hide everything.
  Status RefuseManyRemovals() {
    const auto gone = static_cast<size_t>(
        std::count_if(state_.files.begin(), state_.files.end(), [&](const auto& one) {
          return !files_.texts.contains(one.first) && !files_.odd.contains(one.first) &&
                 rows_.contains(one.second.id);
        }));
    if (gone <= kFewFiles || gone * 2 <= state_.files.size() || options_.hide_many) return {};
    return Error{Code::kInvalid, std::to_string(gone) + " of " +
                                     std::to_string(state_.files.size()) +
                                     " files are gone; nothing was changed: bring them back, or "
                                     "hide their memories with --hide-many"};
  }

  // What Change gives to edited files before it changes their memories.
  std::vector<std::string> TitledFiles() const {
    std::vector<std::string> titled;
    for (const auto& [name, entry] : state_.files) {
      const auto text = files_.texts.find(name);
      const auto row = rows_.find(entry.id);
      if (text == files_.texts.end() || row == rows_.end()) continue;
      const auto file = ReadMirrorFile(text->second);
      if (file && !SaysTheSame(*file, row->second))
        titled.push_back(EditedFile(row->second, *file));
    }
    return titled;
  }

  void Recover() {
    std::set<std::string> digests;
    for (const auto& [name, entry] : state_.files) digests.insert(entry.digest);
    for (const auto& [name, text] : files_.texts) digests.insert(Digest(text));
    const std::vector<std::string> titled = TitledFiles();
    folder_.Recover([&](const std::string& text) {
      if (digests.contains(Digest(text))) return true;
      if (std::ranges::any_of(titled, [&](const auto& whole) { return whole.starts_with(text); }))
        return true;
      const auto file = ReadMirrorFile(text);
      // The beginning of a file that a sync was writing, what a memory says, or an edit whose file
      // has its new title already.
      return file && std::ranges::any_of(rows_, [&](const auto& row) {
               return MirrorFileOf(row.second, file->id).starts_with(text) ||
                      SaysTheSame(*file, row.second) ||
                      digests.contains(Digest(EditedFile(row.second, *file)));
             });
    });
  }

  // The row of a known file; also one that the list lacks because it changed meanwhile.
  Result<std::optional<Json>> RowOf(int64_t id) {
    if (const auto found = rows_.find(id); found != rows_.end())
      return std::optional(found->second);
    auto row = memory_.Get("/observations/" + std::to_string(id));
    if (row) return std::optional(*std::move(row));
    if (row.error().code == Code::kNotFound) return std::optional<Json>();
    return row.error();
  }

  Status Known(const std::string& name, const MirrorState::Entry& entry) {
    ASSIGN_OR_RETURN(const auto row, RowOf(entry.id));
    const auto text = files_.texts.find(name);
    MirrorPair pair;
    pair.file = text != files_.texts.end();
    pair.row = row.has_value();
    pair.edited = pair.file && Digest(text->second) != entry.digest;
    pair.changed = pair.row && WholeNumberAt(*row, "revision_count") != entry.revision;
    if (pair.row) paired_.insert(entry.id);
    std::optional<MirrorText> file;
    if (pair.file && (pair.edited || pair.changed)) {
      auto read = ReadMirrorFile(text->second);
      if (!read && pair.edited) {
        Problem(name + ": " + read.error().message + "; the file and its memory stay as they are");
        return {};
      }
      file = std::move(read).value_or(MirrorText());
      pair.same = pair.row && SaysTheSame(*file, *row);
    }
    switch (StepFor(pair)) {
      case MirrorStep::kNothing:
        return {};
      case MirrorStep::kNote:
        Note(name, *row, text->second);
        return {};
      case MirrorStep::kWriteFile:
        Write(name, *row, text->second, file->id);
        return {};
      case MirrorStep::kWriteBack:
        Write(name, *row, std::nullopt, "");
        Problem(name + ": its memory " + std::to_string(entry.id) +
                " was changed after you removed the file: it is there again");
        return {};
      case MirrorStep::kChangeRow:
        return Change(name, *row, *file, text->second);
      case MirrorStep::kConflict:
        Conflict(name, *row, text->second);
        return {};
      case MirrorStep::kHideRow:
        return Hide(name, entry.id);
      case MirrorStep::kCreateRow:
        state_.files.erase(name);
        return Create(name, text->second);
      case MirrorStep::kRemoveFile:
        if (const auto removed = folder_.Remove(name, text->second); !removed) {
          Problem(removed.error().message);
          return {};
        }
        ++report_.removed;
        state_.files.erase(name);
        return {};
      case MirrorStep::kForget:
        state_.files.erase(name);
        return {};
    }
    return {};
  }

  void Note(const std::string& name, const Json& row, const std::string& text) {
    state_.files[name] = {WholeNumberAt(row, "id"), WholeNumberAt(row, "revision_count"),
                          Digest(text)};
    paired_.insert(WholeNumberAt(row, "id"));
  }

  // Where writing fails the state stays, and the next sync tries again.
  bool Write(const std::string& name, const Json& row, const std::optional<std::string>& expected,
             const std::string& id) {
    const std::string text = MirrorFileOf(row, id);
    if (expected != text) {
      if (const auto put = folder_.Put(name, text, expected); !put) {
        Problem(put.error().message);
        return false;
      }
      ++report_.written;
    }
    Note(name, row, text);
    return true;
  }

  // Gives the file the front matter of its memory, which says what the file says: not counted.
  void Renew(const std::string& name, const Json& row, const std::string& text,
             const std::string& id) {
    const int64_t written = report_.written;
    Write(name, row, text, id);
    report_.written = written;
  }

  Status Change(const std::string& name, const Json& row, const MirrorText& file,
                std::string text) {
    const int64_t id = WholeNumberAt(row, "id");
    const Json change = ChangeByFile(file, row);
    if (!file.title.empty() && base::StringAt(change, {"title"}, file.title) != file.title) {
      // The file gets the title that was made anew first: after a kill it says what its memory
      // says.
      std::string titled = EditedFile(row, file);
      if (const auto put = folder_.Put(name, titled, text); !put) {
        Problem(put.error().message);
        return {};
      }
      text = std::move(titled);
    }
    http::ClientRequest request;
    request.method = "PATCH";
    request.target = "/observations/" + std::to_string(id);
    request.headers.Set("Content-Type", "application/json");
    request.headers.Set("If-Match",
                        "\"" + std::to_string(WholeNumberAt(row, "revision_count")) + "\"");
    request.body = base::DumpJson(change);
    const auto answer = memory_.Raw(std::move(request));
    // 412: changed since the list was read; the next sync sees a conflict.
    if (!answer) return Told(name, answer.error());
    ASSIGN_OR_RETURN(const Json changed, base::ParseJson(answer->body));
    ++report_.changed;
    Note(name, changed, text);
    Renew(name, changed, text, file.id);
    return {};
  }

  void Conflict(const std::string& name, const Json& row, const std::string& text) {
    const auto beside = folder_.PutBeside(name, text);
    if (!beside) return Problem(beside.error().message);
    const auto file = ReadMirrorFile(text);
    if (!Write(name, row, text, file ? file->id : "")) return;
    Problem(name + " and its memory were both changed: the file has the memory's text, " + *beside +
            " has yours; bring them together in " + name + ", and remove " + *beside);
  }

  Status Hide(const std::string& name, int64_t id) {
    const auto hidden = memory_.Send("DELETE", "/observations/" + std::to_string(id), nullptr);
    if (!hidden) return Told(name, hidden.error());
    ++report_.hidden;
    state_.files.erase(name);
    return {};
  }

  // Files that say what a memory without a file says: of a sync that was killed, or of a state that
  // was lost.
  void AdoptEqual() {
    std::map<std::string, std::vector<int64_t>> by_content;
    for (const auto& [id, row] : rows_) {
      if (!paired_.contains(id))
        by_content[Digest(std::string(base::Trim(base::StringAt(row, {"content"}))))].push_back(id);
    }
    for (const auto& [name, text] : files_.texts) {
      if (state_.files.contains(name)) continue;
      const auto file = ReadMirrorFile(text);
      if (!file) continue;
      const auto found = by_content.find(Digest(file->content));
      if (found == by_content.end()) continue;
      for (const int64_t id : found->second) {
        if (paired_.contains(id) || !SaysTheSame(*file, rows_[id])) continue;
        paired_.insert(id);
        Renew(name, rows_[id], text, file->id);
        break;
      }
    }
  }

  Status Create(const std::string& name, const std::string& text) {
    const auto file = ReadMirrorFile(text);
    if (!file) {
      Problem(name + ": " + file.error().message + "; it became no memory");
      return {};
    }
    if (file->content.empty()) return {};  // a person begins to write it
    Json body = RowOfFile(*file);
    body["project"] = options_.project;
    body["session_id"] = PersonsSession(options_.project);
    http::ClientRequest request;
    request.method = "POST";
    request.target = "/observations";
    request.headers.Set("Content-Type", "application/json");
    // The same after a kill, so that the memory is made once.
    request.headers.Set(
        "Idempotency-Key",
        "mirror-" + Digest(options_.project + "\n" + state_.folder + "\n" + name + "\n" + text));
    request.body = base::DumpJson(body);
    const auto answer = memory_.Raw(std::move(request));
    if (!answer) return Told(name, answer.error());
    ASSIGN_OR_RETURN(const Json saved, base::ParseJson(answer->body));
    ASSIGN_OR_RETURN(const auto row, RowOf(WholeNumberAt(saved, "id")));
    if (!row) return {};  // hidden meanwhile: the next sync decides
    if (base::StringAt(saved, {"action"}) == "created") ++report_.created;
    if (paired_.contains(WholeNumberAt(*row, "id"))) {
      Problem(name + " says what memory " + std::to_string(WholeNumberAt(*row, "id")) +
              " says, which has a file already: remove one of both");
      return {};
    }
    Note(name, *row, text);
    Renew(name, *row, text, file->id);
    return {};
  }

  void WriteNew(const Json& row) {
    for (size_t number = 1; number <= 2 * kMostMirrored; ++number) {
      const std::string name = MirrorName(base::StringAt(row, {"title"}), number);
      if (state_.files.contains(name) || files_.texts.contains(name) || files_.odd.contains(name))
        continue;
      if (Write(name, row, std::nullopt, "")) return;
      return;
    }
  }

  const MemoryCalls& memory_;
  const MirrorFolder& folder_;
  const MirrorOptions& options_;
  MirrorState& state_;
  Rows rows_;
  MirrorFolder::Files files_;
  std::set<int64_t> paired_;  // rows that have a file
  MirrorReport report_;
};

}  // namespace

Result<MirrorReport> SyncMirror(const MemoryCalls& memory, const MirrorFolder& folder,
                                const MirrorOptions& options, MirrorState& state) {
  return Sync(memory, folder, options, state).Run();
}

}  // namespace client
