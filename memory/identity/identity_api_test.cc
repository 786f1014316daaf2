// Identity against a real API server: its tokens, its reviews, its deletions. Needs
// AGENT_MEMORY_TEST_KUBECONFIG (e2e/cluster/up --api-only prints one).
#include <cstdlib>

#include "lib/api/shared_memory.h"
#include "lib/base/process/file.h"
#include "lib/base/process/random.h"
#include "memory/api/identity_routes_fixture.h"
#include "memory/identity/cluster_reviewer.h"

namespace memory {
namespace {

class ApiServerIdentity : public EveryRouteTest {
 protected:
  ApiServerIdentity() : EveryRouteTest(base::SystemClock().NowMs()) {}

  void SetUp() override {
    const char* kubeconfig = std::getenv("AGENT_MEMORY_TEST_KUBECONFIG");
    if (!kubeconfig) GTEST_SKIP() << "AGENT_MEMORY_TEST_KUBECONFIG is not set";
    auto config = kube::ReadKubeconfig(kubeconfig);
    ASSERT_TRUE(config) << config.error().message;
    kube::ClientSettings patient;
    patient.timeout_ms = 60'000;  // a busy machine is no failure
    connection_ = std::move(*kube::Connection::Make(*config, patient, "identity-test"));
    for (const std::string& space : {a_, b_}) {
      Make(kube::Namespaces(), "Namespace", "", space);
      for (const char* account : {"agent", "owner-agent", "other-agent", "boss"})
        Make(kube::ServiceAccounts(), "ServiceAccount", space, account);
    }
    Start(nullptr, [&](ServerSettings& settings) { settings.kubeconfig = kubeconfig; });
  }
  void TearDown() override {
    if (!connection_) return;
    for (const std::string& space : {a_, b_})
      (void)connection_->client().Delete(kube::Namespaces(), {"", space});
  }

  void Make(const kube::Resource& resource, const char* kind, const std::string& space,
            const std::string& name, const Json& more = Json::object()) {
    Json object = more;
    object.update(
        {{"apiVersion", resource.ApiVersion()}, {"kind", kind}, {"metadata", {{"name", name}}}});
    if (!space.empty()) object["metadata"]["namespace"] = space;
    auto made = connection_->client().Create(resource, object);
    ASSERT_TRUE(made) << made.error().message;
  }
  // As the kubelet asks for the sidecar's token.
  std::string TokenFor(const std::string& space, const std::string& audience = kAudience,
                       const std::string& account = "agent") {
    const kube::Resource tokens{"", "v1", "TokenRequest", "serviceaccounts/" + account + "/token"};
    auto made = connection_->client().Ask(
        tokens, {{"apiVersion", "authentication.k8s.io/v1"},
                 {"kind", "TokenRequest"},
                 {"metadata", {{"namespace", space}}},
                 {"spec", {{"audiences", {audience}}, {"expirationSeconds", 600}}}});
    EXPECT_TRUE(made) << made.error().message;
    return made ? base::StringAt(*made, {"status", "token"}) : "";
  }

