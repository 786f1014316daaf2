// Reads pages of blocks, the newest page first, until the characters are used.
#include "lib/conversation/block/catalogue.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "lib/base/text/text.h"
#include "lib/conversation/block/blocks.h"

namespace conversation {
namespace {

constexpr int64_t kCataloguePage = 20;

}  // namespace

base::Result<int64_t> NextBlock(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare("SELECT coalesce(max(block) + 1, 0) FROM blocks WHERE conversation = ?"));
  ASSIGN_OR_RETURN(const bool row, query.Bind(conversation).Step());
  return row ? query.Int(0) : int64_t{0};
}

base::Result<std::vector<std::string>> Catalogue(sqlite::Database& db,
                                                 const std::string& conversation, int64_t from,
                                                 size_t max_characters) {
  std::vector<std::string> lines;
  ASSIGN_OR_RETURN(int64_t to, NextBlock(db, conversation));
  bool full = false;
  while (!full && to > from) {
    const int64_t begin = std::max(from, to - kCataloguePage);
    ASSIGN_OR_RETURN(const auto page, ListBlocks(db, conversation, begin, to - begin));
    bool reached = false;  // older blocks may be deleted with their messages
    for (const Block& block : std::views::reverse(page)) {
      if (block.number >= to) continue;
      reached = true;
      if (block.open) continue;
      std::string line = CatalogueLine(block);
      const size_t cost = base::CountCharacters(line) + 1;
      full = cost > max_characters;
      if (full) break;
      max_characters -= cost;
      lines.push_back(std::move(line));
    }
    if (!reached) break;
    to = begin;
  }
  std::ranges::reverse(lines);
  return lines;
}

}  // namespace conversation
