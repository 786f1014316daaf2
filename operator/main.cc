// The operator: settings, then either one of the subcommands or the loop.
#include <iostream>

#include "operator/render.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  if (arguments.size() > 1 && arguments[1] == "render")
    return controller::RunRender({arguments.begin() + 2, arguments.end()}, std::cout, std::cerr);
  std::cerr << "agent-memory-operator: only render so far\n";
  return 64;
}
