// Redacts names that a runtime gives: ids of sessions, conversations and calls, types, tools. A
// name is redacted before any lookup, store or send, always to the same result. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "lib/api/hook_event.h"
#include "lib/base/json/json.h"
#include "lib/redaction/redaction.h"

namespace sidecar {

// A name that grows beyond `limit` bytes is cut and ends in the hash of the whole name.
std::string RedactName(const redaction::Redactor& redactor, const std::string& name, size_t limit,
                       redaction::Redactor::Counts& counts);

// Redacts the id of a conversation or session; digits alone stay.
std::string RedactId(const redaction::Redactor& redactor, const std::string& id);

void RedactNames(const redaction::Redactor& redactor, api::HookEvent& event,
                 redaction::Redactor::Counts& counts);

// Redacts the body of a write to the memory server: texts, and ids of sessions.
void RedactWrite(const redaction::Redactor& redactor, base::Json& body);

}  // namespace sidecar
