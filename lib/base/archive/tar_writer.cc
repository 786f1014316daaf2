// Writes headers field by field.
#include "lib/base/archive/tar_writer.h"

#include <algorithm>

#include "lib/base/archive/tar_format.h"

namespace base {

namespace {

void PutOctal(std::string& block, tar::Field field, uint64_t value) {
  for (size_t i = field.size - 1; i-- > 0; value >>= 3)
    block[field.at + i] = static_cast<char>('0' + (value & 7));
}

std::string EntryText(char kind, std::string_view name, std::string_view bytes,
                      int64_t modified_ms) {
  std::string block(tar::kBlock, '\0');
  block.replace(tar::kName.at, name.size(), name);
  PutOctal(block, tar::kMode, 0644);
  PutOctal(block, tar::kOwner, 0);
  PutOctal(block, tar::kGroup, 0);
  PutOctal(block, tar::kSize, bytes.size());
  PutOctal(block, tar::kTime, static_cast<uint64_t>(std::max<int64_t>(0, modified_ms / 1000)));
  block[tar::kKindAt] = kind;
  block.replace(tar::kMagicAt, 8,
                std::string("ustar\0"
                            "00",
                            8));
  PutOctal(block, {tar::kSum.at, tar::kSum.size - 1}, tar::SumOf(block));
  block[tar::kSum.at + tar::kSum.size - 1] = ' ';
  block += bytes;
  block.append(tar::Padding(bytes.size()), '\0');
  return block;
}

}  // namespace

std::string TarFile(std::string_view path, std::string_view bytes, int64_t modified_ms) {
  if (path.size() <= tar::kName.size) return EntryText('0', path, bytes, modified_ms);
  return EntryText('L', "././@LongLink", std::string(path) + '\0', 0) +
         EntryText('0', path.substr(0, tar::kName.size), bytes, modified_ms);
}

std::string TarEnd() { return std::string(2 * tar::kBlock, '\0'); }

}  // namespace base
