// The engine of a test's server, by AGENT_MEMORY_TEST_STORE: sqlite (or nothing), or postgres on
// the server of the tier (e2e/support/postgres.py), where each test has a database of its own. Test
// code.
#pragma once

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "lib/base/process/random.h"
#include "memory/server_settings.h"

namespace memory {

class ChosenStore {
 public:
  ChosenStore() = default;
  ChosenStore(const ChosenStore&) = delete;
  ChosenStore& operator=(const ChosenStore&) = delete;
  ~ChosenStore() {
    while (!made_.empty()) Drop(made_.begin()->first);
  }
  static bool OnPostgres() {
    const char* chosen = std::getenv("AGENT_MEMORY_TEST_STORE");
    return chosen && std::string(chosen) == "postgres";
  }
  // The store that belongs to the settings' data_dir.
  void Use(ServerSettings& settings) {
    if (!OnPostgres()) return;
    std::string& name = made_[settings.data_dir];
    if (name.empty()) {
      name = "t" + base::RandomHex(8);
      ASSERT_TRUE(Run({"createdb", name}));
    }
    settings.engine.store = "postgres";
    settings.engine.dsn_file = settings.data_dir + ".dsn";
    std::ofstream(settings.engine.dsn_file)
        << "host=" << Server() << " user=postgres dbname=" << name;
  }
  // The store of a data_dir that the test removed.
  void Drop(const std::string& data_dir) {
    if (auto made = made_.extract(data_dir)) Run({"dropdb", "--force", made.mapped()});
  }

 private:
  static std::string Server() {
    const char* directory = std::getenv("AGENT_MEMORY_TEST_POSTGRES");
    return directory ? directory : "";
  }
  static bool Run(std::vector<std::string> words) {
    words.insert(words.begin() + 1, {"-h", Server(), "-U", "postgres"});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = -1;
    int status = -1;
    return posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ) == 0 &&
           waitpid(child, &status, 0) == child && status == 0;
  }
  std::map<std::string, std::string> made_;  // databases, by data_dir
};

}  // namespace memory
