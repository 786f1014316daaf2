// The corrupt files of the data directory, for readiness. soundness_checks.h checks files.
#pragma once

#include <map>
#include <string>

#include "lib/base/guarded.h"
#include "lib/base/result.h"

namespace memory {

// Any thread.
class Soundness {
 public:
  // A call reported corruption in a file: the file counts as corrupt until a check decides.
  void ReportDamage(const std::string& file, const base::Error& error);
  // The result of a check; valid until the next check.
  void SetDamaged(const std::string& file, const base::Error& error);
  void SetSound(const std::string& file);
  bool Suspected(const std::string& file) const;  // reported and not checked yet
  bool AnySuspected() const;
  size_t Damaged() const;  // files
  // Ok; or kUnavailable with the file, the finding and the remedy.
  base::Status Read() const;

 private:
  struct Damage {
    std::string reason;
    bool checked = false;
  };
  base::Guarded<std::map<std::string, Damage>> damages_;
};

}  // namespace memory
