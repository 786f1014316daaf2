// The rows of items, episodes and shared memory.
#include "lib/api/operations/fields_of_all.h"
#include "lib/api/operations/operations.h"

namespace api {
namespace {

// The objects of answers, and those inside bodies.
const FieldList kItemFields = With({Text("key"), Any("value"), Object("metadata"), Time("created"),
                                    Time("accessed"), Whole("ttl"), Whole("version")},
                                   {});
const FieldList kEpisodeFields =
    With({Whole("id"), Text("conversation_id"), Text("agent_id"), OrNull(Text("user_id")),
          Text("summary"), List("key_decisions", "any"), List("entities", "any"),
          List("tools_used", "text"), Object("metadata"), Time("created_at")},
         {});

const std::vector<Shape> kItemShapes = {
    Made("StoreRule", {Maybe(Text("match")), Maybe(Whole("minLength"))}),
    Made("Item", kItemFields),
    Made("FoundItem", With(kItemFields, {Number("score"), Text("method")})),
    Made("FoundItems", {List("items", "FoundItem"), kPartial}),
    Made("RenderedItems", {Text("text"), Text("suggested_role"), List("items", "text")}),
    Made("Considered", {Flag("store"), Text("rule"), Text("key")}),
    Made("SavedEpisode", {Whole("id"), Time("created_at")}),
    Made("FoundEpisode", With(kEpisodeFields, {Number("similarity"), Text("method")})),
    Made("FoundEpisodes", {List("results", "FoundEpisode")}),
    Made("Episode", kEpisodeFields),
    Made("Episodes", {Text("conversation_id"), List("memories", "Episode")}),
    Made("SavedShared", {Text("key"), Whole("version")}),
};

constexpr Field kItemKey = Redacted(Text("key", kMaxItemKey)).Example("k");
constexpr Field kValue = Any("value", kMaxItemValue).Example(R"({"a": [1]})");
constexpr Field kMetadata = Object("metadata", "", kMaxItemMetadata).Example(R"({"m": 1})");
constexpr Field kTtl = Duration("ttl").Example("\"24h\"");
constexpr Field kItemQuery = Text("query", kMaxQuestion).Example("$word");
constexpr Field kItemLimit = Whole("limit", 1, 100);
constexpr Field kEpisodeAgent = Must(Text("agent_id", kMaxEpisodeName)).Example("$agent");
constexpr Field kEpisodeUser = Text("user_id", kMaxEpisodeName).Example("u");
constexpr Field kOwner = Text("agent", kMaxSharedOwner).Example("$agent");
constexpr Field kSharedKey = Text("key", kMaxSharedKey).Example("k");
constexpr Field kAs = Text("as", kMaxSharedOwner).Example("$agent");

const std::vector<Operation> kItemRows = {
    Get("find_items", "/items", "Items that fit a query, best first; without one those used last.",
        {kProject, kItemQuery, kItemLimit}, {{200, "FoundItems"}}, kSearch),
    Get("render_items", "/items/render", "The same as text for a prompt.",
        {kProject, kItemQuery, kItemLimit}, {{200, "RenderedItems"}}, kSearch),
    Row("consider_item", "POST", "/items/consider",
        "Stores an exchange as an item if a rule selects it.", {},
        {Must(Text("user_input")).Example("I prefer tea"), Must(Text("answer")).Example("noted"),
         kProject, List("rules", "StoreRule", kMaxStoreRules).Example("[]")},
        {{200, "Considered"}}, kSave, kComputes),
    Row("put_item", "PUT", "/items/{key}", "Stores a value under a key; its life begins again.",
        {kItemKey, kProject}, {Must(kValue), kMetadata, kTtl}, {{201, "Item"}, {200, "Item"}},
        kSave, kIfMatch | kIfNoneMatch),
    Get("get_item", "/items/{key}", "One item.", {kItemKey, kProject}, {{200, "Item"}}),
    Row("change_item", "PATCH", "/items/{key}", "Changes value, metadata or ttl of an item.",
        {kItemKey, kProject}, {kValue, kMetadata, kTtl}, {{200, "Item"}}, kSave,
        kIfMatch | kIfNoneMatch),
    Row("delete_item", "DELETE", "/items/{key}", "Deletes an item.", {kItemKey, kProject}, {},
        {{204, ""}}, kSave),
};

const std::vector<Operation> kEpisodeRows = {
    Row("store_episode", "POST", "/episodic/store", "Stores the summary of a conversation.", {},
        {Must(TextOfBytes("conversation_id", kMaxConversationBytes)).Example("$session"),
         kEpisodeAgent, Must(Text("summary", kMaxContent)).Example("We chose SQLite."),
         kEpisodeUser, List("key_decisions", "any").Example(R"(["d", {"a": 1}])"),
         List("entities", "any").Example(R"(["e"])"),
         List("tools_used", "text").Example(R"(["bash"])"),
         Object("metadata", "", kMaxEpisodeFields).Example(R"({"m": 1})"),
         Time("created_at").Example("2026-01-01T00:00:00Z"), kProject, kSource},
        {{201, "SavedEpisode"}, {200, "SavedEpisode"}}, kSave, kKeyed | kOfAegis),
    Row("search_episodes", "POST", "/episodic/search",
        "Episodes of an agent that fit a query, best first.", {},
        {Must(kItemQuery), kEpisodeAgent, kEpisodeUser, Whole("top_k", 1, 100).Example("5"),
         Number("min_similarity", 0, 1).Example("0"), kProject},
        {{200, "FoundEpisodes"}}, kSearch, kOfAegis),
    Get("list_episodes", "/episodic/{conversation}", "The episodes of a conversation.",
        {Redacted(TextOfBytes("conversation", kMaxConversationBytes)).Example("$session"),
         kProject},
        {{200, "Episodes"}}, kSearch, kOfAegis),
};

const std::vector<Operation> kSharedRows = {
    Get("list_shared", "/shared", "The values that the caller may read, in pages.",
        {Text("agent", kMaxSharedOwner), Text("as", kMaxSharedOwner), kCursor}, {{200, "any"}},
        kSearch),
    Get("get_shared", "/shared/{agent}/{key}", "A value that an Agent shares.",
        {kOwner, kSharedKey, kAs}, {{200, "any"}}, kSearch),
    Row("put_shared", "PUT", "/shared/{agent}/{key}", "Shares a value.",
        {kOwner, kSharedKey, kAs, Text("ttl")}, {Any("", kMaxSharedValue).Example(R"({"a": 1})")},
        {{201, "SavedShared"}, {200, "SavedShared"}}, kSave, kIfMatch | kIfNoneMatch),
    Row("delete_shared", "DELETE", "/shared/{agent}/{key}", "Deletes a shared value.",
        {kOwner, kSharedKey, kAs}, {}, {{204, ""}}, kSave, kIfMatch | kIfNoneMatch),
};

}  // namespace

std::vector<Shape> ItemShapes() { return kItemShapes; }

std::vector<Operation> ItemOperations() { return Joined({kItemRows, kEpisodeRows, kSharedRows}); }

}  // namespace api
