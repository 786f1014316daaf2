// add, edit, rm, import, export: change memory or move it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <istream>
#include <iterator>
#include <ostream>

#include "client/commands/erase.h"
#include "client/commands/runs.h"
#include "client/memory/persons_memory.h"
#include "client/programs/child.h"
#include "lib/base/archive/note_folder.h"
#include "lib/base/process/file.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using base::Json;

constexpr size_t kMostImportBytes = size_t{256} << 20, kMostEdited = 1 << 20;
constexpr int64_t kMoveMs = 600'000;

// Reads `in` to its end, or until the text exceeds `limit`.
std::string ReadAll(std::istream& in, size_t limit) {
  std::string text;
  char bytes[16 << 10];
  while (text.size() <= limit && (in.read(bytes, sizeof bytes), in.gcount() > 0))
    text.append(bytes, static_cast<size_t>(in.gcount()));
  return text;
}

int Said(Call& call, const Json& answer, const std::string& words) {
  if (call.json()) {
    call.out << base::DumpJson(answer) << "\n";
  } else {
    call.out << words << "\n";
  }
  return kOk;
}

// Runs the user's editor on the file and waits. Splits $VISUAL or $EDITOR at blanks into argv.
base::Status RunEditor(const std::string& file) {
  const char* visual = std::getenv("VISUAL");
  const char* editor = std::getenv("EDITOR");
  std::string words = visual != nullptr && *visual != '\0'   ? visual
                      : editor != nullptr && *editor != '\0' ? editor
                                                             : "vi";
  std::vector<std::string> argv;
  for (std::string& word : base::Split(words, ' ')) {
    if (!word.empty()) argv.push_back(std::move(word));
  }
  if (argv.empty()) return base::Error{base::Code::kInvalid, "EDITOR is blank: name an editor"};
  argv.push_back(file);
  std::vector<char*> pointers;
  for (std::string& word : argv) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int pid = fork();
  if (pid == 0) {
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0) {
    return base::Error{base::Code::kUnavailable,
                       "the editor \"" + words +
                           "\" did not end well; nothing was changed: set "
                           "EDITOR, or give --title or --content"};
  }
  return {};
}

base::Result<std::string> Edited(const std::string& text) {
  std::string folder = (std::filesystem::temp_directory_path() / "agent-memory-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return base::Error{base::Code::kInternal, "no temporary folder can be made: set TMPDIR"};
  const std::string file = folder + "/memory.md";
  auto edited = [&]() -> base::Result<std::string> {
    RETURN_IF_ERROR(base::ReplaceFile(file, text));
    RETURN_IF_ERROR(RunEditor(file));
    return base::ReadFile(file, kMostEdited);
  }();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return edited;
}

// The notes of a folder as a tar archive; reports unreadable notes on `err` and skips them.
base::Result<std::string> ArchiveOf(const std::string& path, std::ostream& err, size_t& unread) {
  ASSIGN_OR_RETURN(auto folder, base::NoteFolder::Open(path, [&](const base::Error& error) {
                     ++unread;
                     err << "agent-memory: " << Inert(error.message) << "\n";
                   }));
  std::string archive;
  for (std::string piece = folder.Next(); !piece.empty(); piece = folder.Next()) {
    archive += piece;
    if (archive.size() > kMostImportBytes)
      return base::Error{base::Code::kTooLarge,
                         path + " has more than 256 MiB of notes: import its folders one by one"};
  }
  return archive;
}

}  // namespace

int Add(Call& call, const MemoryCalls& memory) {
  std::string content = base::Join(call.arguments, " ");
  if (call.arguments.empty() || content == "-") content = ReadAll(call.in, kMostEdited);
  content = base::Trim(content);
  if (content.empty())
    return call.Usage("there is nothing to remember: give words, or - for stdin");
  std::string title = call.Text("title");
  if (title.empty()) title = TitleOf(content);
  std::string project = call.Text("project").empty() ? memory.project() : call.Text("project");
  if (project.empty()) project = "default";
  Json body = {{"session_id", PersonsSession(project)},
               {"project", project},
               {"type", call.Text("type")},
               {"title", title},
               {"content", content},
               {"scope", call.Text("scope")},
               {"tags", call.settings.List("tag")},
               {"source", {{"origin", "user"}}}};
  const auto answer = memory.Send("POST", "/observations", body);
  if (!answer) return call.Fail(answer.error());
  const Json* id = base::At(*answer, {"id"});
  return Said(call, *answer,
              base::StringAt(*answer, {"action"}, "queued") + (id ? " memory " + id->dump() : ""));
}

