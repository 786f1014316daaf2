// Reads turns, a JSON object {"user", "assistant"} per line, and prints for each its candidate
// facts and the processor time of their extraction in microseconds, the least of three runs.
//   extraction_turns < TURNS
#include <algorithm>
#include <ctime>
#include <iostream>
#include <string>

#include "lib/base/json/json.h"
#include "memory/extract/extract.h"

namespace {

double Microseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto turn = base::Json::parse(line, nullptr, false);
    if (turn.is_discarded()) return 1;
    const std::string user = turn.value("user", ""), assistant = turn.value("assistant", "");
    std::vector<memory::FactCandidate> facts;
    double least = 1e12;
    for (int round = 0; round < 3; ++round) {
      const double begin = Microseconds();
      facts = memory::ExtractFacts(user, assistant);
      least = std::min(least, Microseconds() - begin);
    }
    base::Json out = {{"microseconds", least}, {"facts", base::Json::array()}};
    for (const memory::FactCandidate& fact : facts)
      out["facts"].push_back({{"category", NameOf(fact.category)},
                              {"content", fact.content},
                              {"importance", fact.importance},
                              {"said_by", NameOf(fact.said_by)}});
    std::cout << out.dump() << "\n";
  }
}
