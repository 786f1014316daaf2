// What an agent is asked about saving (memory.askToSave): the same for hooks and MCP.
#pragma once

#include <string_view>

namespace sidecar {

// At the beginning of a session; some 110 tokens.
inline constexpr std::string_view kSaveAdvice =
    "Save to memory (mem_save) by yourself, at once, when you learn what a colleague would note: a "
    "correction, a decision with its reason, the cause of a fault, a convention, a preference, a "
    "fact about the environment. Not what git, the files or this conversation's task list say. "
    "Look first (mem_search); give a topic_key, so that what changes updates the same memory. What "
    "the user states in a prompt and each commit may be saved already: then you are told so.";

// `own`: memory.saveAdvice of the policy.
inline std::string_view SaveAdvice(std::string_view own) { return own.empty() ? kSaveAdvice : own; }

// Behind a prompt that a rule saved.
inline constexpr std::string_view kSavedAlready =
    "What this prompt asks to remember or states is saved; do not save it again.";

}  // namespace sidecar
