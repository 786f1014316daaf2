// Parsing and formatting of traceparent.
#include "lib/telemetry/trace.h"

#include <gtest/gtest.h>

namespace telemetry {
namespace {

constexpr const char* kHeader = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(Traceparent, RoundTrips) {
  const TraceContext context = ParseTraceparent(kHeader);
  EXPECT_EQ(context.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(context.span_id, "00f067aa0ba902b7");
  EXPECT_TRUE(context.sampled);
  EXPECT_EQ(FormatTraceparent(context), kHeader);
  EXPECT_EQ(FormatTraceparent({}), "");
}

TEST(Traceparent, KeepsOnlyTheSampledFlag) {
  std::string header = kHeader;
  header.replace(53, 2, "fe");
  EXPECT_FALSE(ParseTraceparent(header).sampled);
  header.replace(53, 2, "ff");
  EXPECT_TRUE(ParseTraceparent(header).sampled);
}

TEST(Traceparent, AcceptsLaterVersions) {
  EXPECT_FALSE(ParseTraceparent("01" + std::string(kHeader).substr(2) + "-more").trace_id.empty());
  EXPECT_TRUE(ParseTraceparent("01" + std::string(kHeader).substr(2) + "more").trace_id.empty());
}

TEST(Traceparent, IsEmptyWhenMalformed) {
  const std::string sound = kHeader;
  const std::vector<std::string> malformed = {
      std::string(),
      std::string("00"),
      sound.substr(0, 54),
      sound + "-",
      sound + "x",
      "ff" + sound.substr(2),
      "0g" + sound.substr(2),
      std::string(55, '-'),
      "00-4BF92F3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "00-" + std::string(32, '0') + "-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-" + std::string(16, '0') + "-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x"};
  for (const std::string& header : malformed) {
    EXPECT_TRUE(ParseTraceparent(header).trace_id.empty()) << header;
  }
}

TEST(NoopTracer, PassesTheContextOn) {
  const auto tracer = MakeNoopTracer();
  const auto span = tracer->Start({.name = "x", .parent = ParseTraceparent(kHeader)});
  span->Attribute("a", 1);
  span->Event("b", {});
  EXPECT_EQ(FormatTraceparent(span->context()), kHeader);
  EXPECT_EQ(FormatTraceparent(span->Child("y", SpanKind::kClient)->context()), kHeader);
  EXPECT_FALSE(span->recording());
  EXPECT_FALSE(tracer->exporting());
}

}  // namespace
}  // namespace telemetry
