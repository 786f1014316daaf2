// A server whose data go out as one file and come in elsewhere. Test code.
#pragma once

#include <algorithm>

#include "memory/api/traces/traces_fixture.h"
#include "memory/made_formats_fixture.h"

namespace memory {

class AgentOsFixture : public TracesRouteTest {
 protected:
  // As it goes over the wire.
  std::string ExportText(const std::string& format, const std::string& more = "") {
    http::ClientRequest request;
    request.target = "/export?format=" + format + more;
    request.timeout_ms = 60'000;
    const auto response = client_->Send(request);
    EXPECT_TRUE(response) << response.error().message;
    if (!response) return "";
    EXPECT_EQ(response->status, 200) << response->body;
    return response->body;
  }
  Json ExportAgentOs(const std::string& more = "") {
    auto json = base::ParseJson(ExportText("agentos-json", more));
    EXPECT_TRUE(json) << json.error().message;
    return json ? *json : Json();
  }
  // Whatever order the rows lie in.
  static Json Sorted(Json brain) {
    for (const char* array : {"traces", "edges"})
      std::sort(brain[array].begin(), brain[array].end());
    return brain;
  }
  Json MustImport(const Json& body, const std::string& more = "") {
    const Answered answer = Post("/import?format=agentos-json" + more, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.body;
  }
  // Of a text that consolidation has shortened.
  std::string AddCompacted() {
    std::string text = "The pump of the north well failed in the night.";
    for (int i = 0; i < 20; ++i) text += " Detail " + std::to_string(i) + " was noted by the crew.";
    const std::string id = Add(text);
    for (int i = 0; i < 6; ++i) {
      Found({{"query", "pump failed"}});
      clock_.Advance(5 * kDayMs);
    }
    EXPECT_EQ(Call("POST", "/traces/reflect", Json::object()).body["compacted"], 1);
    EXPECT_EQ(OriginalOf(id)["verbatimContent"], text);
    return id;
  }
  Json OriginalOf(const std::string& id) { return Get("/traces/" + id + "/original").body; }
};

}  // namespace memory
