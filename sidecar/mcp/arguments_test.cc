// Shows that errors name the first argument that violates its schema, and its allowed values.
#include "sidecar/mcp/arguments.h"

#include <gtest/gtest.h>

#include "sidecar/mcp/tools.h"

namespace sidecar {
namespace {

using base::Json;

const Json& InputOf(const std::string& name) {
  for (const McpTool& tool : McpTools()) {
    if (name == tool.name) return tool.input.schema;
  }
  static const Json none;
  ADD_FAILURE() << "no tool " << name;
  return none;
}

std::string Fault(const char* tool, const Json& arguments) {
  auto checked = CheckArguments(InputOf(tool), arguments);
  return checked ? "" : checked.error().message;
}

TEST(McpArguments, TheFirstThatIsWrongIsNamedWithWhatItMayBe) {
  EXPECT_EQ(Fault("mem_save", {{"title", "t"}, {"content", "c"}, {"tags", {"a"}}}), "");
  EXPECT_EQ(Fault("mem_save", {{"title", "t"}}), "content is required");
  EXPECT_EQ(Fault("mem_save", {{"title", "t"}, {"content", nullptr}}), "content is required");
  EXPECT_EQ(Fault("mem_save", {{"title", 1}, {"content", "c"}}), "title must be a string");
  EXPECT_EQ(Fault("mem_save", {{"title", "t"}, {"content", "c"}, {"tags", "a"}}),
            "tags must be an array of strings");
  EXPECT_EQ(Fault("mem_save", {{"title", "t"}, {"content", "c"}, {"scope", "all"}}),
            R"(scope must be one of ["project","global"])");
  EXPECT_EQ(Fault("mem_search", {{"query", "q"}, {"limit", 101}}),
            "limit must be a whole number from 1 to 100, it is 101");
  for (const Json& limit : {Json(0), Json(-1), Json("10"), Json(1.5), Json(1e300),
                            Json(18446744073709551615u), Json(true), Json::array()}) {
    EXPECT_NE(Fault("mem_search", {{"query", "q"}, {"limit", limit}}), "") << limit;
  }
  EXPECT_EQ(Fault("mem_get", {{"id", 1}, {"project", "other"}}),
            "there is no argument project; there are: id");
}

TEST(McpArguments, ScopeIdsAreTheContextsAndNeverArguments) {
  for (const char* id : {"scopeId", "user", "userId", "conversation", "agent", "personaId"})
    EXPECT_EQ(Fault("memory_add", {{"content", "c"}, {id, "x"}}),
              std::string("there is no argument ") + id +
                  "; there are: content, remindAt, scope, tags, type");
  EXPECT_EQ(Fault("memory_merge", {{"traceIds", {"mt_1"}}}), "traceIds must be at least 2 strings");
  EXPECT_EQ(Fault("memory_reflect", {{"dryRun", "yes"}}), "dryRun must be true or false");
  EXPECT_EQ(Fault("memory_reflect", Json::object()), "");
  EXPECT_EQ(Fault("memory_search", {{"query", "q"}, {"type", "short"}}),
            R"(type must be one of ["episodic","semantic","procedural","prospective"])");
}

}  // namespace
}  // namespace sidecar
