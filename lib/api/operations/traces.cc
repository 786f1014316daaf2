// The rows of traces, consolidation and turns.
#include "lib/api/operations/fields_of_all.h"
#include "lib/api/operations/operations.h"

namespace api {
namespace {

// The objects of answers, and those inside bodies.
const FieldList kTraceFields =
    With({Text("id"), OneOf("type", kTraceKinds), OneOf("scope", kTraceScopes), Text("scopeId"),
          Text("content"), Number("strength"), kTexts, Object("emotions"), Object("metadata"),
          Whole("createdAt"), Whole("lastAccessed"), Whole("retrievalCount"),
          Whole("observationId"), Text("project"), kOrigin, Whole("revisions"),
          Maybe(Whole("remindAt")), Maybe(Whole("deletedAt")), Maybe(Text("reason"))},
         {});
const FieldList kRunCounts = {Whole("pruned"), Whole("merged"), Whole("strengthened"),
                              Whole("derived"), Whole("compacted")};
const FieldList kRunFields =
    With(kRunCounts, {Whole("durationMs"), OrNull(Text("runId")), Flag("dryRun"), Text("derive"),
                      Maybe(Flag("busy")), kPartial});

const std::vector<Shape> kTraceShapes = {
    Made("IngestSettings", {Maybe(Object("storage")), Maybe(Object("personality"))}, true),
    Made("SavedTrace", {Text("traceId")}),
    Made("DueTrace", kTraceFields),
    Made("DueTraces", {List("traces", "DueTrace")}),
    Made("Edge", {Text("to"), Text("kind"), Number("weight")}),
    Made("WholeTrace", With(kTraceFields, {List("edges", "Edge"), OrNull(Text("mergedInto")),
                                           List("sources", "text")})),
    Made("ChangedTrace", {Flag("updated")}),
    Made("DeletedTrace", {Flag("deleted")}),
    Made("MergedTraces", {Text("mergedTraceId"), Whole("sourcesDeleted")}),
    Made("RestoredTraces", {List("restored", "text")}),
    Made("TraceScores",
         {Number("lexical"), Number("similarity"), Number("strength"), Number("emotion"),
          Number("recency"), Number("graph"), Number("importance")}),
    Made("FoundTrace",
         {Text("id"), Text("content"), Text("type"), Text("scope"), Number("strength"), kTexts,
          Number("score"), Object("scores", "TraceScores"), kOrigin}),
    Made("FoundTraces", {List("results", "FoundTrace"), kPartial}),
    Made("RunCounts", kRunCounts),
    Made("Run", kRunFields),
    Made("LoggedRun", With(kRunFields, {Whole("startedAt"), OrNull(Whole("undoneAt"))})),
    Made("Runs", {List("runs", "LoggedRun")}),
    Made("OriginalText", {OrNull(Text("verbatimContent")), OrNull(Whole("archivedAt"))}),
    Made("Turn", {Text("turn")}),
    Made("TurnState",
         {OneOf("state", "pending|done|failed"), List("facts", "any"), Maybe(Text("reason"))}),
};

constexpr Field kTrace = Text("id").Example("$trace");
constexpr Field kEdgeTo = Text("to").Example("$other");
constexpr Field kRun = Text("run").Example("$run");
constexpr Field kTurn = Text("turn").Example("$turn");
constexpr Field kContent = Text("content", kMaxContent).Example("The user prefers tea.");
constexpr Field kKind = OneOf("type", kTraceKinds), kScope = OneOf("scope", kTraceScopes);
constexpr Field kMerged = {"traceIds", FieldType::kList, 2, kMaxTracesMerged, "text"};
constexpr Field kSettings = Object("settings", "IngestSettings")
                                .Example(R"({"storage": {"autoIngest": {"enabled": true, )"
                                         R"("importanceThreshold": 0.4, "maxPerTurn": 3}}, )"
                                         R"("personality": {"openness": 0.9}})");

const std::vector<Operation> kTraceRows = {
    Row("add_trace", "POST", "/traces", "Adds a trace, or finds the one that says the same.",
        {kProject, kConversation},
        {Must(kContent), kKind.Example("prospective"), kScope.Example("user"), kTags,
         Any("remindAt").Example("\"2030-01-01T00:00:00Z\""),
         Object("emotions", "", kMaxTraceExtras).Example(R"({"valence": 0.5})"),
         Object("metadata", "", kMaxTraceExtras).Example(R"({"importance": 1})"), kSource, kProject,
         kConversation},
        {{201, "SavedTrace"}, {200, "SavedTrace"}}, kSave),
    Get("get_trace", "/traces/{id}", "A trace with its edges and sources.",
        {kTrace, Flag("deleted"), kProject, kConversation}, {{200, "WholeTrace"}}),
    Row("change_trace", "PATCH", "/traces/{id}", "Changes content or tags of a trace.",
        {kTrace, kProject, kConversation},
        {kContent, kTags, kSource, kReplaceUser, kProject, kConversation}, {{200, "ChangedTrace"}},
        kSave),
    Row("delete_trace", "DELETE", "/traces/{id}", "Hides a trace, with the reason.",
        {kTrace, Text("reason", kMaxTitle), kProject, kConversation},
        {Text("reason", kMaxTitle).Example("old"), kSource, kReplaceUser, kProject, kConversation},
        {{200, "DeletedTrace"}}, kSave),
    Row("put_edge", "PUT", "/traces/{id}/edges/{to}", "Sets an edge from one trace to another.",
        {kTrace, kEdgeTo, kProject, kConversation},
        {Text("kind", kMaxEdgeKind).Example("about"), Number("weight", 0, 1).Example("0.5"),
         kSource, kProject, kConversation},
        {{200, "Edge"}}, kSave),
    Row("delete_edge", "DELETE", "/traces/{id}/edges/{to}", "Deletes an edge.",
        {kTrace, kEdgeTo, kProject, kConversation}, {kSource, kProject, kConversation}, {{204, ""}},
        kSave),
    Row("merge_traces", "POST", "/traces/merge", "Makes one trace of several.",
        {kProject, kConversation},
        {Must(kMerged).Example(R"(["$trace", "$other"])"), kContent, kSource, kReplaceUser,
         kProject, kConversation},
        {{200, "MergedTraces"}}, kSave, kComputes),
    Row("unmerge_trace", "POST", "/traces/{id}/unmerge", "Restores the sources of a merged trace.",
        {kTrace, kProject, kConversation}, {kSource, kReplaceUser, kProject, kConversation},
        {{200, "RestoredTraces"}, {409, "Error"}}, kSave),
    Row("search_traces", "POST", "/traces/search", "Traces that fit a query, best first.",
        {kProject, kConversation},
        {Must(Text("query", kMaxQuestion)).Example("$word"), kKind.Example("semantic"),
         kScope.Example("user"), Whole("limit", 1, kMaxTracesFound).Example("5"),
         Object("mood").Example(R"({"valence": 0.5})"), kSettings, kSource, kProject,
         kConversation},
        {{200, "FoundTraces"}}, kSearch),
    Get("list_due", "/traces/due", "Reminders whose time has come, the latest first.",
        {kLimit, kProject, kConversation}, {{200, "DueTraces"}}, kSearch),
    Get("get_original", "/traces/{id}/original", "The text of a trace before its gist.",
        {kTrace, kProject, kConversation}, {{200, "OriginalText"}}),
};

const std::vector<Operation> kReflectRows = {
    Row("reflect", "POST", "/traces/reflect", "Runs a consolidation.", {kProject, kConversation},
        {Text("topic", kMaxTitle).Example("t"), Flag("dryRun").Example("false"), kSource, kProject,
         kConversation},
        {{200, "Run"}}, kSave, kComputes),
    Get("list_runs", "/traces/reflect/runs", "The last runs of consolidation.",
        {kLimit, kProject, kConversation}, {{200, "Runs"}}),
    Row("undo_run", "POST", "/traces/reflect/runs/{run}/undo", "Undoes a run of consolidation.",
        {kRun, kProject, kConversation}, {kSource, kProject, kConversation},
        {{200, "RunCounts"}, {409, "Error"}}, kSave, kComputes),
    Row("post_turn", "POST", "/ingest/turns", "Takes a turn, whose facts become traces later.",
        {kProject, kConversation},
        {TextOfBytes("user", kMaxTurnText).Example("I prefer tea."),
         TextOfBytes("assistant", kMaxTurnText).Example("noted"), kSettings, kSource, kProject,
         kConversation},
        {{202, "Turn"}}, kSave, kKeyed),
    Get("get_turn", "/ingest/turns/{turn}", "The state of a turn, and what became of its facts.",
        {kTurn, kProject, kConversation}, {{200, "TurnState"}}),
    Row("retry_turn", "POST", "/ingest/turns/{turn}/retry", "Tries a turn again.",
        {kTurn, kProject, kConversation}, {kSource, kProject, kConversation},
        {{202, "Turn"}, {409, "Error"}}, kSave),
};

}  // namespace

std::vector<Shape> TraceShapes() { return kTraceShapes; }

std::vector<Operation> TraceOperations() { return Joined({kTraceRows, kReflectRows}); }

}  // namespace api
