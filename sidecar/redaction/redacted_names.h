// Names that a runtime gives: ids of sessions, conversations and calls, types, tools. They lose
// their secrets before anything looks them up, stores or sends them; the same name always becomes
// the same one, so that a session hangs together. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "lib/api/hook_event.h"
#include "lib/base/json/json.h"
#include "sidecar/redaction/redaction.h"

namespace sidecar {

// One that grows beyond `limit` bytes by that is cut and ends in the hash of the whole.
std::string RedactName(const Redactor& redactor, const std::string& name, size_t limit,
                       Redactor::Counts& counts);

// The id of a conversation or session that a request names; digits alone are no secret.
std::string RedactId(const Redactor& redactor, const std::string& id);

void RedactNames(const Redactor& redactor, api::HookEvent& event, Redactor::Counts& counts);

// What the body of a write to the memory server has: texts, and names of sessions.
void RedactWrite(const Redactor& redactor, base::Json& body);

}  // namespace sidecar
