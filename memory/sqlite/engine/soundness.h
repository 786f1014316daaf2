// Which files of the data directory are known to be damaged, and what to do about each: readiness
// asks here. Looking for damage is soundness_checks.h.
#pragma once

#include <map>
#include <string>

#include "lib/base/guarded.h"
#include "lib/base/result.h"

namespace memory {

// Any thread.
class Soundness {
 public:
  // A call met damage in a file: it counts as damaged until a check says what it is.
  void ReportDamage(const std::string& file, const base::Error& error);
  // What a check found; it stands until the next one.
  void SetDamaged(const std::string& file, const base::Error& error);
  void SetSound(const std::string& file);
  bool Suspected(const std::string& file) const;  // damage was met, and not looked into yet
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
