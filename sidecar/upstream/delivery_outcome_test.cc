// Shows the outcome of each answer to a write, and the allowed destinations of a write.
#include "sidecar/upstream/delivery_outcome.h"

#include <gtest/gtest.h>

namespace sidecar {
namespace {

using Outcome = DeliveryOutcome::Kind;

DeliveryOutcome Classify(int status, const std::string& body, const char* kind = "observation",
                         const char* origin = "") {
  OutboxRow row;
  row.kind = kind;
  row.origin = origin;
  http::Response answer;
  answer.status = status;
  answer.body = body;
  return ClassifyResponse(row, answer);
}

constexpr const char* kPage = "<html>nothing here</html>";

TEST(DeliveryOutcome, OnlyAReceiptCountsAsDelivered) {
  EXPECT_EQ(Classify(201, R"({"id": 7})").kind, Outcome::kDelivered);
  EXPECT_EQ(Classify(200, R"({"summary": ""})", "session_end").kind, Outcome::kDelivered);
  EXPECT_EQ(Classify(204, "", "retention").kind, Outcome::kDelivered);
  for (const char* body : {kPage, "", "OK", R"({"status": "ok"})"}) {
    EXPECT_EQ(Classify(200, body).kind, Outcome::kServerFault) << body;
    EXPECT_STREQ(Classify(200, body).reason, "wrong_backend") << body;
  }
}

TEST(DeliveryOutcome, IngestTurnDelaysNothingElse) {
  EXPECT_EQ(Classify(202, R"({"turn": "t-1"})", kIngestKind).kind, Outcome::kDelivered);
  EXPECT_STREQ(Classify(200, R"({"id": 7})", kIngestKind).reason, "wrong_backend");
  const std::string no_route = R"({"error": "no such resource", "code": "not_found"})";
  EXPECT_EQ(Classify(404, no_route, kIngestKind).kind, Outcome::kRowFault);
  EXPECT_EQ(Classify(404, kPage, kIngestKind).kind, Outcome::kServerFault);
  const std::string reused = R"({"error": "another turn", "code": "idempotency_key_reused"})";
  EXPECT_EQ(Classify(422, reused, kIngestKind).kind, Outcome::kDelivered);
}

TEST(DeliveryOutcome, GeneralRefusalIsNoFaultOfTheRow) {
  for (const auto& [status, reason] :
       std::initializer_list<std::pair<int, const char*>>{{301, "redirected"},
                                                          {308, "redirected"},
                                                          {401, "unauthenticated"},
                                                          {403, "denied"},
                                                          {404, "not_found"},
                                                          {405, "not_served"},
                                                          {410, "not_served"},
                                                          {500, "server_error"},
                                                          {502, "overloaded"},
                                                          {503, "overloaded"},
                                                          {504, "overloaded"},
                                                          {507, "full"},
                                                          {400, "not_served"}}) {
    const DeliveryOutcome outcome = Classify(status, kPage);
    EXPECT_EQ(outcome.kind, Outcome::kServerFault) << status;
    EXPECT_STREQ(outcome.reason, reason) << status;
  }
  for (int status : {401, 502, 503, 504, 507}) EXPECT_EQ(Classify(status, kPage).most_tries, 0);
  EXPECT_TRUE(Classify(500, kPage).maybe_row);
  EXPECT_FALSE(Classify(404, kPage).maybe_row);
}

TEST(DeliveryOutcome, SpecificRefusalIsAFaultOfTheRow) {
  const std::string ours = R"({"error": "title is too long", "code": "invalid"})";
  for (int status : {400, 413, 422}) EXPECT_EQ(Classify(status, ours).kind, Outcome::kRowFault);
  EXPECT_EQ(Classify(413, kPage).kind, Outcome::kRowFault);
  const std::string unknown = R"({"error": "there is no session x", "code": "not_found"})";
  EXPECT_EQ(Classify(404, unknown, "session_end").kind, Outcome::kRowFault);
  EXPECT_EQ(Classify(404, unknown).kind, Outcome::kServerFault) << "not by an id";
  const std::string router =
      R"({"error": "no such resource: /sessions/x/end", "code": "not_found"})";
  EXPECT_EQ(Classify(404, router, "session_end").kind, Outcome::kServerFault);
  EXPECT_TRUE(Classify(403, R"({"error": "no", "code": "denied"})").maybe_row);
  EXPECT_EQ(Classify(409, ours).kind, Outcome::kConflict);
  EXPECT_EQ(Classify(429, ours).kind, Outcome::kThrottled);
}

TEST(DeliveryOutcome, CaptureStoredUnderOtherPolicyIsNoDeadLetter) {
  const std::string reused = R"({"error": "it came before", "code": "idempotency_key_reused"})";
  EXPECT_EQ(Classify(422, reused, "observation", "rule").kind, Outcome::kDelivered);
  EXPECT_EQ(Classify(422, reused, "observation", "agent").kind, Outcome::kRowFault);
  EXPECT_EQ(Classify(422, R"({"error": "no", "code": "invalid"})", "observation", "rule").kind,
            Outcome::kRowFault);
}

TEST(Redirect, FollowsInsideTheNamespaceOnly) {
  const std::string old = "http://memory.agents.svc.cluster.local:7437";
  EXPECT_EQ(Redirect(old, old).url, old);
  EXPECT_EQ(Redirect("", old).url, old);
  EXPECT_EQ(Redirect(old, "").url, old);
  const std::string same = "http://new.agents.svc.cluster.local:80";
  EXPECT_EQ(Redirect(old, same).url, same);
  EXPECT_TRUE(Redirect(old, same).allowed);
  EXPECT_TRUE(Redirect(old, "http://new.agents.svc:80").allowed);
  EXPECT_TRUE(Redirect("http://a.agents.svc.my.net", "http://b.agents.svc.my.net").allowed);
  EXPECT_FALSE(Redirect(old, "http://memory.other.svc.cluster.local:7437").allowed);
  EXPECT_FALSE(Redirect(old, "http://evil.example").allowed);
  EXPECT_FALSE(Redirect(old, "http://agents.svc.evil.example").allowed);
  EXPECT_FALSE(Redirect(old, "http://x.agents.svc.evil.example").allowed);
  EXPECT_EQ(Redirect("http://127.0.0.1:1", "http://127.0.0.1:2").url, "http://127.0.0.1:2");
  EXPECT_EQ(Redirect("http://[::1]:1", "http://[::1]:1").url, "http://[::1]:1");
}

}  // namespace
}  // namespace sidecar
