// `agent-memory-operator render`: what an Agent would own, from files alone, made by the code that
// reconciles. Reads files and prints; talks to no cluster.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace controller {

// `arguments` are those behind the word render. Returns the exit code: 0; 1 when a file or an
// object is refused (each fault on `err`); 64 for a wrong call.
int RunRender(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace controller
