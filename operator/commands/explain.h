// `agent-memory-operator explain pod`: what the admission policies make of foreign pods, and why
// not, from files alone. Reads files and prints; talks to no cluster.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace controller {

// `arguments` are those behind the word explain. Pods go to `out` as they would be stored, reasons
// to `err`. Returns the exit code: 0; 1 when a file, an object or a pod is refused; 64 for a wrong
// call.
int RunExplain(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace controller
