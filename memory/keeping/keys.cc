// The caller follows the key after a line break, which no header contains: so the key of an earlier
// version is next to it in an ordered engine, and the second look-up costs no read.
#include "memory/keeping/keys.h"

#include "lib/base/json/json.h"
#include "memory/model/salted_digests.h"

namespace memory {

using base::Result;
using base::Status;

KeyOfCaller::KeyOfCaller(const RequestKey& key, const api::NewObservation& body,
                         const std::string& salt, int64_t kept)
    : plain(key.key), kept_ms(kept) {
  if (plain.empty()) return;
  own = key.caller.empty() ? plain : plain + "\n" + key.caller;
  const std::string tags = base::DumpJson(body.tags);
  digest = SaltedDigest(salt, {body.session_id, body.type, body.title, body.content, body.project,
                               body.scope, body.topic_key, tags, body.source.tool,
                               body.source.tool_call_id, body.source.rule, body.source.origin});
}

Result<std::optional<Saved>> FindAnswer(Answers& answers, const KeyOfCaller& key, int64_t now_ms) {
  if (key.plain.empty()) return std::optional<Saved>();
  const int64_t oldest_ms = now_ms - key.kept_ms;
  ASSIGN_OR_RETURN(auto kept, answers.Find(key.own, oldest_ms));
  if (!kept && key.own != key.plain) {
    ASSIGN_OR_RETURN(kept, answers.Find(key.plain, oldest_ms));
    if (kept && kept->digest) kept.reset();  // of an anonymous caller
  }
  if (!kept) return std::optional<Saved>();
  Saved saved = kept->saved;
  saved.key_reused = kept->digest && *kept->digest != key.digest;
  saved.replayed = !saved.key_reused;
  return std::optional(std::move(saved));
}

Status KeepAnswer(Answers& answers, const KeyOfCaller& key, const Saved& saved, int64_t now_ms) {
  if (key.plain.empty()) return {};
  return answers.Keep(key.own, {saved, key.digest}, now_ms);
}

}  // namespace memory
