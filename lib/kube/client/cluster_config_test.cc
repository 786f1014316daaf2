// Kubeconfigs, the files of a pod's ServiceAccount, and rotated tokens.
#include "lib/kube/client/cluster_config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "lib/base/process/file.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"

namespace kube {
namespace {

class ConfigTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(base::ReplaceFile(folder_ + "/" + name, text));
    return folder_ + "/" + name;
  }
  std::string Kubeconfig(const std::string& cluster, const std::string& user) {
    return Write("config",
                 "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                 "contexts: [{name: other, context: {cluster: x}}, {name: c, context: {cluster: k, "
                 "user: u, namespace: agents}}]\n"
                 "clusters: [{name: k, cluster: " +
                     cluster +
                     "}]\n"
                     "users: [{name: u, user: " +
                     user + "}]\n");
  }
  std::string ErrorFor(const std::string& cluster, const std::string& user) {
    auto config = ReadKubeconfig(Kubeconfig(cluster, user));
    return config ? "" : config.error().message;
  }

  const ::testing::TemporaryDirectory directory_;
  const std::string& folder_ = directory_.path();
};

TEST_F(ConfigTest, FilesAreRelativeToTheKubeconfig) {
  auto config = ReadKubeconfig(
      Kubeconfig("{server: 'https://10.0.0.1:6443/', certificate-authority: pki/ca.crt}",
                 "{client-certificate: /abs/c.crt, client-key: pki/c.key}"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, "https://10.0.0.1:6443");
  EXPECT_EQ(config->ca_file, folder_ + "/pki/ca.crt");
  EXPECT_EQ(config->certificate_file, "/abs/c.crt");
  EXPECT_EQ(config->key_file, folder_ + "/pki/c.key");
  EXPECT_EQ(config->name_space, "agents");
}

TEST_F(ConfigTest, InlineCertificatesLiveInPrivateFilesAsLongAsTheConfig) {
  std::string path;
  {
    auto config =
        ReadKubeconfig(Kubeconfig("{server: 'https://a:1', certificate-authority-data: aGVsbG8=}",
                                  "{client-certificate-data: Yw==, client-key-data: aw==}"));
    ASSERT_TRUE(config) << config.error().message;
    path = config->ca_file;
    EXPECT_EQ(*base::ReadFile(path), "hello");
    EXPECT_EQ(*base::ReadFile(config->key_file), "k");
    struct stat state {};
    ASSERT_EQ(stat(config->key_file.c_str(), &state), 0);
    EXPECT_EQ(state.st_mode & 0777, 0600u);
    ASSERT_EQ(stat(std::filesystem::path(path).parent_path().c_str(), &state), 0);
    EXPECT_EQ(state.st_mode & 0777, 0700u);
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

TEST_F(ConfigTest, MissingOrUnsupportedFieldIsNamed) {
  std::string server = "{server: 'https://a:1'}";
  EXPECT_EQ(ErrorFor(server, "{token: t}"), "");
  EXPECT_NE(ErrorFor("{}", "{token: t}").find("server"), std::string::npos);
  EXPECT_NE(ErrorFor("{server: 'ftp://a'}", "{}").find("https://"), std::string::npos);
  EXPECT_NE(ErrorFor("{server: 'https://a/k8s/c1'}", "{}").find("path"), std::string::npos);
  EXPECT_NE(ErrorFor(server, "{exec: {command: aws}}").find("exec"), std::string::npos);
  EXPECT_NE(ErrorFor("{server: 'https://a', insecure-skip-tls-verify: true}", "{}")
                .find("insecure-skip-tls-verify"),
            std::string::npos);
  EXPECT_NE(ErrorFor(server, "{client-certificate: a}").find("client-key"), std::string::npos);
  EXPECT_NE(
      ErrorFor("{server: 'https://a', certificate-authority-data: '!!'}", "{}").find("not base64"),
      std::string::npos);
  std::string unknown = Write("config", "current-context: gone\n");
  EXPECT_NE(ReadKubeconfig(unknown).error().message.find("\"gone\""), std::string::npos);
  EXPECT_NE(ReadKubeconfig(Write("config", "{}")).error().message.find("current-context"),
            std::string::npos);
  EXPECT_FALSE(ReadKubeconfig(folder_ + "/none"));
}

TEST_F(ConfigTest, FilesOfAPodAreFound) {
  unsetenv("KUBERNETES_SERVICE_HOST");
  auto outside = InClusterConfig(folder_);
  ASSERT_FALSE(outside);
  EXPECT_NE(outside.error().message.find("--kubeconfig"), std::string::npos);
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  EXPECT_FALSE(InClusterConfig(folder_)) << "there is no token";
  Write("token", "t");
  Write("ca.crt", "c");
  Write("namespace", "agents\n");
  auto config = InClusterConfig(folder_);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, "https://[fd00::1]:443");
  EXPECT_EQ(config->token_file, folder_ + "/token");
  EXPECT_EQ(config->name_space, "agents");
  unsetenv("KUBERNETES_SERVICE_HOST");
  unsetenv("KUBERNETES_SERVICE_PORT");
}

TEST_F(ConfigTest, TokenFileIsReadAgainAfterAMinuteOr401) {
  ::testing::FakeClock clock;
  TokenSource token("", Write("token", "one\n"), clock);
  EXPECT_EQ(token.Token(), "one");
  Write("token", "two");
  clock.Advance(59'999);
  EXPECT_EQ(token.Token(), "one");
  clock.Advance(1);
  EXPECT_EQ(token.Token(), "two");
  Write("token", "three");
  EXPECT_TRUE(token.Distrust());
  EXPECT_EQ(token.Token(), "three");
}

TEST_F(ConfigTest, MissingTokenFileKeepsTheToken) {
  ::testing::FakeClock clock;
  std::string path = Write("token", "one");
  TokenSource token("", path, clock);
  EXPECT_EQ(token.Token(), "one");
  std::filesystem::remove(path);
  clock.Advance(120'000);
  EXPECT_EQ(token.Token(), "one");
  Write("token", " \n");
  token.Distrust();
  EXPECT_EQ(token.Token(), "one");
}

TEST_F(ConfigTest, FixedTokenStays) {
  TokenSource token("fixed", "");
  EXPECT_EQ(token.Token(), "fixed");
  EXPECT_FALSE(token.Distrust());
}

}  // namespace
}  // namespace kube
