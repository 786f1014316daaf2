// The project's own samples in `render` and `explain`: each file, and all of them in any order.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <sstream>

#include "lib/base/process/file.h"
#include "operator/commands/commands.h"

namespace controller {
namespace {

namespace fs = std::filesystem;

struct SampleRun {
  int code;
  std::string out, err;
};

template <class Command>
SampleRun CallCommand(Command command, const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = command(arguments, out, err);
  return {code, out.str(), err.str()};
}

std::vector<std::string> Samples() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator("config/samples"))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

bool Holds(const std::string& file, const std::string& line) {
  return base::ReadFile(file).value().find(line) != std::string::npos;
}

TEST(Samples, AllAreAcceptedInAnyOrder) {
  std::vector<std::string> files = Samples();
  ASSERT_GE(files.size(), 10u);
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 10; ++round) {
    std::ranges::shuffle(files, random);
    std::vector<std::string> words = files;
    words.insert(words.begin() + round, {"--memory-url", "http://127.0.0.1:7437"});
    const SampleRun rendered = CallCommand(RunRender, words);
    EXPECT_EQ(rendered.code, 0) << rendered.err;
    EXPECT_NE(rendered.out.find("  name: review-xxxxx"), std::string::npos)
        << "the Job of a generateName\n"
        << rendered.err;
    const SampleRun explained = CallCommand(RunExplain, files);
    EXPECT_EQ(explained.code, 0) << explained.err;
    EXPECT_NE(explained.err.find("a Pod of Deployment agents/assistant gets the memory of Agent "
                                 "agents/helper"),
              std::string::npos)
        << explained.err;
  }
}

TEST(Samples, EachAloneRendersOrNamesWhatIsMissing) {
  for (const std::string& file : Samples()) {
    const SampleRun alone = CallCommand(RunRender, {file});
    const bool agent = Holds(file, "\nkind: Agent\n");
    EXPECT_EQ(alone.code, agent ? 0 : 1) << file << ": " << alone.err;
    EXPECT_EQ(alone.err.find("no Agent in the files") != std::string::npos, !agent) << alone.err;
    EXPECT_EQ(CallCommand(RunRender, {"-f", file}).out, alone.out) << "-f is the same";
  }
}

TEST(Samples, FlagsMayFollowFiles) {
  const std::string agent = "config/samples/foreign-pods/agent-for-others.yaml",
                    workload = "config/samples/foreign-pods/workload-of-others.yaml";
  const SampleRun wanted = CallCommand(RunExplain, {"pod", "-f", workload, "-f", agent});
  EXPECT_EQ(wanted.code, 0) << wanted.err;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{agent, workload},
                                             {"--namespace", "x", workload, "pod", agent},
                                             {"-f", agent, workload}})
    EXPECT_EQ(CallCommand(RunExplain, words).out, wanted.out);
  const SampleRun mistyped = CallCommand(RunExplain, {agent, "--sidecar-imag", "x"});
  EXPECT_EQ(mistyped.code, 64);
  EXPECT_NE(mistyped.err.find("unknown flag --sidecar-imag; did you mean '--sidecar-image'? "),
            std::string::npos)
      << mistyped.err;
  EXPECT_EQ(CallCommand(RunRender, {"help"}).code, 0);
}

}  // namespace
}  // namespace controller
