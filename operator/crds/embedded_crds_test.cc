// The embedded CRDs equal the files of the repository.
#include "operator/crds/embedded_crds.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "lib/base/process/file.h"

namespace controller {
namespace {

TEST(EmbeddedCrds, EqualTheFilesOfTheRepository) {
  std::set<std::string> embedded(EmbeddedCrds().begin(), EmbeddedCrds().end());
  for (const char* kind : {"agent", "agentrun", "agenttool", "memoryserver"})
    EXPECT_TRUE(embedded.contains(base::ReadFile(std::string("crds/") + kind + ".yaml").value()))
        << kind;
}

}  // namespace
}  // namespace controller
