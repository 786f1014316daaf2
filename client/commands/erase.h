// Erases a text from this machine's files beside the memories: what sidecars keep of conversations.
// Says which files still have it. Not for the memories: that is the server's.
#pragma once

#include <string>
#include <vector>

#include "client/terminal/call.h"
#include "lib/base/json/json.h"

namespace client {

// What was erased from a text's copies, and what is left, each with a place and what to do.
struct ErasedHere {
  base::Json erased = base::Json::object();  // by project: rows by their kind
  std::vector<std::string> left;
};
// Asks the sidecar of each repository that has one, and starts it if it does not run. Then looks
// for the texts in all files of the home but the memories. Nothing if memory is not up here.
ErasedHere EraseHere(const Call& call, const std::vector<std::string>& titles,
                     const std::vector<std::string>& texts);

// Parts of a text that stand in a file as they are, whatever its format: the longest runs without
// quotes, backslashes and control characters, 12 to 60 bytes, at most three. Pure.
std::vector<std::string> NeedlesOf(const std::string& text);

}  // namespace client
