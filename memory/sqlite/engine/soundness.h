// The files of the data directory that are known to be damaged, for readiness. Checks for damage
// are soundness_checks.h.
#pragma once

#include <map>
#include <string>

#include "lib/base/guarded.h"
#include "lib/base/result.h"

namespace memory {

// Any thread.
class Soundness {
 public:
  // A call failed because of damage in a file: the file counts as damaged until a check decides.
  void ReportDamage(const std::string& file, const base::Error& error);
  // The result of a check; valid until the next check.
  void SetDamaged(const std::string& file, const base::Error& error);
  void SetSound(const std::string& file);
  bool Suspected(const std::string& file) const;  // damage was reported, and not checked yet
  bool AnySuspected() const;
  size_t Damaged() const;  // files
  // Ok; or kUnavailable: which file, what was found, what to do.
  base::Status Read() const;

 private:
  struct Damage {
    std::string reason;
    bool checked = false;
  };
  base::Guarded<std::map<std::string, Damage>> damages_;
};

}  // namespace memory