int Edit(Call& call, const MemoryCalls& memory) {
  const std::string path = "/observations/" + http::PercentEncode(call.arguments[0]);
  Json patch = Json::object();
  for (const char* field : {"title", "content", "type"}) {
    if (call.settings.IsSet(field)) patch[field] = call.Text(field);
  }
  if (call.settings.IsSet("tag")) patch["tags"] = call.settings.List("tag");
  auto row = base::Result<Json>(Json());
  if (patch.empty() || patch.contains("content")) row = memory.Get(path);
  if (!row) return call.Fail(row.error());
  if (patch.empty()) {
    const std::string before =
        base::StringAt(*row, {"title"}) + "\n\n" + base::StringAt(*row, {"content"}) + "\n";
    const auto after = Edited(before);
    if (!after) return call.Fail(after.error());
    const size_t line = std::min(after->find('\n'), after->size());
    const std::string title(base::Trim(after->substr(0, line)));
    const std::string content(base::Trim(after->substr(line)));
    if (title != base::Trim(base::StringAt(*row, {"title"}))) patch["title"] = title;
    if (content != base::Trim(base::StringAt(*row, {"content"}))) patch["content"] = content;
    if (patch.empty()) return Said(call, *row, "nothing was changed");
  }
  if (patch.contains("content") && !patch.contains("title")) RefreshTitle(*row, patch);
  const auto answer = memory.Send("PATCH", path, patch);
  if (!answer) return call.Fail(answer.error());
  return Said(call, *answer,
              "changed memory " + Inert(call.arguments[0]) +
                  "; 'agent-memory show' has the text before it");
}

// What still has the text of an erased memory, a line each.
std::vector<std::string> LeftAtServer(const Json& answer) {
  std::vector<std::string> left;
  for (const Json& one : answer.value("left", Json::array())) {
    const std::string place = base::StringAt(one, {"place"}), name = base::StringAt(one, {"name"});
    const bool row = place.ends_with("observation") || place == "revision";
    left.push_back((row ? "memory " : place + " ") + name + ": " +
                   (row ? "it says the same; 'agent-memory rm --hard " + name + "' erases it too"
                        : base::StringAt(one, {"how"})));
  }
  if (answer.value("partial", false)) left.push_back("the memory server did not look at all texts");
  return left;
}

// Elsewhere a memory is all that this machine has of it.
bool IsOfThisMachine(const Call& call) {
  for (const char* other : {"url", "file", "context", "n"})
    if (!call.Text(other).empty()) return false;
  return true;
}

int Erase(Call& call, const MemoryCalls& memory, const std::string& id) {
  http::ClientRequest request;
  request.method = "DELETE";
  request.target =
      Target("/observations/" + http::PercentEncode(id), {{"hard", "true"}, {"report", "true"}});
  request.timeout_ms = kMoveMs;
  const auto raw = memory.Raw(std::move(request));
  if (!raw) return call.Fail(base::Wrap("memory " + id, raw.error()));
  // A sidecar answers without a body.
  const Json answer = base::ParseJson(raw->body).value_or(Json::object());
  ErasedHere here;
  if (IsOfThisMachine(call)) {
    here = EraseHere(call, answer.value("titles", std::vector<std::string>()),
                     answer.value("texts", std::vector<std::string>()));
  }
  std::vector<std::string> left = LeftAtServer(answer);
  left.insert(left.end(), here.left.begin(), here.left.end());
  std::string words = "erased memory " + Inert(id) + "; within a minute its file has no word of it";
  for (const auto& [project, rows] : here.erased.items())
    for (const auto& [kind, count] : rows.items())
      words += "\nalso erased from " + count.dump() + " " + kind + " of project " + Inert(project);
  for (const std::string& one : left) words += "\nleft: " + Inert(one);
  words += "\nnot touched: exports, backups, and transcripts that your agents keep themselves";
  return Said(call, {{"id", id}, {"hard", true}, {"erased", here.erased}, {"left", left}}, words);
}

// Shows hidden memories again; without an id the one of the project that was hidden last.
int Undo(Call& call, const MemoryCalls& memory) {
  std::vector<std::string> ids = call.arguments;
  if (ids.empty()) {
    const std::string named = call.Text("project");
    const std::string project = named.empty() ? memory.project() : named;
    if (project.empty())
      return call.Usage("rm --undo takes ID…, or --project NAME for the one hidden last in it");
    const auto last = memory.Get("/observations/hidden", {{"project", project}, {"limit", "1"}});
    if (!last) return call.Fail(last.error());
    const Json* id = last->is_array() && !last->empty() ? base::At((*last)[0], {"id"}) : nullptr;
    if (id == nullptr)
      return call.Fail({base::Code::kNotFound,
                        "no memory of project " + Inert(project) +
                            " is hidden; 'agent-memory ls --hidden' lists those of all projects"});
    ids.push_back(id->dump());
  }
  for (const std::string& id : ids) {
    const auto row = memory.Send("POST", "/observations/" + http::PercentEncode(id) + "/restore",
                                 Json::object());
    if (!row) return call.Fail(base::Wrap("memory " + id, row.error()));
    Said(call, *row, "memory " + Inert(id) + " is back: " + Inert(base::StringAt(*row, {"title"})));
  }
  return kOk;
}

