// ui: the address of the web console, and how to sign in.
#include <ostream>

#include "client/commands/runs.h"
#include "client/memory/calls.h"
#include "lib/base/text/text.h"

namespace client {

int ShowConsole(Call& call, const MemoryCalls& memory) {
  if (!call.Text("file").empty())
    return call.Usage("the console shows a running memory; 'agent-memory import' takes a file in");
  const auto facts = memory.Get("/ui/facts");
  if (!facts && facts.error().code == base::Code::kNotFound) {
    return call.Fail({base::Code::kNotFound,
                      memory.url() +
                          " serves no console: it is a sidecar, an earlier version, or a memory "
                          "server with --ui false; start the server with --ui true"});
  }
  if (!facts) return call.Fail(facts.error());
  std::string url = memory.url();
  while (url.ends_with('/')) url.pop_back();
  call.out << url << "/ui/" << std::endl;
  if (base::StringAt(*facts, {"auth"}) == "kubernetes") {
    const std::string given = call.Text("n");
    call.err << "sign in with what this prints: kubectl create token NAME --namespace "
             << (given.empty() ? "NAMESPACE" : Inert(given)) << " --duration 1h --audience "
             << Inert(base::StringAt(*facts, {"audience"})) << "\n";
  }
  return kOk;
}

}  // namespace client
