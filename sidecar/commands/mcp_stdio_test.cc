// Shows the stdio pipe: both protocol revisions over a real sidecar, a restart and the absence of
// the sidecar, and lines that are no message.
#include "sidecar/commands/mcp_stdio.h"

#include <gtest/gtest.h>

#include <sstream>

#include "sidecar/mcp/mcp_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class McpStdioTest : public McpTest {
 protected:
  std::string Url() { return "http://" + running_->api_address(); }
  static Json Parsed(const std::optional<std::string>& line) {
    EXPECT_TRUE(line);
    EXPECT_EQ(line.value_or("").find('\n'), std::string::npos);
    return base::ParseJson(line.value_or("")).value_or(Json());
  }
  static std::string Begin(const char* revision) {
    return Text("initialize", {{"protocolVersion", revision}}, "init");
  }
  static std::string Save(int id) {
    return Text("tools/call",
                {{"name", "mem_save"}, {"arguments", {{"title", "t"}, {"content", "c"}}}}, id);
  }
};

TEST_F(McpStdioTest, SessionIsKeptForTheClient) {
  for (const char* revision : {"2025-06-18", "2025-11-25"}) {
    McpPipe pipe(*api_, Url());
    EXPECT_EQ(Parsed(pipe.Answer(Begin(revision)))["result"]["protocolVersion"], revision);
    EXPECT_FALSE(pipe.Answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
    EXPECT_FALSE(pipe.Answer("  "));
    EXPECT_EQ(Parsed(pipe.Answer(Text("tools/list", Json::object())))["result"]["tools"].size(),
              9u);
    EXPECT_EQ(Parsed(pipe.Answer(Save(5)))["result"]["isError"], false);
  }
}

TEST_F(McpStdioTest, StatelessClientIsServed) {
  McpPipe pipe(*api_, Url());
  const Json meta = {{"io.modelcontextprotocol/protocolVersion", kStatelessRevision},
                     {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
  EXPECT_EQ(Parsed(pipe.Answer(
                Text("server/discover", {{"_meta", meta}})))["result"]["supportedVersions"],
            Json::array({"2026-07-28"}));
  const Json arguments = {{"title", "t"}, {"content", "c"}};
  const Json saved = Parsed(pipe.Answer(
      Text("tools/call", {{"name", "mem_save"}, {"arguments", arguments}, {"_meta", meta}})));
  EXPECT_EQ(saved["result"]["structuredContent"]["action"], "created");
  for (const char* name : {"", "né\nX: y", "=?base64?eA==?=", " x "}) {
    const Json refused = Parsed(pipe.Answer(Text("tools/call", {{"name", name}, {"_meta", meta}})));
    EXPECT_EQ(refused["error"]["code"], kInvalidParams) << name;  // and not the error of a header
  }
  EXPECT_EQ(Parsed(pipe.Answer(Text("server/discover", Json::object())))["error"]["code"],
            kInvalidParams);
}

TEST_F(McpStdioTest, SidecarRestartIsInvisible) {
  const std::string address = running_->api_address();
  const auto client = ClientOf(address);
  McpPipe pipe(*client, Url());
  Parsed(pipe.Answer(Begin("2025-06-18")));
  Start([&](SidecarSettings& settings) { settings.listen = address; });
  EXPECT_EQ(Parsed(pipe.Answer(Save(2)))["result"]["isError"], false);
  EXPECT_EQ(memory_.With([](StubMemory& stub) { return stub.observations.size(); }), 1u);
}

TEST_F(McpStdioTest, WithoutSidecarEveryRequestIsAnError) {
  McpPipe pipe(*api_, "http://nowhere");
  running_.reset();
  const Json answer = Parsed(pipe.Answer(Begin("2025-11-25")));
  EXPECT_EQ(answer["id"], "init");
  EXPECT_NE(answer["error"]["message"].get<std::string>().find("start it, or give --url"),
            std::string::npos);
  EXPECT_FALSE(pipe.Answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
}

TEST_F(McpStdioTest, InvalidLineIsAnsweredAndNextOneRead) {
  std::istringstream in("{\n[]\n\n" + std::string((1 << 20) + 1, 'x') + "\n" + Begin("2025-11-25") +
                        "\n" + Text("ping", Json::object(), 3));
  std::ostringstream out;
  EXPECT_EQ(RunMcpStdio({"--stdio", "--url", Url()}, in, out), 0);
  const auto lines = base::Split(out.str(), '\n');
  ASSERT_EQ(lines.size(), 6u) << out.str();  // the last one is empty
  EXPECT_EQ(Parsed(lines[0])["error"]["code"], kParseError);
  EXPECT_EQ(Parsed(lines[1])["error"]["code"], kInvalidRequest);
  EXPECT_EQ(Parsed(lines[2])["error"]["code"], kInvalidRequest);
  EXPECT_EQ(Parsed(lines[3])["result"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(Parsed(lines[4]), (Json{{"jsonrpc", "2.0"}, {"id", 3}, {"result", Json::object()}}));
}

TEST(McpStdio, NeedsItsTransportNamed) {
  std::istringstream in;
  std::ostringstream out;
  EXPECT_EQ(RunMcpStdio({}, in, out), 64);
  EXPECT_EQ(RunMcpStdio({"--stdio", "--url", "nonsense"}, in, out), 64);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace sidecar
