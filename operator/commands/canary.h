// `agent-memory-operator canary`: creates an Agent, runs it once, and reports how far that got. For
// `helm test`; observes the operator only through the API server.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace controller {

// `arguments`: after the word canary. Blocks until the run has ended or the timeout, then deletes
// its objects. Writes progress to `out`, and a failure to `err`. Returns the exit code: 0: the run
// succeeded; 1: it did not; 64: a wrong call.
int RunCanary(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace controller
