// `agent-memory-operator canary`: makes an Agent and runs it once, and says how far that got. For
// `helm test`; not the operator, whose work it watches through the API server alone.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace controller {

// `arguments` are those behind the word canary. Blocks until the run has ended or the time is over,
// and removes what it made. Progress goes to `out`, the one thing that is wrong to `err`. Returns
// the exit code: 0: the run succeeded; 1: it did not; 64 for a wrong call.
int RunCanary(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace controller
