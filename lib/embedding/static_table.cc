// Maps and checks the file, and sums its rows; word_piece.h cuts texts.
#include "lib/embedding/static_table.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "lib/base/process/log.h"
#include "lib/base/text/digest.h"

namespace embedding {

using base::Code;
using base::Error;
using base::Result;

namespace {

constexpr std::string_view kMagic = "amtable1";
constexpr size_t kSummed = 40;  // the checksum covers the bytes from here on
constexpr uint64_t kMostTokens = 1 << 20, kMostDimensions = 4096, kMostVocabulary = 64 << 20;

// Blocks of a fixed size, so that the compiler uses vectors.
void AddRow(std::span<const int8_t> row, int32_t* __restrict sums) {
  constexpr size_t kBlock = 16;
  const int8_t* __restrict values = row.data();
  size_t at = 0;
  for (; at + kBlock <= row.size(); at += kBlock)
    for (size_t i = at; i < at + kBlock; ++i) sums[i] += values[i];
  for (; at < row.size(); ++at) sums[at] += values[at];
}

}  // namespace

struct StaticTable::Head {
  char magic[8];
  char sum[32];
  uint32_t tokens, dimensions, vocabulary;
};

StaticTable::StaticTable(std::string_view file, const Head& head)
    : file_(file),
      vocabulary_(file.substr(sizeof(Head), head.vocabulary)),
      dimensions_(head.dimensions),
      pieces_(vocabulary_),
      rows_(reinterpret_cast<const int8_t*>(file.data()) + sizeof(Head) + head.vocabulary) {
  std::memcpy(&model_, head.sum, sizeof model_);
  model_ = std::max<int64_t>(1, model_ & std::numeric_limits<int64_t>::max());
}

StaticTable::~StaticTable() { munmap(const_cast<char*>(file_.data()), file_.size()); }

Result<std::unique_ptr<StaticTable>> StaticTable::Open(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    const Code code = errno == ENOENT ? Code::kNotFound : Code::kInvalid;
    return Error{code, path + ": " + std::strerror(errno)};
  }
  struct stat facts {};
  const bool known = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  const auto size = known ? static_cast<size_t>(facts.st_size) : 0;
  void* mapped = size > 0 ? mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (mapped == MAP_FAILED)
    return Error{Code::kInvalid, path + ": it is no table of token vectors"};
  const std::string_view bytes(static_cast<const char*>(mapped), size);
  Head head{};
  std::string wrong = Check(bytes, head);
  if (wrong.empty()) {
    std::unique_ptr<StaticTable> table(new StaticTable(bytes, head));
    // Frees the pages that the check has read; used rows come back from the page cache.
    if (madvise(mapped, size, MADV_DONTNEED) != 0)
      base::LogWarn("the table of token vectors stays in memory",
                    {{"reason", std::strerror(errno)}});
    if (table->pieces_.size() == head.tokens) return table;
    wrong = "its vocabulary has " + std::to_string(table->pieces_.size()) + " pieces, not " +
            std::to_string(head.tokens);
    return Error{Code::kInvalid, path + ": " + wrong};  // ~StaticTable unmaps the file
  }
  munmap(mapped, size);
  return Error{Code::kInvalid, path + ": " + wrong};
}

std::string StaticTable::Check(std::string_view bytes, Head& head) {
  if (bytes.size() < sizeof head || !bytes.starts_with(kMagic))
    return "it is no table of token vectors";
  std::memcpy(&head, bytes.data(), sizeof head);
  const bool sane = head.tokens > 0 && head.tokens <= kMostTokens && head.dimensions > 0 &&
                    head.dimensions <= kMostDimensions && head.vocabulary <= kMostVocabulary;
  const uint64_t size = sizeof head + head.vocabulary + uint64_t{head.tokens} * head.dimensions;
  if (!sane || bytes.size() != size)
    return "it is cut off or damaged: " + std::to_string(bytes.size()) + " bytes" +
           (sane ? ", not " + std::to_string(size) : "");
  if (base::Sha256Hex(bytes.substr(kSummed)) != base::Hex({head.sum, sizeof head.sum}))
    return "it is damaged: its content is not what its SHA-256 says";
  return "";
}

std::vector<int8_t> StaticTable::Embed(std::string_view text) const {
  std::vector<int32_t> sums(dimensions_);
  for (uint32_t piece : pieces_.Cut(text)) AddRow(RowOf(piece), sums.data());
  int32_t most = 0;
  for (int32_t sum : sums) most = std::max(most, std::abs(sum));
  if (most == 0) return {};
  std::vector<int8_t> values;
  values.reserve(dimensions_);
  for (int32_t sum : sums) values.push_back(static_cast<int8_t>(std::lround(127.0 * sum / most)));
  return values;
}

}  // namespace embedding
