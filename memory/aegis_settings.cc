// Look-ups and their limits.
#include "memory/aegis_settings.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "lib/base/text/text.h"
#include "lib/conversation/working/fields.h"

namespace memory {
namespace {

using base::Code;
using base::Error;
using base::Result;

constexpr const char* kPort = "8002";

std::optional<std::string> Value(const std::vector<std::string>& environment,
                                 const std::string& name) {
  for (const std::string& entry : environment)
    if (entry.starts_with(name + "=") && entry.size() > name.size() + 1)
      return entry.substr(name.size() + 1);
  return std::nullopt;
}

Result<int64_t> WholeNumber(const std::string& name, const std::string& text, int64_t most) {
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && end == text.data() + text.size() && number >= 1 && number <= most)
    return number;
  return Error{Code::kInvalid, name + " must be a whole number from 1 to " + std::to_string(most) +
                                   ", it is \"" + base::Ellipsize(text, 40) + "\""};
}

bool IsHeaderText(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 32 && c < 127; });
}

}  // namespace

Result<AegisEnvironment> ReadAegisEnvironment(const std::vector<std::string>& environment) {
  AegisEnvironment read;
  read.host = Value(environment, "MEMORY_HOST");
  read.port = Value(environment, "MEMORY_PORT");
  if (read.port && read.port->find("://") != std::string::npos) read.port.reset();
  if (read.port) {
    ASSIGN_OR_RETURN([[maybe_unused]] const int64_t port,
                     WholeNumber("MEMORY_PORT", *read.port, 65'535));
  }
  if (const auto ttl = Value(environment, "WORKING_MEMORY_TTL")) {
    ASSIGN_OR_RETURN(const int64_t seconds,
                     WholeNumber("WORKING_MEMORY_TTL", *ttl, conversation::kMaxFieldTtlSeconds));
    read.working_memory_ttl_ms = seconds * 1000;
  }
  read.openai_key = Value(environment, "OPENAI_API_KEY");
  read.embedding_model = Value(environment, "EMBEDDING_MODEL");
  for (const auto& [name, value] :
       {std::pair("OPENAI_API_KEY", &read.openai_key), {"EMBEDDING_MODEL", &read.embedding_model}})
    if (*value && ((*value)->size() > 4096 || !IsHeaderText(**value)))
      return Error{Code::kInvalid, std::string(name) + " must be printable ASCII"};
  std::string names;
  for (const char* name : {"REDIS_URL", "DATABASE_URL"}) {
    if (!Value(environment, name)) continue;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (!names.empty()) read.warning = names + ": not used; the store is the files of data-dir";
  return read;
}

std::string AegisAddress(const AegisEnvironment& environment, const std::string& default_host) {
  if (!environment.host && !environment.port) return "";
  const std::string host = environment.host.value_or(default_host);
  const bool v6 = host.find(':') != std::string::npos && !host.starts_with("[");
  return (v6 ? "[" + host + "]" : host) + ":" + environment.port.value_or(kPort);
}

}  // namespace memory
