// Watch streams: pieces of any size, and the reasons for their end.
#include "lib/kube/cache/watch.h"

#include <gtest/gtest.h>

#include "lib/testing/fake_cluster.h"
#include "lib/testing/streams.h"

namespace kube {
namespace {

// A stream with characters of two to four bytes, an escape, and a line end inside a string.
const char* const kRecorded =
    R"({"type":"ADDED","object":{"kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"5"},"data":{"t":"ä€😀\n\u00e4"}}})"
    "\n"
    R"({"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"7"}}})"
    "\r\n\n"
    R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}})"
    "\n"
    R"({"type":"DELETED","object":{"metadata":{"name":"a","resourceVersion":"11"}}})"
    "\n";

std::string Transcript(const std::vector<std::string_view>& pieces) {
  LineSplitter splitter;
  std::string transcript;
  for (std::string_view piece : pieces) {
    auto status = splitter.Append(piece, [&](std::string_view line) {
      if (line == "\r") return true;
      auto event = ParseWatchEvent(line);
      transcript += event ? std::to_string(static_cast<int>(event->type)) + event->object.dump()
                          : "bad: " + std::string(line);
      return true;
    });
    EXPECT_TRUE(status);
  }
  return transcript;
}

TEST(LineSplitter, EventsAreIndependentOfTwoPieces) {
  std::string_view all = kRecorded;
  std::string whole = Transcript({all});
  EXPECT_NE(whole.find("😀"), std::string::npos);
  EXPECT_EQ(whole.find("bad"), std::string::npos) << whole;
  for (size_t at = 0; at <= all.size(); ++at) {
    EXPECT_EQ(Transcript({all.substr(0, at), all.substr(at)}), whole) << "cut at " << at;
  }
}

TEST(LineSplitter, EventsAreIndependentOfBytePieces) {
  std::string_view all = kRecorded;
  std::vector<std::string_view> pieces;
  for (size_t at = 0; at < all.size(); ++at) pieces.push_back(all.substr(at, 1));
  EXPECT_EQ(Transcript(pieces), Transcript({all}));
}

TEST(LineSplitter, LineOverTheLimitIsRefused) {
  LineSplitter splitter(10);
  auto ignore = [](std::string_view) { return true; };
  EXPECT_TRUE(splitter.Append("1234567890\n123", ignore));
  auto status = splitter.Append("45678901", ignore);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, base::Code::kTooLarge);
}

TEST(WatchEvent, InvalidEventIsAnError) {
  for (const char* line : {"", "{}", "x", R"({"type":"ADDED"})", R"({"type":"NEW","object":{}})",
                           R"({"type":"ADDED","object":5})", R"([1])", "{\"type\":\"ADDED\""}) {
    EXPECT_FALSE(ParseWatchEvent(line)) << line;
  }
}

class WatchTest : public ::testing::Test {
 protected:
  Json Map(const std::string& name) {
    return {{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", name}, {"namespace", "n"}}}};
  }
  WatchEnd From(
      int64_t version, std::function<void(WatchEvent&&)> on_event = [](WatchEvent&&) {}) {
    WatchOptions options;
    options.resource_version = std::to_string(version);
    return ::testing::WatchToEnd(client_, ConfigMaps(), options, stop_.get_token(), on_event);
  }

  ::testing::FakeCluster cluster_;
  KubeClient client_{cluster_};
  std::stop_source stop_;
};

TEST_F(WatchTest, EventsNameTheirKind) {
  int64_t start = cluster_.version();
  cluster_.Put(Map("a"));
  cluster_.CutStreamsInto(7);
  auto end = From(start, [&](WatchEvent&& event) {
    EXPECT_EQ(event.type, WatchEvent::Type::kAdded);
    EXPECT_EQ(event.object["kind"], "ConfigMap");
    stop_.request_stop();
  });
  EXPECT_EQ(end.reason, WatchEnd::Reason::kClosed);
}

TEST_F(WatchTest, GoneIsExpiredAsStatusAndAsEvent) {
  cluster_.Inject({"WATCH", "", 410});
  EXPECT_EQ(From(cluster_.version()).reason, WatchEnd::Reason::kExpired);
  int64_t old = cluster_.version();
  cluster_.Put(Map("a"));
  cluster_.Compact();
  auto end = From(old);
  EXPECT_EQ(end.reason, WatchEnd::Reason::kExpired);
  EXPECT_NE(end.error.message.find("too old"), std::string::npos);
}

TEST_F(WatchTest, FutureVersionIsTooLarge) {
  cluster_.Inject({"WATCH", "", 504});
  EXPECT_EQ(From(cluster_.version()).reason, WatchEnd::Reason::kVersionTooLarge);
}

TEST_F(WatchTest, SilenceAndResetAreDistinguished) {
  for (auto code : {base::Code::kTimeout, base::Code::kUnavailable}) {
    WatchEnd end;
    std::jthread watcher([&] { end = From(cluster_.version()); });
    while (cluster_.open_watches() == 0) std::this_thread::yield();
    cluster_.BreakStreams(code);
    watcher.join();
    EXPECT_EQ(end.reason,
              code == base::Code::kTimeout ? WatchEnd::Reason::kIdle : WatchEnd::Reason::kFailed);
  }
}

TEST_F(WatchTest, RefusalHasTheServersMessage) {
  cluster_.Inject({"WATCH", "", 403});
  auto end = From(cluster_.version());
  EXPECT_EQ(end.reason, WatchEnd::Reason::kFailed);
  EXPECT_EQ(end.error.code, base::Code::kDenied);
  EXPECT_NE(end.error.message.find("refused"), std::string::npos);
}

}  // namespace
}  // namespace kube
