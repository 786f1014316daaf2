// The common parts of export and import: options, errors, and the request.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "lib/http/message/message.h"
#include "memory/commands/move_host.h"
#include "memory/identity/shared_access.h"

namespace memory {

// sysexits
inline constexpr int kInterrupted = 130;
inline constexpr int kGood = 0, kFailed = 1, kBadUsage = 64, kNoInput = 66, kCannotCreate = 73,
                     kMemoryInUse = 75;

struct Move {
  const MoveHost& host;
  const base::Settings& settings;
  std::string path;
  std::ostream &out, &err;
  bool terminal;

  int Fail(const base::Error& error, int code = kFailed) const;  // prints it → the exit code
  base::Result<std::unique_ptr<OpenMemory>> Open(bool make) const;
  int FailToOpen(const base::Error& error) const;
  base::Status NotInterrupted() const;
  // Parameters that are set, flags as true or false.
  http::Request RequestOf(const char* method, const char* target,
                          std::initializer_list<const char*> parameters,
                          std::initializer_list<const char*> flags = {}) const;
};

// Who owns the files of a data directory reads and writes what every Agent shares.
class OwnsTheFiles final : public SharedAccess {
 public:
  base::Result<bool> May(const SharedCaller&, SharedVerb, const std::string&) override {
    return true;
  }
  base::Result<bool> MayListAll(const SharedCaller&) override { return true; }
};

base::Status StatusOfAnswer(const http::Response& response);
int64_t SteadyMs();
bool IsOfFolders(std::string_view format);  // a folder can have notes alone
base::Error NoFolder(const std::string& format);

int RunExport(const Move& move);
int RunImport(const Move& move);

}  // namespace memory
