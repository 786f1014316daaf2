// A temporary file beside a store for an upload or a copy. The destructor removes the file; after a
// crash the next start does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "memory/volume/spool_budget.h"

namespace memory {

class Spool {
 public:
  // An empty file "<beside>.spool-…" (mode 0600), accounted to `charge`; kFull, kInternal.
  static base::Result<Spool> Make(const std::string& beside, SpoolCharge charge = {});
  // Removes spools that a crash left.
  static void RemoveLeftovers(const std::string& beside);

  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&&) = delete;
  ~Spool();  // removes the file
  // Unlinks the file, which stays readable through this object.
  void Unname();

  const std::string& path() const { return path_; }
  // kFull, also if less than 16 MiB would stay free, and like SpoolCharge::Set.
  base::Status Append(std::string_view bytes);
  // Reserves `bytes` before another writer writes the file; errors like SpoolCharge::Set.
  base::Status Charge(int64_t bytes) { return charge_.Set(bytes); }
  base::Status CheckRoom(int64_t bytes) const;  // kFull like Append
  // The next bytes, from the beginning on; empty at the end. Also bytes of another writer.
  base::Result<std::string> Read();
  // Keeps an object alive as long as the file.
  void Hold(std::shared_ptr<void> held) { held_ = std::move(held); }

 private:
  Spool(std::string path, int descriptor, SpoolCharge charge)
      : path_(std::move(path)), descriptor_(descriptor), charge_(std::move(charge)) {}
  std::string path_;
  int descriptor_;
  SpoolCharge charge_;
  int64_t written_ = 0;    // bytes appended
  int64_t read_ = 0;       // bytes
  int64_t unchecked_ = 0;  // bytes appended since the last check of free space
  bool named_ = true;
  std::shared_ptr<void> held_;
};

}  // namespace memory
