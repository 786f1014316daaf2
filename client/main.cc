// The main function of agent-memory.
#include <iostream>

#include "client/command.h"
#include "lib/base/process/log.h"
#include "lib/base/process/shutdown.h"
#include "lib/http/client/client.h"

int main(int argc, char** argv) {
  // Before the first thread: `up` waits for signals, which end the other commands directly.
  if (argc > 1 && std::string_view(argv[1]) == "up") base::BlockSignals();
  base::SetLogProgram("agent-memory");
  http::InitializeClientThread();
  return client::RunClient({argv + 1, argv + argc}, client::ThisScreen(), std::cin, std::cout,
                           std::cerr);
}
