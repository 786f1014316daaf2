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
  // An empty file "<beside>.spool-…" (mode 0600), which counts for `charge`; kFull, kInternal.
  static base::Result<Spool> Make(const std::string& beside, SpoolCharge charge = {});
  // Removes what a crash left of earlier ones.
  static void RemoveLeftovers(const std::string& beside);

  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&&) = delete;
  ~Spool();  // removes the file
  // Takes its name away now: it can still be read, and nobody else finds it.
  void Unname();

  const std::string& path() const { return path_; }
  // kFull, also when less than 16 MiB would be left for everybody else, and as SpoolCharge::Set.
  base::Status Append(std::string_view bytes);
  // Before somebody else writes so many bytes; errors as of SpoolCharge::Set.
  base::Status Charge(int64_t bytes) { return charge_.Set(bytes); }
  base::Status CheckRoom(int64_t bytes) const;  // kFull as Append
  // The next bytes from the beginning on, empty at the end. The file's present content, whoever
  // wrote it.
  base::Result<std::string> Read();
  // Keeps something as long as the file is there.
  void Hold(std::shared_ptr<void> held) { held_ = std::move(held); }

 private:
  Spool(std::string path, int descriptor, SpoolCharge charge)
      : path_(std::move(path)), descriptor_(descriptor), charge_(std::move(charge)) {}
  std::string path_;
  int descriptor_;
  SpoolCharge charge_;
  int64_t written_ = 0;    // bytes appended
  int64_t read_ = 0;       // bytes
  int64_t unchecked_ = 0;  // bytes appended since the room was looked at
  bool named_ = true;
  std::shared_ptr<void> held_;
};

}  // namespace memory
