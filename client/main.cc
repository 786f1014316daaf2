// agent-memory: words in, exit code out.
#include <iostream>

#include "client/command.h"
#include "lib/base/log.h"
#include "lib/http/client.h"

int main(int argc, char** argv) {
  base::SetLogProgram("agent-memory");
  http::InitializeClientThread();
  return client::RunClient({argv + 1, argv + argc}, client::ThisScreen(), std::cin, std::cout,
                           std::cerr);
}
