// Writes errors to stderr, with the program's name and with control characters escaped.
#include "client/terminal/call.h"

#include <ostream>

namespace client {

bool Call::json() const {
  const std::string asked = Text("o");
  return asked == "json" || (asked.empty() && !screen.terminal);
}

int Call::Fail(const base::Error& error) const {
  err << "agent-memory: " << Inert(error.message) << "\n";
  return error.code == base::Code::kInvalid ? kUsage : kFailed;
}

int Call::Usage(const std::string& why) const {
  err << "agent-memory: " << Inert(why) << "\n";
  return kUsage;
}

}  // namespace client
