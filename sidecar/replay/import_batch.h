// Rows of replayed sessions on their way to the memory server: many a request, in the form of an
// export, whose import takes each row once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/http/client/client.h"
#include "sidecar/replay/session_replay.h"

namespace sidecar {

// One thread.
class ImportBatch {
 public:
  // An empty `server`: rows are only counted.
  static base::Result<ImportBatch> To(const std::string& server);

  void Add(base::Json observation);
  // `grown`: the server has an earlier end of the session, which this one replaces.
  void Add(SessionReplay::End end, bool grown);
  bool IsFull() const;

  struct Taken {
    int64_t imported = 0, skipped = 0;
    std::vector<std::string> errors;  // of rows that the server refused
  };
  // Sends all rows. An error: the server did not take them; sending them again is safe.
  base::Result<Taken> Flush();

 private:
  struct Ended {
    SessionReplay::End end;
    size_t digest = SIZE_MAX;  // its place in observations_
    bool grown = false;
  };
  explicit ImportBatch(std::unique_ptr<http::Client> server) : server_(std::move(server)) {}
  base::Result<base::Json> Post(const std::string& target, std::string body) const;
  base::Status Replace(const Ended& ended, Taken& taken) const;

  std::unique_ptr<http::Client> server_;
  base::Json observations_ = base::Json::array(), sessions_ = base::Json::array();
  std::vector<Ended> ended_;
  size_t bytes_ = 0;
};

}  // namespace sidecar