int Remove(Call& call, const MemoryCalls& memory) {
  const bool hard = call.settings.Bool("hard"), undo = call.settings.Bool("undo");
  if (hard && undo) return call.Usage("--undo brings back what is hidden; --hard erases for good");
  if (call.settings.IsSet("project") && (!undo || !call.arguments.empty()))
    return call.Usage("--project goes with --undo without ID");
  if (undo) return Undo(call, memory);
  if (call.arguments.empty())
    return call.Usage("rm takes ID…; --undo alone the one hidden last in this project");
  for (const std::string& id : call.arguments) {
    if (hard) {
      if (const int code = Erase(call, memory, id); code != kOk) return code;
      continue;
    }
    const auto answer = memory.Send("DELETE", "/observations/" + http::PercentEncode(id), nullptr);
    if (!answer) return call.Fail(base::Wrap("memory " + id, answer.error()));
    Said(call, {{"id", id}, {"hard", false}},
         "hid memory " + Inert(id) + "; 'agent-memory rm --undo " + Inert(id) + "' brings it back");
  }
  return kOk;
}

int Import(Call& call, const MemoryCalls& memory) {
  for (const char* only : {"since", "dry-run"}) {
    if (call.settings.IsSet(only))
      return call.Usage("--" + std::string(only) + " goes with --transcripts");
  }
  http::ClientRequest request;
  request.method = "POST";
  request.timeout_ms = kMoveMs;
  request.headers.Set("Content-Type", "application/octet-stream");
  const std::string project = call.Text("project");
  request.target = Target("/import", {{"project", project.empty() ? memory.project() : project},
                                      {"format", call.Text("format")},
                                      {"trust", call.Text("trust")},
                                      {"restore", call.settings.Bool("restore") ? "true" : ""}});
  const std::string& file = call.arguments[0];
  size_t unread = 0;
  if (file == "-") {
    request.body = ReadAll(call.in, kMostImportBytes);
    if (request.body.size() > kMostImportBytes) return call.Usage("stdin has more than 256 MiB");
  } else if (std::error_code unknown; std::filesystem::is_directory(file, unknown)) {
    auto archive = ArchiveOf(file, call.err, unread);
    if (!archive) return call.Fail(archive.error()), kNoInput;
    request.body = std::move(*archive);
    request.headers.Set("Content-Type", "application/x-tar");
  } else {
    auto text = base::ReadFile(file, kMostImportBytes);
    if (!text) return call.Fail(text.error()), kNoInput;
    request.body = std::move(*text);
  }
  const auto answer = memory.Raw(std::move(request));
  if (!answer) return call.Fail(answer.error());
  const auto body = base::ParseJson(answer->body);
  if (!body) return call.Fail(body.error());
  const auto count = [&](const char* name) {
    const Json* value = base::At(*body, {name});
    return value != nullptr ? value->dump() : "0";
  };
  // An older server reports only `imported_observations`.
  const char* fresh = body->contains("imported") ? "imported" : "imported_observations";
  Said(call, *body,
       "imported " + count(fresh) + " memories, " + count("skipped") + " were here already");
  if (body->value("raised", int64_t{0}) > 0) call.err << count("raised") << " are trusted now\n";
  if (body->value("not_injected", int64_t{0}) > 0) {
    call.err << count("not_injected")
             << " of them are found by searches and not added to prompts, since imported text is "
                "not trusted by itself; if you trust it, import it again with --trust user\n";
  }
  const Json errors = body->value("errors", Json::array());
  const auto is_kept = [](const Json& error) {
    return error.is_object() && error.value("kept", false);
  };
  for (const Json& error : errors)
    call.err << (is_kept(error) ? "changed: " : "refused: ") << Inert(base::DumpJson(error))
             << "\n";
  const int64_t unlisted = body->value("errors_left_out", int64_t{0});
  if (unlisted > 0) call.err << unlisted << " more were refused or changed\n";
  const bool whole =
      std::all_of(errors.begin(), errors.end(), is_kept) && unlisted == 0 && unread == 0;
  return whole ? kOk : kFailed;
}

int Export(Call& call, const MemoryCalls& memory) {
  http::ClientRequest request;
  request.timeout_ms = kMoveMs;
  request.target =
      Target("/export", {{"project", call.Text("project")}, {"format", call.Text("format")}});
  if (call.screen.terminal && call.Text("format") != "notes")
    return call.Usage("an export is for a file: 'agent-memory export > memory.json'");
  const auto answer = memory.Raw(std::move(request));
  if (!answer) return call.Fail(answer.error());
  call.out << (call.screen.terminal ? Inert(answer->body, true) : answer->body) << std::flush;
  return call.out ? kOk : kFailed;
}

}  // namespace client
