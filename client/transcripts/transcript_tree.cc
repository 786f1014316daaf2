// Reads the first lines of each file, where agents write session and directory.
#include "client/transcripts/transcript_tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "lib/base/json/json.h"
#include "lib/base/json/mend.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr size_t kMostHeadBytes = 4 << 20, kMostFiles = 200'000;
constexpr int kMostHeadLines = 200;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Head {
  std::string session, directory, first_line;
  bool Whole(const std::string& format) const {
    return !session.empty() && !directory.empty() && (format == "codex" || !first_line.empty());
  }
};

// Older versions of Codex name the directory only in what they tell the model.
std::string DirectoryInText(const std::string& line) {
  const size_t begin = line.find("<cwd>");
  const size_t end = line.find("</cwd>", begin);
  if (begin == std::string::npos || end == std::string::npos) return "";
  return line.substr(begin + 5, end - begin - 5);
}

void ReadHeadLine(const std::string& text, const std::string& format, Head& head) {
  const auto read = base::ReadMendedJson(text, kMostHeadBytes);
  if (!read || !read->value.is_object()) return;
  const Json& line = read->value;
  const auto keep = [](std::string& field, std::string found) {
    if (field.empty()) field = std::move(found);
  };
  if (format == "codex") {
    const bool meta = base::StringAt(line, {"type"}) == "session_meta";
    keep(head.session,
         base::StringAt(line, {"payload", "id"}, meta ? "" : base::StringAt(line, {"id"})));
    keep(head.directory, base::StringAt(line, {"payload", "cwd"}));
    keep(head.directory, DirectoryInText(text));
    return;
  }
  keep(head.session, base::StringAt(line, {"sessionId"}));
  keep(head.directory, base::StringAt(line, {"cwd"}));
  keep(head.first_line, base::StringAt(line, {"uuid"}));
}

Head ReadHead(const std::string& path, const std::string& format) {
  Head head;
  std::ifstream in(path, std::ios::binary);
  std::string buffer;
  char bytes[16 << 10];
  size_t at = 0;
  for (int lines = 0; lines < kMostHeadLines && !head.Whole(format);) {
    const size_t end = buffer.find('\n', at);
    if (end != std::string::npos) {
      ReadHeadLine(buffer.substr(at, end - at), format, head);
      at = end + 1;
      ++lines;
      continue;
    }
    if (buffer.size() >= kMostHeadBytes) break;
    in.read(bytes, sizeof bytes);
    if (in.gcount() == 0) break;
    buffer.append(bytes, static_cast<size_t>(in.gcount()));
  }
  if (!head.Whole(format) && at < buffer.size()) ReadHeadLine(buffer.substr(at), format, head);
  return head;
}

bool IsOfSubagent(const std::string& path) {
  return path.find("/subagents/") != std::string::npos ||
         fs::path(path).filename().string().starts_with("agent-");
}

void Add(const std::string& path, const std::string& format, TranscriptTree& tree,
         std::map<std::string, size_t>& places) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return;
  if (access(path.c_str(), R_OK) != 0) {
    tree.unread.push_back(path + ": it cannot be read");
    return;
  }
  Head head = ReadHead(path, format);
  if (head.session.empty() && head.directory.empty()) return;  // no transcript: history.jsonl, …
  if (head.session.empty()) head.session = fs::path(path).stem().string();
  const auto [place, fresh] =
      places.try_emplace(format + "\n" + head.session, tree.sessions.size());
  if (fresh) tree.sessions.push_back({format, head.session, "", "", {}});
  PastSession& session = tree.sessions[place->second];
  TranscriptFile file{path, status.st_size,
                      int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
  const bool own = !IsOfSubagent(path);
  if (session.directory.empty() || own) session.directory = head.directory;
  if (session.first_line.empty() && own) session.first_line = head.first_line;
  session.files.insert(own ? session.files.begin() : session.files.end(), std::move(file));
}

}  // namespace

int64_t PastSession::bytes() const {
  int64_t sum = 0;
  for (const TranscriptFile& file : files) sum += file.bytes;
  return sum;
}

int64_t PastSession::changed_ns() const {
  int64_t last = 0;
  for (const TranscriptFile& file : files) last = std::max(last, file.changed_ns);
  return last;
}

std::vector<TranscriptFolder> TranscriptFolders() {
  const std::string user = Variable("HOME");
  std::string claude = Variable("CLAUDE_CONFIG_DIR"), codex = Variable("CODEX_HOME");
  if (claude.empty()) claude = user + "/.claude";
  if (codex.empty()) codex = user + "/.codex";
  return {{claude + "/projects", "claude-code"}, {codex + "/sessions", "codex"}};
}

TranscriptTree FindTranscripts(const std::vector<TranscriptFolder>& folders) {
  TranscriptTree tree;
  std::map<std::string, size_t> places;
  for (const TranscriptFolder& folder : folders) {
    std::error_code error;
    std::vector<std::string> paths;
    for (fs::recursive_directory_iterator
             at(folder.path, fs::directory_options::skip_permission_denied, error),
         end;
         !error && at != end && paths.size() < kMostFiles; at.increment(error)) {
      std::error_code ignored;
      if (at->path().extension() == ".jsonl" && at->is_regular_file(ignored) &&
          !at->is_symlink(ignored))
        paths.push_back(at->path().string());
    }
    if (error && error != std::errc::no_such_file_or_directory)
      tree.unread.push_back(folder.path + ": " + error.message());
    if (paths.size() == kMostFiles)
      tree.unread.push_back(folder.path + ": it has more than 200,000 transcripts");
    std::ranges::sort(paths);
    for (const std::string& path : paths) Add(path, folder.format, tree, places);
  }
  return tree;
}

}  // namespace client
