// Walks both trees side by side, and down only where they differ. Their entries are sorted: a
// folder's name as if it ended in '/'.
#include "sidecar/git/changed_files.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sidecar {
namespace {

constexpr int kMostDepth = 64;
constexpr size_t kMostFiles = 10'000, kMostPathBytes = 1 << 20;  // of all paths together

struct TreeEntry {
  std::string_view mode, name, id;
  bool IsFolder() const { return mode == "40000"; }
};

// Entries are "<mode> <name>\0<id>".
class Entries {
 public:
  Entries(std::string_view tree, size_t id_bytes) : rest_(tree), id_bytes_(id_bytes) { Next(); }
  const std::optional<TreeEntry>& now() const { return now_; }
  bool damaged() const { return damaged_; }

  void Next() {
    now_.reset();
    if (rest_.empty()) return;
    const size_t blank = rest_.find(' '), end = rest_.find('\0');
    damaged_ = end == std::string_view::npos || blank >= end || rest_.size() - end - 1 < id_bytes_;
    if (damaged_) return;
    now_ = TreeEntry{rest_.substr(0, blank), rest_.substr(blank + 1, end - blank - 1),
                     rest_.substr(end + 1, id_bytes_)};
    rest_.remove_prefix(end + 1 + id_bytes_);
  }

 private:
  std::string_view rest_;
  size_t id_bytes_;
  std::optional<TreeEntry> now_;
  bool damaged_ = false;
};

// <0: `a` is first, 0: both have the name and are files or folders both.
int Order(const TreeEntry& a, const TreeEntry& b) {
  const size_t common = std::min(a.name.size(), b.name.size());
  if (const int order = a.name.substr(0, common).compare(b.name.substr(0, common))) return order;
  const auto next = [&](const TreeEntry& entry) {
    if (entry.name.size() > common)
      return static_cast<int>(static_cast<uint8_t>(entry.name[common]));
    return entry.IsFolder() ? static_cast<int>('/') : 0;
  };
  if (const int order = next(a) - next(b)) return order;
  return static_cast<int>(a.name.size() > common) - static_cast<int>(b.name.size() > common);
}

class Comparison {
 public:
  Comparison(GitObjects& objects, size_t id_bytes) : objects_(objects), id_bytes_(id_bytes) {}

  // → false: over a limit, or a tree cannot be read.
  bool Compare(std::string_view before_id, std::string_view after_id, const std::string& folder,
               int depth) {
    if (depth > kMostDepth) return false;
    const auto before = Tree(before_id), after = Tree(after_id);
    if (!before || !after) return false;
    Entries old(*before, id_bytes_), now(*after, id_bytes_);
    while (old.now() || now.now()) {
      const int order = !old.now() ? 1 : !now.now() ? -1 : Order(*old.now(), *now.now());
      const TreeEntry* const left = order <= 0 ? &*old.now() : nullptr;
      const TreeEntry* const right = order >= 0 ? &*now.now() : nullptr;
      const bool same = left && right && left->id == right->id && left->mode == right->mode;
      if (!same && !Add(left, right, folder, depth)) return false;
      if (left) old.Next();
      if (right) now.Next();
    }
    return !old.damaged() && !now.damaged();
  }

  std::vector<std::string> files;

 private:
  std::optional<std::string> Tree(std::string_view id) {
    return id.empty() ? std::optional(std::string()) : objects_.Read(id, "tree");
  }

  bool Add(const TreeEntry* left, const TreeEntry* right, const std::string& folder, int depth) {
    const TreeEntry& named = left ? *left : *right;
    std::string path = folder + std::string(named.name);
    path_bytes_ += path.size();
    if (path_bytes_ > kMostPathBytes) return false;
    if (named.IsFolder())
      return Compare(left ? left->id : "", right ? right->id : "", path + "/", depth + 1);
    files.push_back(std::move(path));
    return files.size() <= kMostFiles;
  }

  GitObjects& objects_;
  const size_t id_bytes_;
  size_t path_bytes_ = 0;
};

}  // namespace

std::optional<std::vector<std::string>> ChangedFiles(GitObjects& objects, std::string_view before,
                                                     std::string_view after) {
  Comparison comparison(objects, std::max(before.size(), after.size()));
  if (!comparison.Compare(before, after, "", 0)) return std::nullopt;
  return std::move(comparison.files);
}

}  // namespace sidecar
