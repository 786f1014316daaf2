// `agent-memory-operator render`: prints the objects that an Agent would own, with the code of the
// reconcilers. Reads only files; talks to no cluster.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace controller {

// `arguments`: after the word render. Returns the exit code: 0; 1: a file or an object is refused
// (each fault on `err`); 64: a wrong call.
int RunRender(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace controller
