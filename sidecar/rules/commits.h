// Captures the commits of a tool's call: the subject is the title, the body and the files are the
// content. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "sidecar/rules/capture.h"

namespace sidecar {

inline constexpr const char* kCommitRule = "commits";
inline constexpr size_t kMostCommitCharacters = 4'000;  // of a content

// The commits of a call that succeeded, by its arguments and its output. A commit is left out when
// git says that there was nothing to commit, when neither command nor output tell its message, and
// when the message says nothing ("wip", "fix", ".", merges). `amends` of a capture: it replaces the
// commit before (turn/amended_commit.h); an amendment of a commit of the same call is one capture.
std::vector<Capture> CommitsOf(const base::Json& arguments, const std::string& output);

bool MakesCommit(const base::Json& arguments);  // by its command

// Whether a commit message is not worth a memory: its words say neither what nor why.
bool SaysNothing(const std::string& subject, const std::string& body);

}  // namespace sidecar
