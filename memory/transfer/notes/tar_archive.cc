// Headers, read field by field.
#include "memory/transfer/notes/tar_archive.h"

#include <algorithm>
#include <optional>

#include "lib/base/archive/tar_format.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using base::tar::Field;
using base::tar::kBlock;
using base::tar::kKindAt;
using base::tar::kMagicAt;
using base::tar::kName;
using base::tar::kPrefix;
using base::tar::kSize;
using base::tar::kSum;
using base::tar::Padding;
using base::tar::SumOf;

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

// Bytes of a body in the amounts that a reader asks for.
class Source {
 public:
  explicit Source(http::BodyReader& body) : body_(body) {}

  // Exactly so many; "" at the end of the body, kInvalid when it ends within them.
  Result<std::string> Take(size_t bytes) {
    std::string taken;
    while (taken.size() < bytes) {
      ASSIGN_OR_RETURN(bool more, Fill());
      if (!more && taken.empty()) return taken;
      if (!more) return Cut();
      const size_t part = std::min(bytes - taken.size(), piece_.size() - at_);
      taken.append(piece_, at_, part);
      at_ += part;
    }
    return taken;
  }
  Status Skip(uint64_t bytes) {
    while (bytes > 0) {
      ASSIGN_OR_RETURN(bool more, Fill());
      if (!more) return Cut();
      const size_t part = static_cast<size_t>(std::min<uint64_t>(bytes, piece_.size() - at_));
      at_ += part;
      bytes -= part;
    }
    return {};
  }
  static Error Cut() { return Error{Code::kInvalid, "the archive was cut off"}; }

 private:
  Result<bool> Fill() {
    if (at_ < piece_.size()) return true;
    ASSIGN_OR_RETURN(piece_, body_.Read());
    at_ = 0;
    return !piece_.empty();
  }

  http::BodyReader& body_;
  std::string piece_;
  size_t at_ = 0;
};

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
  std::optional<uint64_t> size = NumberAt(block, kSize), sum = NumberAt(block, kSum);
  if (!size || !sum || *sum != SumOf(block))
    return Error{Code::kInvalid, "this is no tar archive, or a damaged one"};
  Entry entry{std::string(TextAt(block, kName)), *size, block[kKindAt]};
  if (const std::string_view prefix = TextAt(block, kPrefix);
      !prefix.empty() && block.substr(kMagicAt, 6) == std::string_view("ustar\0", 6))
    entry.path = std::string(prefix) + "/" + entry.path;
  return entry;
}

class TarReader {
 public:
  TarReader(http::BodyReader& body, const TarHandlers& handlers)
      : source_(body), handlers_(handlers) {}

  Status Read() {
    for (;;) {
      ASSIGN_OR_RETURN(std::string block, source_.Take(kBlock));
      if (block.empty()) return Source::Cut();
      if (std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; }))
        return ReadRest();
      ASSIGN_OR_RETURN(Entry entry, EntryOf(block));
      RETURN_IF_ERROR(Take(std::move(entry)));
    }
  }

 private:
  Status Take(Entry entry) {
    const bool long_name = entry.kind == 'L', pax = entry.kind == 'x';
    if (long_name || pax) {
      if (entry.size > 16 * kMaxPathBytes)
        return Error{Code::kInvalid, "a path in the archive is too long"};
      ASSIGN_OR_RETURN(std::string bytes, Bytes(entry.size));
      std::string path = pax ? PathOfPax(bytes) : bytes.substr(0, bytes.find('\0'));
      if (path.size() > kMaxPathBytes)
        return Error{Code::kInvalid, "a path in the archive is too long"};
      if (!path.empty()) next_path_ = std::move(path);
      return {};
    }
    // Of the archive, of a label, of where a link leads.
    if (entry.kind == 'g' || entry.kind == 'V' || entry.kind == 'K')
      return source_.Skip(entry.size + Padding(entry.size));
    if (!next_path_.empty()) entry.path = std::exchange(next_path_, std::string());
    // 7: contiguous, as a tape once had files. A name of an old archive's directory ends with /.
    const bool directory = entry.kind == '5' || entry.path.ends_with('/');
    const bool file = !directory && (entry.kind == '0' || entry.kind == '\0' || entry.kind == '7');
    const bool wanted = file && handlers_.wants(entry.path);
    if (wanted && entry.size <= handlers_.max_bytes) {
      ASSIGN_OR_RETURN(std::string bytes, Bytes(entry.size));
      return handlers_.on_file(entry.path, bytes);
    }
    if (wanted) handlers_.on_too_large(entry.path);
    if (!wanted && !directory && handlers_.on_passed) handlers_.on_passed(entry.path, file);
    return source_.Skip(entry.size + Padding(entry.size));
  }

  Result<std::string> Bytes(uint64_t size) {
    if (size == 0) return std::string();
    ASSIGN_OR_RETURN(std::string bytes, source_.Take(static_cast<size_t>(size)));
    if (bytes.empty()) return Source::Cut();
    RETURN_IF_ERROR(source_.Skip(Padding(size)));
    return bytes;
  }

  // A second empty block, and what fills up the last record of the tape.
  Status ReadRest() {
    for (;;) {
      ASSIGN_OR_RETURN(std::string block, source_.Take(1));
      if (block.empty()) return {};
      if (block[0] != '\0')
        return Error{Code::kInvalid, "there is something behind the archive's end"};
    }
  }

  Source source_;
  const TarHandlers& handlers_;
  std::string next_path_;  // of the entry that follows
};

}  // namespace

Result<std::optional<TarEntry>> FirstTarFile(std::string_view archive) {
  TarEntry file;
  std::string long_path;
  while (archive.size() >= file.end + kBlock) {
    const std::string_view block = archive.substr(file.end, kBlock);
    if (block.find_first_not_of('\0') == block.npos) {
      file.end += kBlock;
      return std::optional(std::move(file));
    }
    ASSIGN_OR_RETURN(Entry entry, EntryOf(block));
    const std::string_view rest = archive.substr(file.end + kBlock);
    if (rest.size() < entry.size + Padding(entry.size)) break;
    file.end += kBlock + static_cast<size_t>(entry.size) + Padding(entry.size);
    file.bytes = rest.substr(0, static_cast<size_t>(entry.size));
    if (entry.kind == 'L') {
      long_path = file.bytes.substr(0, file.bytes.find('\0'));
      continue;
    }
    file.path = long_path.empty() ? std::move(entry.path) : std::move(long_path);
    return std::optional(std::move(file));
  }
  return std::optional<TarEntry>();
}

bool StartsAsTar(std::string_view beginning) {
  return beginning.size() >= kBlock && beginning.substr(kMagicAt, 5) == "ustar" &&
         EntryOf(beginning.substr(0, kBlock)).has_value();
}

Status ReadTar(http::BodyReader& body, const TarHandlers& handlers) {
  return TarReader(body, handlers).Read();
}

}  // namespace memory
