// Renders verdicts and plans together with the rules of the policy. Recorded text is untrusted:
// people see it as inert text.
#include "sidecar/commands/check_report.h"

#include <string_view>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"
#include "sidecar/recall/recalled.h"
#include "sidecar/rules/commits.h"
#include "sidecar/rules/recall_plan.h"
#include "sidecar/rules/remember.h"
#include "sidecar/rules/stated_memory.h"
#include "sidecar/session/sessions.h"
#include "sidecar/text/tool_text.h"
#include "sidecar/turn/turn_draft.h"

namespace sidecar {
namespace {

using base::Json;

constexpr size_t kShownCharacters = 120;

std::string Quoted(std::string_view text) {
  return "\"" + base::Inert(base::Ellipsize(text, kShownCharacters)) + "\"";
}

std::string WhyArgument(const api::SaveRule& rule, const std::string& argument,
                        const api::HookEvent& event) {
  const auto texts = ArgumentTexts(Arguments(event.tool_input), argument);
  if (texts.empty()) return "the call has no argument " + Quoted(argument);
  std::vector<std::string> shown;
  for (const std::string& text : texts) shown.push_back(Quoted(text));
  return "matchArgs." + argument + " " + Quoted(rule.match_args.at(argument)) + " does not match " +
         base::Join(shown, ", ");
}

std::string Why(const api::SaveRule& rule, const RuleVerdict& verdict, const TurnDraft& draft) {
  using Outcome = RuleVerdict::Outcome;
  switch (verdict.outcome) {
    case Outcome::kMatched:
      if (rule.match_output.empty()) return "it has no matchOutput: every result of the tool";
      return "matchOutput " + Quoted(rule.match_output) + " found " + Quoted(verdict.match);
    case Outcome::kOwnTool:
      return "a memory tool: what it returns was remembered before";
    case Outcome::kOtherTool:
      return "skipped: rule applies to tool " + base::Inert(rule.tool);
    case Outcome::kArgument:
      return WhyArgument(rule, verdict.argument, draft.event);
    case Outcome::kOutput:
      return "matchOutput " + Quoted(rule.match_output) + " is not in the output of " +
             std::to_string(base::CountCharacters(draft.output)) + " characters";
    case Outcome::kOverBudget:
      return "the rules before it used up the time";
  }
  return {};
}

Json RulesOf(const ActivePolicy& policy, const TurnDraft& draft) {
  Json rules = Json::array();
  for (size_t i = 0; i < draft.verdicts.size(); ++i) {
    const api::SaveRule& rule = policy.policy.save_rules[i];
    const RuleVerdict& verdict = draft.verdicts[i];
    rules.push_back({{"rule", verdict.rule},
                     {"tool", rule.tool},
                     {"matched", verdict.outcome == RuleVerdict::Outcome::kMatched},
                     {"why", Why(rule, verdict, draft)}});
  }
  return rules;
}

Json SavesOf(const ActivePolicy& policy, const TurnDraft& draft) {
  Json saves = Json::array();
  for (const Capture& capture : draft.captures) {
    Json body = ObservationBody(draft, capture, "", policy.policy);
    body.erase("session_id");  // a live turn sets it; a check has no session
    saves.push_back(std::move(body));
  }
  return saves;
}

// What the end of a session saves: its digest among `saves`, and the summary as a result; null:
// none.
Json EndOf(const ActivePolicy& policy, const SessionAccount& account, Json& saves) {
  if (!policy.policy.auto_summarize || account.empty()) return nullptr;
  if (const auto digest = DigestOf(account, policy.policy)) {
    Json body = api::EncodeNewObservation(*digest);
    for (const char* live : {"session_id", "topic_key"}) body.erase(live);  // of the session
    saves.push_back(std::move(body));
  }
  api::SummaryBuilder summary;
  const Json said = account.EndBody();
  for (const Json& message : said["messages"])
    summary.Add(base::StringAt(message, {"role"}), base::StringAt(message, {"content"}));
  summary.AddOmitted(said.value("omitted", int64_t{0}));
  return summary.Text();
}

Json EncodeSearch(const api::InjectTool& entry, const SearchPlan& search) {
  using Outcome = SearchPlan::Outcome;
  Json json = {{"tool", entry.tool}, {"searches", search.outcome == Outcome::kSearches}};
  switch (search.outcome) {
    case Outcome::kSearches:
      json["query"] = search.query;
      json["limit"] = search.limit;
      json["inject"] = search.inject;
      break;
    case Outcome::kOtherTool:
      json["why"] = "it applies to another tool";
      break;
    case Outcome::kOwnTool:
      json["why"] = "a memory tool does its own search";
      break;
    case Outcome::kNoQuery:
      json["why"] = "the call has no text to search for";
      break;
  }
  return json;
}

Json RecallOf(const ActivePolicy& policy, const TurnDraft& draft) {
  const RecallPlan plan = PlanRecall(policy.policy, draft.event, !draft.denial.empty());
  if (plan.kind == RecallPlan::Kind::kNothing) return nullptr;
  if (plan.kind == RecallPlan::Kind::kContext) {
    const int limit = policy.policy.context_limit;
    Json context = {{"asks", limit > 0}, {"query", plan.query}, {"limit", limit}};
    if (limit > 0) context["sessions"] = kRecalledSessions;
    return {{"context", std::move(context)}};
  }
  Json searches = Json::array();
  for (size_t i = 0; i < plan.searches.size(); ++i) {
    searches.push_back(EncodeSearch(policy.policy.inject_tools[i], plan.searches[i]));
  }
  return {{"searches", std::move(searches)}};
}

std::string Line(const std::string& name, const std::string& text) {
  return "  " + name + std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') + text + "\n";
}

std::string DescribeSave(const Json& save) {
  std::string text = "      saves " + base::Inert(base::StringAt(save, {"type"})) + ", scope " +
                     base::StringAt(save, {"scope"}) + ": " +
                     Quoted(base::StringAt(save, {"title"})) + "\n";
  for (const std::string& line : base::Split(base::StringAt(save, {"content"}), '\n')) {
    text += "        | " + base::Inert(line) + "\n";
  }
  return text;
}

// The field of the policy by which something other than a rule is saved.
std::string_view FieldOf(const Json& save) {
  const std::string rule = base::StringAt(save, {"source", "rule"});
  if (rule == kRememberRule) return "rememberPrompts: the prompt asks to remember it";
  if (rule == kStatedRule) return "saveStatements: the prompt states it";
  if (rule == kCommitRule) return "saveCommits: the call made a commit";
  return "sessionDigest: the session ends";
}

// The saves from number `first` on, which are not of rules.
std::string DescribeOtherSaves(const Json& report, size_t first) {
  std::string text;
  for (; first < report["saves"].size(); ++first) {
    const Json& save = report["saves"][first];
    text += (text.empty() ? "  saves\n    + " : "    + ") + std::string(FieldOf(save)) + "\n" +
            DescribeSave(save);
  }
  return text;
}

std::string DescribeRules(const Json& report, size_t& saved) {
  if (report["rules"].empty()) return {};
  std::string text = "  rules\n";
  for (const Json& rule : report["rules"]) {
    const bool matched = rule["matched"];
    text += std::string("    ") + (matched ? "+ " : "- ") +
            base::Inert(base::StringAt(rule, {"rule"})) + ": " + base::StringAt(rule, {"why"}) +
            "\n";
    if (matched) text += DescribeSave(report["saves"][saved++]);
  }
  return text;
}

std::string DescribeSearch(const Json& search) {
  const std::string head = "contextInjectTools " + Quoted(base::StringAt(search, {"tool"})) + ": ";
  if (!search["searches"])
    return Line("recall", head + "no search, " + base::StringAt(search, {"why"}));
  return Line("recall", head + "searches " + Quoted(base::StringAt(search, {"query"})) +
                            ", limit " + base::DumpJson(search["limit"]) +
                            (search["inject"] ? ", injected" : ", for the record only"));
}

std::string DescribeRecall(const Json& recall) {
  if (recall.is_null()) return Line("recall", "no memory search for this event");
  std::string text;
  if (recall.contains("context")) {
    const Json& context = recall["context"];
    if (!context["asks"]) return Line("recall", "off: contextLimit is 0");
    const std::string query = base::StringAt(context, {"query"});
    return Line("recall", base::IsBlank(query) ? "session summaries"
                                               : "context for " + Quoted(query) + ", limit " +
                                                     base::DumpJson(context["limit"]));
  }
  for (const Json& search : recall["searches"]) text += DescribeSearch(search);
  return text;
}

}  // namespace

Json CheckEvent(const ActivePolicy& policy, api::HookEvent event, SessionAccount& account) {
  const bool known = event.kind != api::HookEvent::Kind::kOther;
  const TurnDraft draft = DraftTurn(policy, std::move(event), {});
  account.Add(draft.messages,
              account.last_sequence() + static_cast<int64_t>(draft.messages.size()));
  Json saves = SavesOf(policy, draft);
  Json summary = draft.EndsSession() ? EndOf(policy, account, saves) : Json();
  Json permission = {{"decision", draft.denial.empty() ? "none" : "deny"}};
  if (!draft.denial.empty()) permission["reason"] = draft.denial;
  permission["unjudged"] = draft.unjudged;
  return {{"event", draft.event.name},
          {"known", known},
          {"conversation", draft.event.session_id},
          {"tool", draft.event.tool_name},
          {"messages", draft.messages.size()},
          {"redactions", draft.redactions},
          {"truncated", draft.truncated},
          {"rules", RulesOf(policy, draft)},
          {"saves", std::move(saves)},
          {"summary", std::move(summary)},
          {"recall", RecallOf(policy, draft)},
          {"permission", std::move(permission)},
          {"audited", draft.audited}};
}

std::string DescribeReport(const Json& report) {
  auto shown = [&](const char* field) { return base::Inert(base::StringAt(report, {field})); };
  const std::string tool = shown("tool");
  std::string text = shown("event") + (tool.empty() ? "" : " " + tool) + " of conversation " +
                     shown("conversation") + "\n";
  if (!report["known"]) return text + Line("answer", "{}: the event is not one that is acted on");
  if (base::StringAt(report, {"permission", "decision"}) == "deny") {
    // The reason is inert already: the agent gets the same text.
    text += Line("permission", "deny: " + base::StringAt(report, {"permission", "reason"}));
  }
  if (const Json& unjudged = report["permission"]["unjudged"]; !unjudged.empty()) {
    text +=
        Line("unjudged", base::Inert(base::Join(unjudged.get<std::vector<std::string>>(), ", ")));
  }
  size_t of_rules = 0;
  text += DescribeRules(report, of_rules);
  text += DescribeOtherSaves(report, of_rules);
  if (report["summary"].is_string())
    text += Line("summary", Quoted(base::StringAt(report, {"summary"})));
  for (const auto& [kind, count] : report["redactions"].items()) {
    text += Line("redacted", kind + ", " + base::DumpJson(count));
  }
  if (report["truncated"]) text += Line("truncated", "texts over 256 KiB: head and tail are used");
  text += DescribeRecall(report["recall"]);
  if (report["audited"]) text += Line("audit", "the call goes to the audit log");
  return text + Line("messages", base::DumpJson(report["messages"]) + " kept in the conversation");
}

}  // namespace sidecar
