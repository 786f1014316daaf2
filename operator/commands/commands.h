// The subcommands of agent-memory-operator. `render` prints the objects that an Agent would own,
// with the code of the reconcilers; `explain pod` shows how the admission policies change foreign
// pods, or why they do not: both read only files and talk to no cluster. `canary`, for `helm test`,
// creates an Agent, runs it once, and reports how far that got; it observes the operator only
// through the API server.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace controller {

// `arguments`: after the word render. Returns the exit code: 0; 1: a file or an object is refused
// (each fault on `err`); 64: a wrong call.
int RunRender(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

// `arguments`: after the word explain. Writes pods in their stored form to `out`, reasons to `err`.
// Returns the exit code: 0; 1: a file, an object or a pod is refused; 64: a wrong call.
int RunExplain(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

// `arguments`: after the word canary. Blocks until the run has ended or the timeout, then deletes
// its objects. Writes progress to `out`, and a failure to `err`. Returns the exit code: 0: the run
// succeeded; 1: it did not; 64: a wrong call.
int RunCanary(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace controller
