// The thread that checks the files of open tenants for corruption: soon after opening, once a day,
// and at once after a report. The thread uses a tenth of a processor at most. An index that
// disagrees with sound tables is rebuilt from the rows.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "lib/base/process/clock.h"
#include "lib/telemetry/metrics.h"
#include "memory/sqlite/engine/soundness.h"
#include "memory/sqlite/engine/tenants.h"

namespace memory {

class SoundnessChecks {
 public:
  // `every_ms` 0: checks only files in which a call reported corruption. All outlive this.
  SoundnessChecks(Tenants& tenants, Soundness& soundness, const base::Clock& clock,
                  telemetry::Metrics& metrics, int64_t every_ms);
  ~SoundnessChecks();  // Stop()
  void Start();        // the thread
  void Stop();         // ends the check that runs

 private:
  void Round(const std::stop_token& stop);
  void Check(SqliteStore& store, const std::stop_token& stop);
  base::Status Mend(SqliteStore& store, const base::Error& damage, const std::stop_token& stop);
  bool IsDue(const std::string& file);
  bool Rest(const std::stop_token& stop, int64_t ms);  // false: stopped
  void RestAfter(const std::stop_token& stop, int64_t ms);

  Tenants& tenants_;
  Soundness& soundness_;
  const base::Clock& clock_;
  telemetry::Metrics& metrics_;
  const int64_t every_ms_;
  struct Due {
    int64_t at_ms = 0;         // of the regular check
    int64_t suspected_ms = 0;  // the earliest time for a check after a report
  };
  std::map<std::string, Due> due_;  // by file; the thread's own
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace memory
