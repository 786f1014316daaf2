// Reads in pages; stores the forms of several blocks per transaction.
#include "lib/conversation/routes/block_forms.h"

#include <utility>
#include <vector>

#include "lib/conversation/conversations.h"

namespace conversation {

using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kKeptTogether = 20;

Status KeepAll(Host& host, const std::string& key, const std::vector<BlockDigest>& digests) {
  if (digests.empty()) return {};
  const auto kept = host.Write([&](sqlite::Database& db) -> Result<Json> {
    for (const BlockDigest& digest : digests) RETURN_IF_ERROR(KeepDigest(db, key, digest));
    return Json();
  });
  return kept ? Status() : kept.error();
}

}  // namespace

BlockReader ReaderOf(Host& host) {
  return [&host](const std::function<Status(sqlite::Database&)>& use) -> Status {
    const auto read = host.Read([&](sqlite::Database& db) -> Result<Json> {
      RETURN_IF_ERROR(use(db));
      return Json();
    });
    return read ? Status() : read.error();
  };
}

Status CutIfNeeded(Host& host, const std::string& id) {
  const std::string key = host.Key(id);
  bool uncut = false;
  RETURN_IF_ERROR(ReaderOf(host)([&](sqlite::Database& db) -> Status {
    ASSIGN_OR_RETURN(const auto found, Find(db, key));
    if (!found) return NoConversation(id);
    ASSIGN_OR_RETURN(uncut, IsUncut(db, key));
    return {};
  }));
  if (!uncut) return {};
  const auto cut = host.Write([&](sqlite::Database& db) -> Result<Json> {
    ASSIGN_OR_RETURN(const bool still, IsUncut(db, key));
    if (still) RETURN_IF_ERROR(CutIntoBlocks(db, key));
    return Json();
  });
  return cut ? Status() : cut.error();
}

Result<bool> MakeForms(Host& host, const std::string& id) {
  const std::string key = host.Key(id);
  const BlockReader reader = ReaderOf(host);
  std::vector<Block> blocks;
  RETURN_IF_ERROR(reader([&](sqlite::Database& db) -> Status {
    ASSIGN_OR_RETURN(blocks, NewestClosedBlocks(db, key, false, kFormsTogether));
    return {};
  }));
  std::vector<BlockDigest> digests;
  int64_t messages = 0;
  bool all = std::ssize(blocks) < kFormsTogether;
  for (const Block& block : blocks) {
    const int64_t more = block.last - block.first + 1;
    all = all && (messages == 0 || messages + more <= kMessagesTogether);
    if (messages > 0 && messages + more > kMessagesTogether) break;
    messages += more;
    digests.push_back(DigestOf(block));
    RETURN_IF_ERROR(ReadOn(reader, key, block.last, digests.back()));
    if (digests.size() < kKeptTogether) continue;
    RETURN_IF_ERROR(KeepAll(host, key, std::exchange(digests, {})));
  }
  RETURN_IF_ERROR(KeepAll(host, key, digests));
  return all;
}

Status MakeForm(Host& host, const std::string& id, const Block& block) {
  const std::string key = host.Key(id);
  std::vector<BlockDigest> digest = {DigestOf(block)};
  RETURN_IF_ERROR(ReadOn(ReaderOf(host), key, block.last, digest.front()));
  return KeepAll(host, key, digest);
}

}  // namespace conversation
