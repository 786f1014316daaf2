// The rows of sessions, observations, search and moving.
#include "lib/api/limits.h"
#include "lib/api/memory_api.h"
#include "lib/api/operations/fields_of_all.h"
#include "lib/api/operations/operations.h"

namespace api {
namespace {

// The objects of answers, and those inside bodies.
const FieldList kObservation =
    With({Whole("id"), Text("session_id"), Text("type"), Text("title"), Text("content"), kTexts,
          Text("project"), Text("scope"), Text("topic_key"), Text("normalized_hash"),
          Whole("revision_count"), Whole("duplicate_count"), Time("last_seen_at"),
          Time("created_at"), Time("updated_at"), kOrigin},
         {});

const std::vector<Shape> kObservationShapes = {
    Made("Error", {Text("error"), Text("code")}, true),
    Made("Health", {Text("status")}),
    Made("Source", {Maybe(Text("tool", kMaxSource)), Maybe(Text("tool_call_id", kMaxSource)),
                    Maybe(Text("rule", kMaxSource)), Maybe(Text("origin", kMaxSource))}),
    Made("SummaryMessage", {Must(Text("role")), Must(Text("content"))}, true),
    Made("Session", {Text("id"), Text("project"), Time("started_at"), Whole("message_count"),
                     Maybe(Time("ended_at")), Maybe(Text("summary")), Maybe(Text("predecessor"))}),
    Made("EndedSession",
         {Text("session_id"), Text("summary"), Whole("message_count"), Whole("tool_results")}),
    Made("SavedObservation", {Whole("id"), OneOf("action", "created|updated|deduplicated"),
                              Whole("revision_count"), Whole("duplicate_count")}),
    Made("Observation", kObservation),
    Made("HiddenObservation", With(kObservation, {Time("hidden_at")})),
    Made("Revision", {Whole("revision"), Text("type"), Text("title"), Text("content"), kTexts,
                      kTrust, Time("written_at"), Maybe(Time("replaced_at"))}),
    Made("Quote", {Text("place"), Text("name"), Text("how")}),
    Made("Quotes",
         {List("left", "Quote"), List("titles", "text"), List("texts", "text"), kPartial}),
    Made("Scores", {Number("lexical"), OrNull(Number("similarity")), Maybe(Number("soft")),
                    Maybe(Number("session")), Maybe(Number("answer"))}),
    Made("Hit",
         {Whole("id"), Text("type"), Text("title"), Text("content"), Number("rank"), Text("method"),
          Text("topic_key"), Time("created_at"), kTexts, Text("scope"), Text("project"),
          Text("session_id"), Whole("revision_count"), kTrust, kOrigin, kScores}),
    Made("Recalled", {Whole("id"), Text("type"), Text("title"), Text("content"), Number("rank"),
                      Text("method"), Text("scope"), Text("session_id"), Time("created_at"),
                      Whole("revision_count"), kTrust, kOrigin, kScores}),
    Made("SessionSummary", {Text("id"), Text("summary"), Maybe(Time("ended_at"))}),
    Made("Context",
         {List("recent_sessions", "SessionSummary"), List("recent_observations", "Recalled"),
          Maybe(List("due", "DueTrace")), kPartial}),
    Made("Stats", {Whole("total_sessions"), Whole("total_observations"), List("projects", "text")}),
    // More counts are there when an import has rows of their kind.
    Made("ImportReport",
         {Whole("imported"), Whole("imported_sessions"), Whole("imported_observations"),
          Whole("skipped"), List("errors", "any")},
         true),
    Made("RetentionRule", {Maybe(Text("type", kMaxType)), Maybe(OneOf("scope", "project|global")),
                           Maybe(Text("ttl")), Maybe(Whole("maxRows"))}),
    Made("Retention", {Text("project"), List("retention", "RetentionRule")}),
};

constexpr Field kObservationId = Whole("id", 1, kMaxId).Example("$observation");
constexpr Field kType = Text("type", kMaxType), kScopeFilter = Text("scope", kMaxScope);
constexpr Field kQ = Text("q").Example("$word");

const std::vector<Operation> kSessionRows = {
    Get("get_health", "/health", "Whether the server is up; needs no token.", {}, {{200, "Health"}},
        {}, kOfAegis | kHosted),
    Get("get_openapi", "/openapi.json", "This document.", {}, {{200, "any"}}, {}, kNotInSidecar),
    Row("begin_session", "POST", "/sessions",
        "Begins a session; one that exists is returned as it is.", {},
        {Must(Text("id", kMaxSessionId)).Example("$session"), Must(kProject),
         Text("predecessor", kMaxSessionId).Example("s0")},
        {{201, "Session"}, {409, "Error"}}),
    Row("end_session", "POST", "/sessions/{id}/end",
        "Ends a session with its transcript, of which a summary is made.",
        {Text("id", kMaxSessionId).Example("$session"), Text("project", kMaxProject),
         Flag("interim")},
        {List("messages", "SummaryMessage")
             .Example(R"([{"role": "user", "content": "Fix the timeout"}])"),
         Whole("omitted", 0, kMaxOmittedMessages).Example("0")},
        {{200, "EndedSession"}}, {}, kStreams),
    Get("list_sessions", "/sessions/recent", "The newest sessions, in pages.",
        {kProject, kLimit, kCursor, kConversation}, {{200, "[Session]"}}, kSearch),
};

const std::vector<Operation> kObservationRows = {
    Row("save_observation", "POST", "/observations",
        "Stores an observation, updates the one of its topic key, or counts a repetition.", {},
        {Must(Text("session_id", kMaxSessionId)).Example("$session"),
         Must(kType).Example("decision"),
         Must(Text("title", kMaxTitle)).Example("SQLite for storage"),
         Must(Text("content", kMaxContent)).Example("One file per tenant."), Must(kProject), kTags,
         Text("scope", kMaxScope).Example("project"),
         Text("topic_key", kMaxTopicKey).Example("storage-choice"), kSource, kReplaceUser},
        {{201, "SavedObservation"}, {409, "Error"}}, kSave, kKeyed),
    Get("list_observations", "/observations/recent", "The newest observations, in pages.",
        {kProject, kType, kScopeFilter, kLimit, kCursor, kConversation}, {{200, "[Observation]"}},
        kSearch),
    Get("get_observation", "/observations/{id}", "One observation, or a revision of it.",
        {kObservationId, Whole("revision", 1), kConversation}, {{200, "Observation"}}),
    Row("change_observation", "PATCH", "/observations/{id}",
        "Changes fields of an observation; the old text is kept as a revision.",
        {kObservationId, kConversation},
        {kType, Text("title", kMaxTitle).Example("SQLite, WAL"), Text("content", kMaxContent),
         kTags, Flag("pinned"), Flag("buried"), kSource, kReplaceUser},
        {{200, "Observation"}}, kSave, kIfMatch),
    Row("delete_observation", "DELETE", "/observations/{id}",
        "Hides an observation; with hard erases it, and reports what still quotes it.",
        {kObservationId, Flag("hard").Example("true"), Flag("report"), kConversation}, {},
        {{204, ""}, {200, "Quotes"}}, kSave),
    Get("list_hidden", "/observations/hidden",
        "The observations that clients hid, the one hidden last first.",
        {kProject, kType, kScopeFilter, kLimit, kConversation}, {{200, "[HiddenObservation]"}}, {},
        kNotInSidecar),
    Row("restore_observation", "POST", "/observations/{id}/restore",
        "Shows a hidden observation again.", {kObservationId, kConversation}, {},
        {{200, "Observation"}, {409, "Error"}}, {}, kNotInSidecar),
    Get("list_revisions", "/observations/{id}/revisions",
        "The texts that an observation had, in pages.",
        {kObservationId, kLimit, Whole("cursor", 1), kConversation}, {{200, "[Revision]"}}),
};

const std::vector<Operation> kFindingRows = {
    Get("search", "/search", "Observations that fit a query, best first.",
        {kQ, Text("query"), OneOf("syntax", "plain|fts5"), kProject, kType, kScopeFilter, kLimit,
         kAsOf, kConversation},
        {{200, "[Hit]"}}, kSearch, kComputesWithSyntax),
    Get("get_context", "/context",
        "What a prompt gets: last sessions, observations that fit, and what is due.",
        {kQ, Text("query"), kProject, kType, kScopeFilter, kLimit, Whole("sessions"),
         Flag("backfill"), Whole("due"), kAsOf, kConversation},
        {{200, "Context"}}, kSearch),
    Get("get_timeline", "/timeline", "The observations of a session around one of them.",
        {Must(Whole("observation_id", 1, kMaxId)).Example("$observation"), Whole("before"),
         Whole("after"), kLimit, kCursor, kConversation},
        {{200, "[Observation]"}, {404, "Error"}}, kSearch),
    Get("get_stats", "/stats", "Counts of sessions and observations, and the projects.",
        {Text("project", kMaxProject), kConversation}, {{200, "Stats"}}),
    Get("export", "/export", "All of a project, or of the caller, as a file.",
        {Text("project", kMaxProject), OneOf("format", kExportFormats), Text("as", kMaxSharedOwner),
         kConversation},
        {{200, "file"}}, {kAdmin, &Policy::auto_search}),
    Row("import", "POST", "/import",
        "Takes in an export of this or another program; to repeat it changes nothing.",
        {OneOf("format", kImportFormats), OneOf("trust", "user"), Flag("dedup"), Flag("restore"),
         Text("project", kMaxProject), Text("as", kMaxSharedOwner), kConversation},
        {Any("").Example(R"({"sessions": [], "observations": []})")}, {{200, "ImportReport"}},
        {kAdmin, &Policy::auto_save}, kStreams),
    Get("get_retention", "/retention", "How long a project's observations are kept.",
        {Must(kProject)}, {{200, "Retention"}}, {}, kNotInSidecar),
    Row("set_retention", "PUT", "/retention", "Sets how long a project's observations are kept.",
        {Must(kProject)},
        {Must(List("retention", "RetentionRule", kMaxRetentionRules)).Example("[]")},
        {{200, "Retention"}}, {}, kNotInSidecar),
    Row("forget", "POST", "/forget", "Not served yet.", {}, {kProject}, {{501, "Error"}}, {kAdmin}),
};

}  // namespace

std::vector<Shape> ObservationShapes() { return kObservationShapes; }

std::vector<Operation> ObservationOperations() {
  return Joined({kSessionRows, kObservationRows, kFindingRows});
}

}  // namespace api
