// The version is in bytes 60 to 63 of an SQLite file, big-endian (PRAGMA user_version). A WAL may
// contain a newer one: SqliteStore::Open checks that.
#include "memory/sqlite/engine/schema_guard.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "memory/sqlite/engine/tenants.h"
#include "memory/sqlite/tables/schema.h"

namespace memory {
namespace {

constexpr size_t kVersionAt = 60;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr uint32_t kNoVersion = 10'000;  // from here on it is corruption, which affects one tenant

uint32_t SchemaOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, kVersionAt + 4> head{};
  if (!file.read(head.data(), head.size())) return 0;
  if (std::string_view(head.data(), kMagic.size()) != kMagic) return 0;
  uint32_t version = 0;
  for (size_t i = kVersionAt; i < head.size(); ++i)
    version = version << 8 | static_cast<unsigned char>(head[i]);
  return version < kNoVersion ? version : 0;
}

}  // namespace

base::Status RefuseNewerSchemas(const std::string& directory) {
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(directory, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() != kTenantFileDigits) continue;
    const uint32_t version = SchemaOf(entry->path());
    if (version <= SchemaSteps().size()) continue;
    return base::Error{base::Code::kInvalid,
                       entry->path().string() + " has schema version " + std::to_string(version) +
                           ", this program (" AGENT_MEMORY_VERSION ") knows " +
                           std::to_string(SchemaSteps().size()) +
                           ": nothing was changed; start the newer program again or restore a "
                           "backup"};
  }
  return {};
}

}  // namespace memory
