// `agent-memory-operator explain pod`: shows how the admission policies change foreign pods, or why
// they do not. Reads only files; talks to no cluster.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace controller {

// `arguments`: after the word explain. Writes pods in their stored form to `out`, reasons to `err`.
// Returns the exit code: 0; 1: a file, an object or a pod is refused; 64: a wrong call.
int RunExplain(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace controller
