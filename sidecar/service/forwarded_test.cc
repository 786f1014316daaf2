// What leaves the pod of a request: the policy's fields, whatever an agent sends, and of the rest
// what the row has.
#include "sidecar/service/forwarded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/api/operations/operations.h"
#include "lib/http/message/router.h"

namespace sidecar {
namespace {

using base::Json;

std::vector<std::string> NamesOf(const std::string& target) {
  std::vector<std::string> names;
  const auto query = http::ParseQuery(target.substr(target.find('?') + 1));
  for (const auto& [name, value] : *query) names.push_back(name);
  return names;
}

class ForwardedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto policy = CompilePolicy(R"({"version": 1, "agent": "coder", "namespace": "agents",
                                    "memory": {"url": "http://memory", "project": "money"}})",
                                0);
    ASSERT_TRUE(policy) << policy.error().message;
    policy_ = *policy;
  }
  static std::vector<api::Operation> Rows() {
    std::vector<api::Operation> rows = api::Operations();
    std::erase_if(rows, [](const api::Operation& row) {
      return row.Has(api::kHosted) || row.Has(api::kNotInSidecar);
    });
    return rows;
  }
  // All parameters of the row with `value`, and one that it does not have.
  static Forwarded RequestOf(const api::Operation& row, const std::string& value) {
    Forwarded request = {row.name};
    for (const api::Field& field : row.parameters) {
      if (api::InPath(row, field))
        request.parameters[std::string(field.name)] = value;
      else
        request.query.emplace_back(field.name, value);
    }
    request.query.emplace_back("evil", value);
    if (!row.body.empty()) request.body = api::ExampleBody(row, api::UsualRows());
    request.conditions.Set("If-Match", "\"1\"");
    request.conditions.Set("If-None-Match", "*");
    return request;
  }
  std::shared_ptr<const ActivePolicy> policy_;
};

TEST_F(ForwardedTest, ParametersOfTheRowLeaveAndThePolicyFillsItsOwn) {
  for (const api::Operation& row : Rows()) {
    SCOPED_TRACE(row.name);
    const http::ClientRequest out = Outgoing(RequestOf(row, "a/b"), *policy_, "c1");
    EXPECT_EQ(out.method, row.method);
    EXPECT_EQ(out.target.find("evil"), std::string::npos);
    EXPECT_EQ(out.target.find("a/b"), std::string::npos) << "the path is encoded";
    const bool named = out.target.find("?as=coder") != std::string::npos;
    const bool of_project = out.target.find("?project=money") != std::string::npos;
    EXPECT_TRUE(named || of_project) << out.target;
    if (std::ranges::count(row.parameters, "project", &api::Field::name) > 0) {
      EXPECT_TRUE(of_project) << "an export, too";
    }
    const std::vector<std::string> names = NamesOf(out.target);
    for (const std::string& name : names) EXPECT_EQ(std::ranges::count(names, name), 1) << name;
    EXPECT_EQ(out.headers.Get("If-Match").has_value(), row.Has(api::kIfMatch));
    EXPECT_EQ(out.headers.Get("If-None-Match").has_value(), row.Has(api::kIfNoneMatch));
  }
}

TEST_F(ForwardedTest, WhatABodySaysOfWriterProjectAndSettingsIsThePolicys) {
  for (const api::Operation& row : Rows()) {
    if (row.body.empty() || row.body.front().name.empty()) continue;
    SCOPED_TRACE(row.name);
    Forwarded request = RequestOf(row, "x");
    for (const char* field : {"project", "source", "replace_user", "settings", "rules"})
      (*request.body)[field] = "evil";
    Json sent = *base::ParseJson(Outgoing(std::move(request), *policy_, "").body);
    for (const api::Field& field : row.body) {
      const std::string name(field.name);
      EXPECT_NE(sent.value(name, Json()), "evil") << name;
      if (name == "source") {
        EXPECT_EQ(sent[name], Json({{"origin", "agent"}}));
      }
    }
    EXPECT_EQ(sent.value("replace_user", false), false);
    const bool of_project = std::ranges::count(row.parameters, "project", &api::Field::name) > 0;
    if (of_project) {
      EXPECT_EQ(sent["project"], "money");
    }
  }
}

TEST_F(ForwardedTest, ARequestNamesItsConversationInBodyOrQuery) {
  EXPECT_EQ(ConversationIn({"search", {}, {{"conversation", "c"}}}), "c");
  EXPECT_EQ(ConversationIn({"search"}), "");
  EXPECT_EQ(ConversationIn({"add_trace", {}, {{"conversation", "q"}}, Json{{"conversation", "b"}}}),
            "b");
  EXPECT_EQ(ConversationIn({"find_items", {}, {{"conversation", "c"}}}), std::nullopt);
  EXPECT_EQ(ConversationIn({"list_episodes", {{"conversation", "c"}}}), std::nullopt);
}

}  // namespace
}  // namespace sidecar
