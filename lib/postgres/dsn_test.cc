// What an address needs, which way it is protected, and that nothing secret leaves it.
#include "lib/postgres/dsn.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lib/base/process/log.h"
#include "lib/testing/temporary_directory.h"

namespace postgres {
namespace {

std::string Value(const Dsn& dsn, const std::string& key) {
  for (const auto& [name, value] : dsn.others)
    if (name == key) return value;
  return "";
}

TEST(Dsn, UriOfCloudNativePgIsVerifiedInFull) {
  // The key `uri` of the secret <cluster>-app.
  const auto dsn = Dsn::Parse("postgresql://app:s3cret@cluster-rw.agents:5432/app\n");
  ASSERT_TRUE(dsn) << dsn.error().message;
  EXPECT_EQ(dsn->Describe(dsn->hosts[0]), "cluster-rw.agents:5432, database app, user app");
  EXPECT_EQ(Value(*dsn, "sslmode"), "verify-full");
  EXPECT_NE(Value(*dsn, "sslrootcert"), "");
  EXPECT_EQ(dsn->warning, "");
  const auto to = dsn->For(dsn->hosts[0]);
  EXPECT_NE(std::find_if(to.keys.begin(), to.keys.end(),
                         [](const char* key) { return std::string(key) == "password"; }),
            to.keys.end());
}

TEST(Dsn, SeveralHostsAreTriedInOrderWithTheirPorts) {
  const auto dsn = Dsn::Parse("postgres://u@a:1,b:2,c/d?target_session_attrs=read-write");
  ASSERT_TRUE(dsn) << dsn.error().message;
  ASSERT_EQ(dsn->hosts.size(), 3u);
  EXPECT_EQ(dsn->hosts[1].name + ":" + dsn->hosts[1].port, "b:2");
  EXPECT_EQ(dsn->hosts[2].port, "5432");
  EXPECT_EQ(Value(*dsn, "target_session_attrs"), "read-write");
  const auto shared = Dsn::Parse("host=a,b port=7 user=u dbname=d");
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->hosts[1].port, "7");
}

TEST(Dsn, HalfGivenAddressNamesTheField) {
  struct Case {
    const char *text, *field;
  };
  const Case cases[] = {
      {"", "empty"},
      {"user=u dbname=d", "set host"},
      {"postgresql://u@/d", "set host"},
      {"host=a dbname=d", "set user"},
      {"host=a user=u", "set dbname"},
      {"postgresql://u:p@a", "set dbname"},
      {"host=a,,c user=u dbname=d", "set host"},
      {"host=a,b port=1,2,3 user=u dbname=d", "port"},
      {"host=a port=0 user=u dbname=d", "port"},
      {"host=a port=x user=u dbname=d", "port"},
      {"host=a,b hostaddr=1.2.3.4 user=u dbname=d", "hostaddr"},
      {"host=a user=u dbname=d sslmode=off", "sslmode"},
      {"service=x host=a user=u dbname=d", "service"},
      {"host=a\nuser=u dbname=d", "line"},
  };
  for (const Case& c : cases) {
    const auto dsn = Dsn::Parse(c.text);
    ASSERT_FALSE(dsn) << c.text;
    EXPECT_EQ(dsn.error().code, base::Code::kInvalid);
    EXPECT_NE(dsn.error().message.find(c.field), std::string::npos)
        << c.text << ": " << dsn.error().message;
  }
}

TEST(Dsn, NoErrorQuotesTheText) {
  for (const char* text :
       {"host=a user=u dbname=d password=s3cret s3cret", "s3cret", "postgresql://u:s3cret@[a/d",
        "host=a s3cret=1", "postgresql://u:s3cret@a/d?s3cret=1", "host=a user=u password=s3cret",
        "host=a port=s3cret user=u dbname=d"}) {
    const auto dsn = Dsn::Parse(text);
    ASSERT_FALSE(dsn) << text;
    EXPECT_EQ(dsn.error().message.find("s3cret"), std::string::npos) << dsn.error().message;
  }
}

TEST(Dsn, OnlyOtherMachinesNeedProof) {
  for (const char* host :
       {"/run/postgresql", "localhost", "127.0.0.1", "127.1.2.3", "::1", "@abstract"}) {
    const auto dsn = Dsn::Parse(std::string("user=u dbname=d host=") + host);
    ASSERT_TRUE(dsn) << host;
    EXPECT_EQ(Value(*dsn, "sslmode"), "prefer") << host;
    EXPECT_EQ(dsn->warning, "");
  }
  for (const char* host :
       {"db", "10.0.0.1", "127.evil.example", "localhost.example", "/run/postgresql,db"})
    EXPECT_EQ(Value(*Dsn::Parse(std::string("user=u dbname=d host=") + host), "sslmode"),
              "verify-full")
        << host;
  // The address decides, not the name beside it.
  EXPECT_EQ(Value(*Dsn::Parse("user=u dbname=d host=localhost hostaddr=10.0.0.1"), "sslmode"),
            "verify-full");
}

TEST(Dsn, WeakerModeOffLoopbackIsTakenWithAWarning) {
  for (const char* mode : {"disable", "allow", "prefer", "require", "verify-ca"}) {
    const auto dsn = Dsn::Parse(std::string("user=u dbname=d host=db sslmode=") + mode);
    ASSERT_TRUE(dsn);
    EXPECT_EQ(Value(*dsn, "sslmode"), mode);
    EXPECT_NE(dsn->warning, "") << mode;
  }
}

TEST(DsnFile, IsReadAgainAfterARotationAndNeverFallsBack) {
  const testing::TemporaryDirectory place;
  const std::string path =
      place.Write("dsn", "host=db user=u dbname=d password=one sslmode=require");
  DsnFile file(path);
  const uint64_t warnings = base::CountedLogLines().warnings;
  ASSERT_TRUE(file.Current());
  EXPECT_EQ((*file.Current())->password, "one");
  EXPECT_EQ(base::CountedLogLines().warnings, warnings + 1);  // once, not with each use

  place.Write("next", "host=db user=u dbname=d password=second");
  std::filesystem::rename(place.File("next"), path);
  ASSERT_TRUE(file.Current());
  EXPECT_EQ((*file.Current())->password, "second");

  place.Write("next", "host=db user=u");
  std::filesystem::rename(place.File("next"), path);
  ASSERT_FALSE(file.Current());
  EXPECT_NE(file.Current().error().message.find("set dbname"), std::string::npos);
  place.Remove("dsn");
  ASSERT_FALSE(file.Current());
  EXPECT_NE(file.Current().error().message.find(path), std::string::npos);
}

}  // namespace
}  // namespace postgres