  // A Role on shared memory under a name of its own, and a binding to an account. `owner` empty: of
  // all Agents.
  void Grant(const std::string& name, const std::string& owner, const Json& verbs,
             const std::string& account) {
    Json rule = {{"apiGroups", {api::kSharedGroup}},
                 {"resources", {api::kSharedResource}},
                 {"verbs", verbs}};
    if (!owner.empty()) rule["resourceNames"] = {owner};
    Make(kube::Roles(), "Role", a_, name, {{"rules", Json::array({rule})}});
    const Json subject = {{"kind", "ServiceAccount"}, {"name", account}, {"namespace", a_}};
    Make(kube::RoleBindings(), "RoleBinding", a_, name,
         {{"subjects", Json::array({subject})},
          {"roleRef",
           {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", name}}}});
  }
  // Asks until the answer is this one: the authorizer sees a Role a moment after it was written.
  Answered Until(const Answered& wanted, const std::string& token, const std::string& method,
                 const Wish& wish) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    Answered last;
    do {
      clock_.Advance(10'000);  // so long an answer of the API server counts
      last = As(token, method, wish);
    } while (
        (last.status != wanted.status || (!wanted.body.is_null() && last.body != wanted.body)) &&
        std::chrono::steady_clock::now() < deadline);
    return last;
  }

  const std::string a_ = "identity-a-" + base::RandomHex(4),
                    b_ = "identity-b-" + base::RandomHex(4);
  std::unique_ptr<kube::Connection> connection_;
};

TEST_F(ApiServerIdentity, EveryRouteIdentifiesCallersByToken) {
  const std::string a = TokenFor(a_), b = TokenFor(b_);
  Fill(a, 5);
  const std::string before = Everything(a);
  const std::string forged = a.substr(0, a.rfind('.')) + b.substr(b.rfind('.'));
  const std::vector<std::pair<const char*, std::string>> strangers = {
      {"forged", forged},
      {"another payload", a.substr(0, a.find('.')) +
                              b.substr(b.find('.'), b.rfind('.') - b.find('.')) +
                              a.substr(a.rfind('.'))},
      {"another server's", TokenFor(a_, "agent-memory.x.y")},
      {"the API server's", TokenFor(a_, "https://kubernetes.default.svc.cluster.local")},
      {"another cluster's", FakeIssuer(clock_).IssueTo(a_)}};
  for (const auto& [method, pattern] : Table()) {
    if (pattern == "/health") continue;  // answers every caller
    const Wish wish = *WishFor(method + " " + pattern, 5);
    EXPECT_EQ(Send(method, wish, std::nullopt).status, 401) << method << " " << pattern;
    for (const auto& [how, token] : strangers)
      EXPECT_EQ(As(token, method, wish).status, 401) << method << " " << pattern << ": " << how;
    Answered other = As(b, method, wish);
    EXPECT_EQ(base::DumpJson(other.body).find(kCanary), std::string::npos) << method << pattern;
    if (pattern.starts_with("/observations/{id}")) {
      EXPECT_EQ(other.status, 404) << method << " " << pattern;
    }
  }
  EXPECT_EQ(Everything(a), before);
  EXPECT_EQ(server_->engine().Figures().open_tenants, 2);
}

TEST_F(ApiServerIdentity, SharedMemoryFollowsTheRoles) {
  const std::string owner = TokenFor(a_, kAudience, "owner-agent"),
                    other = TokenFor(a_, kAudience, "other-agent"),
                    boss = TokenFor(a_, kAudience, "boss"),
                    foreign = TokenFor(b_, kAudience, "owner-agent");
  const Wish put = {"/shared/owner/plan", R"("measure")"}, get = {"/shared/owner/plan", ""};
  EXPECT_EQ(As(owner, "PUT", put).status, 201) << "under its own name without a grant";
  EXPECT_EQ(As(other, "GET", get).status, 404);
  EXPECT_EQ(As(other, "PUT", put).status, 403);

  Grant("readers", "owner", {"get", "list"}, "other-agent");
  EXPECT_EQ(Until({200}, other, "GET", get).status, 200);
  EXPECT_EQ(As(other, "GET", {"/shared", ""}).body, Json({{"shared:owner:plan", "measure"}}));
  EXPECT_EQ(As(other, "PUT", put).status, 403);
  EXPECT_EQ(As(other, "DELETE", get).status, 403);
  EXPECT_EQ(As(boss, "GET", {"/shared", ""}).body, Json::object()) << "of one Agent is not of all";

  Grant("writers", "owner", {"get", "list", "update", "delete"}, "other-agent");
  EXPECT_EQ(Until({200}, other, "PUT", put).status, 200);
  Grant("supervisors", "", {"list"}, "boss");
  const Json all = {{"shared:owner:plan", "measure"}};
  EXPECT_EQ(Until({200, all}, boss, "GET", {"/shared", ""}).body, all);
  EXPECT_EQ(As(foreign, "GET", get).status, 404) << "of another namespace, under the same name";
  EXPECT_EQ(As(foreign, "GET", {"/shared", ""}).body, Json::object());

  for (const char* name : {"readers", "writers"})
    ASSERT_TRUE(connection_->client().Delete(kube::RoleBindings(), {a_, name}));
  EXPECT_EQ(Until({404}, other, "GET", get).status, 404) << "what was taken ends";
  EXPECT_EQ(Until({403}, other, "PUT", put).status, 403);
}

TEST_F(ApiServerIdentity, DeletedAccountIsRefusedWithinAMinute) {
  const std::string token = TokenFor(a_);
  EXPECT_EQ(As(token, "GET", {"/stats", ""}).status, 200);
  ASSERT_TRUE(connection_->client().Delete(kube::ServiceAccounts(), {a_, "agent"}));
  EXPECT_EQ(As(token, "GET", {"/stats", ""}).status, 200);  // remembered
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  int status = 200;
  while (status != 401 && std::chrono::steady_clock::now() < deadline) {
    clock_.Advance(60'000);  // each look asks again; the API server's own cache takes a moment
    status = As(token, "GET", {"/stats", ""}).status;
  }
  EXPECT_EQ(status, 401);
}

TEST_F(ApiServerIdentity, WithoutReviewRightPublishedKeysDecide) {
  // A server that is an ordinary ServiceAccount, bound to nothing.
  auto admin = kube::ReadKubeconfig(std::getenv("AGENT_MEMORY_TEST_KUBECONFIG"));
  ASSERT_TRUE(admin);
  const std::string own = TokenFor(b_, "https://kubernetes.default.svc.cluster.local");
  const Json kubeconfig = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "c"},
      {"contexts", {{{"name", "c"}, {"context", {{"cluster", "c"}, {"user", "u"}}}}}},
      {"clusters",
       {{{"name", "c"},
         {"cluster", {{"server", admin->server}, {"certificate-authority", admin->ca_file}}}}}},
      {"users", {{{"name", "u"}, {"user", {{"token", own}}}}}}};
  ASSERT_TRUE(base::ReplaceFile(scratch_.File("kubeconfig"), base::DumpJson(kubeconfig)));
  auto way = ClusterTokenReviewer::Make(scratch_.File("kubeconfig"), {kAudience}, clock_);
  ASSERT_TRUE(way) << way.error().message;
  Start(way->get());
  const std::string a = TokenFor(a_), b = TokenFor(b_);
  EXPECT_EQ(As(a, "GET", {"/stats", ""}).status, 200);
  EXPECT_EQ(As(a.substr(0, a.rfind('.')) + b.substr(b.rfind('.')), "GET", {"/stats", ""}).status,
            401);
  EXPECT_EQ(As(FakeIssuer(clock_).IssueTo(a_), "GET", {"/stats", ""}).status, 401);
  EXPECT_EQ(As(TokenFor(a_, "agent-memory.x.y"), "GET", {"/stats", ""}).status, 401);
  clock_.Advance(700'000);  // the token lives 600 s, and is remembered no longer than that
  EXPECT_EQ(As(a, "GET", {"/stats", ""}).status, 401);
}

}  // namespace
}  // namespace memory
