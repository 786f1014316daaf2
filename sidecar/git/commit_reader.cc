// The log of HEAD says which commits were made; their objects have the messages and trees.
#include "sidecar/git/commit_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"
#include "sidecar/git/changed_files.h"
#include "sidecar/git/git_folder.h"
#include "sidecar/git/git_objects.h"
#include "sidecar/git/head_log.h"

namespace sidecar {
namespace {

constexpr size_t kMostRead = 32 << 20;  // bytes of all objects of one commit, and their deltas
constexpr size_t kMostLog = 64 << 10;   // the newest bytes are read
constexpr size_t kLongestHead = 64 << 10, kLongestMessage = 64 << 10;
constexpr size_t kMostReplaced = 16;

struct CommitObject {
  std::string tree, parent;  // the first one; ids in raw bytes
  std::string message;
};

std::optional<CommitObject> ReadObject(GitObjects& objects, std::string_view id) {
  const auto text = objects.Read(id, "commit");
  const size_t end =
      text ? std::string_view(*text).substr(0, kLongestHead).find("\n\n") : std::string::npos;
  if (end == std::string::npos) return std::nullopt;
  CommitObject commit;
  for (const std::string& line : base::Split(std::string_view(*text).substr(0, end), '\n')) {
    const std::string_view field = line;
    if (field.starts_with("tree ")) commit.tree = BytesOfHex(field.substr(5));
    if (field.starts_with("parent ") && commit.parent.empty())
      commit.parent = BytesOfHex(field.substr(7));
  }
  const std::string message =
      base::ToUtf8(std::string_view(*text).substr(end + 2, kLongestMessage));
  commit.message = message.substr(0, base::BorderBefore(message, kLongestMessage));
  return commit;
}

// The newest moves of HEAD, oldest first.
std::vector<HeadMove> NewestMoves(const GitFolder& own) {
  const auto log = own.File("logs/HEAD");
  if (!log) return {};
  const uint64_t begin = log->size() > kMostLog ? log->size() - kMostLog : 0;
  const auto text = log->Read(begin, kMostLog);
  if (!text) return {};
  // Its first line may be a part of one.
  return ReadHeadLog(
      std::string_view(*text).substr(begin > 0 ? std::min(text->find('\n'), text->size()) : 0));
}

const HeadMove* FindMove(const std::vector<HeadMove>& moves, const CommitQuery& query) {
  size_t newer = 0;
  for (auto move = moves.rbegin(); move != moves.rend(); ++move) {
    if (!query.hash.empty() && HexOf(move->after).starts_with(query.hash)) return &*move;
    if (query.hash.empty() && move->commits && newer++ == query.back) return &*move;
  }
  return nullptr;
}

// The messages that amendments replaced, oldest first.
std::vector<std::string> ReplacedBy(const HeadMove* move, const std::vector<HeadMove>& moves,
                                    GitObjects& objects) {
  std::vector<std::string> messages;
  while (move != nullptr && move->amends && messages.size() < kMostReplaced) {
    const auto before = ReadObject(objects, move->before);
    if (!before) break;
    messages.push_back(before->message);
    const auto made = std::find_if(moves.rbegin(), moves.rend(), [&](const HeadMove& other) {
      return &other < move && other.after == move->before;
    });
    move = made == moves.rend() ? nullptr : &*made;
  }
  std::ranges::reverse(messages);
  return messages;
}

}  // namespace

std::optional<RepositoryCommit> ReadCommit(const CommitQuery& query, int64_t now_ms) {
  const auto folders = FindGit(query.directory);
  if (!folders) return std::nullopt;
  const std::vector<HeadMove> moves = NewestMoves(folders->own);
  const HeadMove* const move = FindMove(moves, query);
  if (move == nullptr) return std::nullopt;
  GitObjects objects(folders->common, kMostRead);
  const auto commit = ReadObject(objects, move->after);
  if (!commit) return std::nullopt;
  RepositoryCommit found;
  found.message = commit->message;
  found.age_s = now_ms / 1000 - move->at_s;
  found.replaced = ReplacedBy(move, moves, objects);
  const auto parent = commit->parent.empty() ? CommitObject() : ReadObject(objects, commit->parent);
  const bool trees = parent && (commit->parent.empty() || !parent->tree.empty());
  if (trees && !commit->tree.empty())
    found.files = ChangedFiles(objects, parent->tree, commit->tree);
  if (found.files)
    for (std::string& file : *found.files) file = base::WithoutMisleading(base::ToUtf8(file));
  return found;
}

}  // namespace sidecar
