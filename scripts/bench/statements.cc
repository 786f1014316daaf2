// Reads prompts, one a line (\n: two characters), and prints for each what sidecar/rules/stated.h
// keeps of it, and with --features its sentences with their features, as JSON.
//   statements [--features] < PROMPTS
#include <iostream>
#include <string>
#include <string_view>

#include "lib/base/json/json.h"
#include "sidecar/rules/stated.h"
#include "sidecar/rules/stated_features.h"
#include "sidecar/rules/stated_words.h"

int main(int count, char** arguments) {
  const bool features = count > 1 && std::string_view(arguments[1]) == "--features";
  for (std::string line; std::getline(std::cin, line);) {
    for (size_t at = 0; (at = line.find("\\n", at)) != std::string::npos;)
      line.replace(at, 2, "\n");
    base::Json out = {{"kept", nullptr}};
    if (const auto stated = sidecar::StatedIn(line))
      out = {{"kept", stated->words},
             {"type", std::string(sidecar::NameOf(stated->kind))},
             {"score", stated->score},
             {"signs", stated->signs}};
    if (features) {
      const auto sentences = sidecar::SentencesOf(line);
      out["sentences"] = base::Json::array();
      for (size_t i = 0; i < sentences.size(); ++i)
        out["sentences"].push_back({{"text", std::string(sentences[i].text)},
                                    {"features", sidecar::StatedFeatures(sentences, i)}});
    }
    std::cout << out.dump(-1, ' ', false, base::Json::error_handler_t::replace) << "\n";
  }
}
