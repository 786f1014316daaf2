// Code common to both commands.
#include "memory/commands/move.h"

#include <chrono>
#include <ostream>

#include "lib/base/text/inert.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

int Move::Fail(const Error& error, int code) const {
  if (host.interrupted()) code = kInterrupted;
  err << host.server.name << ": " << base::WithoutMisleading(error.message) << "\n";
  return code;
}

Result<std::unique_ptr<OpenMemory>> Move::Open(bool make) const {
  return host.open(settings, settings.Text("tenant"), make);
}

int Move::FailToOpen(const Error& error) const {
  if (error.code == Code::kNotFound) return Fail(error, kNoInput);
  if (error.code != Code::kConflict) return Fail(error);
  return Fail(
      {error.code, error.message + "; 'agent-memory export' and 'agent-memory import' with --url "
                                   "go through a running server"},
      kMemoryInUse);
}

Status Move::NotInterrupted() const {
  return host.interrupted() ? Error{Code::kUnavailable, "interrupted"} : Status();
}

http::Request Move::RequestOf(const char* method, const char* target,
                              std::initializer_list<const char*> parameters,
                              std::initializer_list<const char*> flags) const {
  http::Request request;
  request.method = method;
  request.path = target;
  for (const char* name : parameters) {
    if (settings.IsSet(name)) request.query.emplace_back(name, settings.Text(name));
  }
  for (const char* name : flags) {
    if (settings.IsSet(name))
      request.query.emplace_back(name, settings.Bool(name) ? "true" : "false");
  }
  return request;
}

Status StatusOfAnswer(const http::Response& response) {
  if (response.status < 400) return {};
  const auto json = base::ParseJson(response.body);
  return Error{http::CodeOf(response.status),
               json ? base::StringAt(*json, {"error"}, response.body) : response.body};
}

int64_t SteadyMs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

bool IsOfFolders(std::string_view format) { return format == "obsidian" || format == "markdown"; }

Error NoFolder(const std::string& format) {
  return {Code::kInvalid,
          "a folder has notes (markdown or obsidian), format is \"" + format + "\": name a file"};
}

}  // namespace memory
