// The reader is a state machine over blocks: headers, read field by field, and the bytes after
// them. The writer stores a path over 100 bytes as a file of its own before the header (GNU's long
// name), since ustar's prefix cannot split every path.
#include "lib/base/archive/tar.h"

#include <algorithm>
#include <optional>

namespace base {

using tar::Field;
using tar::kBlock;

namespace {

constexpr size_t kMaxPathBytes = 4096;  // of a long name

std::string_view TextAt(std::string_view block, Field field) {
  const std::string_view text = block.substr(field.at, field.size);
  return text.substr(0, text.find('\0'));
}

// Octal digits, or GNU's base 256; nothing when it is neither, or over 2^40.
std::optional<uint64_t> NumberAt(std::string_view block, Field field) {
  std::string_view digits = block.substr(field.at, field.size);
  uint64_t value = 0;
  if (static_cast<unsigned char>(digits[0]) & 0x80) {
    for (size_t i = 1; i < digits.size(); ++i) {
      value = value << 8 | static_cast<unsigned char>(digits[i]);
      if (value >> 40) return std::nullopt;
    }
    return value;
  }
  const size_t first = digits.find_first_not_of(' ');
  digits.remove_prefix(std::min(first, digits.size()));
  for (const char c : digits) {
    if (c == ' ' || c == '\0') break;
    if (c < '0' || c > '7') return std::nullopt;
    value = value << 3 | static_cast<uint64_t>(c - '0');
    if (value >> 40) return std::nullopt;
  }
  return value;
}

// The path of a pax header, records of "<length> <name>=<value>\n"; "" without one.
std::string PathOfPax(std::string_view records) {
  std::string path;
  while (!records.empty()) {
    size_t length = 0, digits = 0;
    while (digits < records.size() && digits < 6 && records[digits] >= '0' &&
           records[digits] <= '9')
      length = length * 10 + static_cast<size_t>(records[digits++] - '0');
    if (length <= digits + 1 || length > records.size()) return path;
    std::string_view record = records.substr(digits + 1, length - digits - 2);
    if (record.starts_with("path=")) path = record.substr(5);
    records.remove_prefix(length);
  }
  return path;
}

struct Entry {
  std::string path;
  uint64_t size = 0;
  char kind = '0';
};

Result<Entry> EntryOf(std::string_view block) {
  std::optional<uint64_t> size = NumberAt(block, tar::kSize), sum = NumberAt(block, tar::kSum);
  if (!size || !sum || *sum != tar::SumOf(block))
    return Error{Code::kInvalid, "this is no tar archive, or a damaged one"};
  Entry entry{std::string(TextAt(block, tar::kName)), *size, block[tar::kKindAt]};
  if (const std::string_view prefix = TextAt(block, tar::kPrefix);
      !prefix.empty() && block.substr(tar::kMagicAt, 6) == std::string_view("ustar\0", 6))
    entry.path = std::string(prefix) + "/" + entry.path;
  return entry;
}

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

Status TarReader::Push(std::string_view bytes) {
  while (!bytes.empty()) {
    if (ended_) {  // a second empty block, and what fills up the last record of a tape
      if (bytes.find_first_not_of('\0') == bytes.npos) return {};
      return Error{Code::kInvalid, "there is something behind the archive's end"};
    }
    const size_t skipped = static_cast<size_t>(std::min<uint64_t>(skip_, bytes.size()));
    bytes.remove_prefix(skipped);
    skip_ -= skipped;
    const std::string_view part = bytes.substr(0, wanted_ - open_.size());
    open_ += part;
    bytes.remove_prefix(part.size());
    if (open_.size() == wanted_) RETURN_IF_ERROR(in_header_ ? TakeHeader() : TakeBytes());
  }
  return {};
}

Status TarReader::Finish() const {
  return ended_ ? Status() : Error{Code::kInvalid, "the archive was cut off"};
}

Status TarReader::TakeHeader() {
  const std::string block = std::exchange(open_, std::string());
  ended_ = block.find_first_not_of('\0') == block.npos;
  if (ended_) return {};
  ASSIGN_OR_RETURN(Entry entry, EntryOf(block));
  kind_ = entry.kind;
  const bool names_next = kind_ == 'L' || kind_ == 'x';
  if (names_next && entry.size > 16 * kMaxPathBytes)
    return Error{Code::kInvalid, "a path in the archive is too long"};
  skip_ = entry.size + tar::Padding(entry.size);
  // Of the archive, of a label, of where a link leads.
  if (kind_ == 'g' || kind_ == 'V' || kind_ == 'K') return {};
  if (!names_next) {
    path_ = next_path_.empty() ? std::move(entry.path) : std::exchange(next_path_, std::string());
    // 7: contiguous, as a tape once had files. A name of an old archive's directory ends with /.
    const bool directory = kind_ == '5' || path_.ends_with('/');
    const bool file = !directory && (kind_ == '0' || kind_ == '\0' || kind_ == '7');
    const bool wanted = file && (!handlers_.wants || handlers_.wants(path_));
    if (wanted && entry.size > handlers_.max_bytes) {
      if (handlers_.on_too_large) handlers_.on_too_large(path_);
      return {};
    }
    if (!wanted) {
      if (!directory && handlers_.on_passed) handlers_.on_passed(path_, file);
      return {};
    }
  }
  in_header_ = false;
  wanted_ = static_cast<size_t>(entry.size);
  skip_ = 0;
  return wanted_ == 0 ? TakeBytes() : Status();
}

Status TarReader::TakeBytes() {
  const std::string bytes = std::exchange(open_, std::string());
  skip_ = tar::Padding(wanted_);
  wanted_ = kBlock;
  in_header_ = true;
  if (kind_ != 'L' && kind_ != 'x') return handlers_.on_file(path_, bytes);
  std::string path = kind_ == 'x' ? PathOfPax(bytes) : bytes.substr(0, bytes.find('\0'));
  if (path.size() > kMaxPathBytes)
    return Error{Code::kInvalid, "a path in the archive is too long"};
  if (!path.empty()) next_path_ = std::move(path);
  return {};
}

bool StartsAsTar(std::string_view beginning) {
  return beginning.size() >= kBlock && beginning.substr(tar::kMagicAt, 5) == "ustar" &&
         EntryOf(beginning.substr(0, kBlock)).has_value();
}

std::string TarFile(std::string_view path, std::string_view bytes, int64_t modified_ms) {
  if (path.size() <= tar::kName.size) return EntryText('0', path, bytes, modified_ms);
  return EntryText('L', "././@LongLink", std::string(path) + '\0', 0) +
         EntryText('0', path.substr(0, tar::kName.size), bytes, modified_ms);
}

std::string TarEnd() { return std::string(2 * tar::kBlock, '\0'); }

}  // namespace base
