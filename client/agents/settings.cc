// Recognizes the entries of `setup` by their command, so that no other state is necessary.
#include "client/agents/settings.h"

#include <set>

#include "client/agents/toml_text.h"
#include "lib/base/json/json.h"

namespace client {
namespace {

using base::Code;
using base::Error;
using base::Status;

constexpr const char* kServer = "memory";
constexpr const char* kOtherName = "agent-memory";
constexpr std::string_view kBegin = "# agent-memory: begin", kEnd = "# agent-memory: end";
constexpr int kTimeoutSeconds = 30;

// Quotes `text` for sh.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

bool IsOurHook(const Settings& hook) {
  if (!hook.is_object() || !hook.contains("command") || !hook["command"].is_string()) return false;
  return hook["command"].get<std::string>().find("/agent-memory' hook ") != std::string::npos;
}

bool IsOurServer(const Settings& server) {
  if (!server.is_object() || !server.contains("command") || !server["command"].is_string())
    return false;
  return server["command"].get<std::string>().ends_with("/agent-memory") &&
         server.value("args", Settings()) == Settings::array({"mcp"});
}

// Removes our hooks from one event's list, except the first with the command `keep`, and entries
// that become empty. True if that hook exists.
bool RemoveFrom(Settings& entries, const std::string& keep) {
  bool kept = false;
  if (!entries.is_array()) return kept;
  for (size_t i = entries.size(); i-- > 0;) {
    if (!entries[i].is_object() || !entries[i].contains("hooks")) continue;
    Settings& hooks = entries[i]["hooks"];
    if (!hooks.is_array()) continue;
    const size_t before = hooks.size();
    for (size_t j = hooks.size(); j-- > 0;) {
      if (!IsOurHook(hooks[j])) continue;
      if (!kept && hooks[j]["command"] == keep) {
        kept = true;
      } else {
        hooks.erase(j);
      }
    }
    if (hooks.empty() && before > 0) entries.erase(i);
  }
  return kept;
}

bool TakesMatcher(const std::string& event) { return event.find("ToolUse") != std::string::npos; }

}  // namespace

Status AddHooks(Settings& settings, const std::string& program,
                const std::vector<std::string>& events) {
  if (!settings.is_object()) return Error{Code::kInvalid, "the settings are no JSON object"};
  if (!settings.contains("hooks")) settings["hooks"] = Settings::object();
  Settings& hooks = settings["hooks"];
  if (!hooks.is_object()) return Error{Code::kInvalid, "\"hooks\" is no object"};
  for (const std::string& event : events) {
    if (!hooks.contains(event)) hooks[event] = Settings::array();
    if (!hooks[event].is_array())
      return Error{Code::kInvalid, "\"hooks\".\"" + event + "\" is no list"};
    // A correct hook stays in its entry, which the user may have extended.
    const std::string command = Quoted(program) + " hook " + event;
    if (RemoveFrom(hooks[event], command)) continue;
    Settings entry = Settings::object();
    if (TakesMatcher(event)) entry["matcher"] = "*";
    Settings hook = Settings::object();
    hook["type"] = "command";
    hook["command"] = command;
    hook["timeout"] = kTimeoutSeconds;
    entry["hooks"] = Settings::array({hook});
    hooks[event].push_back(entry);
  }
  return {};
}

void RemoveHooks(Settings& settings) {
  if (!settings.is_object() || !settings.contains("hooks") || !settings["hooks"].is_object())
    return;
  Settings& hooks = settings["hooks"];
  std::vector<std::string> emptied;
  for (auto& [event, entries] : hooks.items()) {
    const size_t before = entries.size();
    RemoveFrom(entries, "");
    if (entries.empty() && before > 0) emptied.push_back(event);
  }
  for (const std::string& event : emptied) hooks.erase(event);
  if (hooks.empty() && !emptied.empty()) settings.erase("hooks");
}

bool HasOurHooks(const Settings& settings) {
  if (!settings.is_object() || !settings.contains("hooks")) return false;
  Settings without = settings;
  RemoveHooks(without);
  return without != settings;
}

bool HasPermission(const Settings& settings, const std::string& rule) {
  if (!settings.is_object() || !settings.contains("permissions")) return false;
  for (const char* list : {"allow", "ask", "deny"}) {
    if (!settings["permissions"].is_object() || !settings["permissions"].contains(list)) continue;
    for (const Settings& one : settings["permissions"][list])
      if (one == rule) return true;
  }
  return false;
}

Status AddPermission(Settings& settings, const std::string& rule) {
  if (HasPermission(settings, rule)) return {};
  if (!settings.contains("permissions")) settings["permissions"] = Settings::object();
  Settings& permissions = settings["permissions"];
  if (!permissions.is_object()) return Error{Code::kInvalid, "\"permissions\" is no object"};
  if (!permissions.contains("allow")) permissions["allow"] = Settings::array();
  if (!permissions["allow"].is_array())
    return Error{Code::kInvalid, "\"permissions\".\"allow\" is no list"};
  permissions["allow"].push_back(rule);
  return {};
}

void RemovePermission(Settings& settings, const std::string& rule) {
  if (!settings.is_object() || !settings.contains("permissions")) return;
  Settings& permissions = settings["permissions"];
  if (!permissions.is_object() || !permissions.contains("allow")) return;
  Settings& allow = permissions["allow"];
  if (!allow.is_array()) return;
  const size_t before = allow.size();
  for (size_t i = allow.size(); i-- > 0;)
    if (allow[i] == rule) allow.erase(i);
  if (allow.size() == before) return;
  if (allow.empty()) permissions.erase("allow");
  if (permissions.empty()) settings.erase("permissions");
}

std::string ServerName(const Settings& settings, const std::string& program) {
  if (!settings.is_object() || !settings.contains("mcpServers")) return kServer;
  const Settings& servers = settings["mcpServers"];
  if (!servers.is_object()) return kServer;
  for (const char* name : {kServer, kOtherName}) {
    if (servers.contains(name) && IsOurServer(servers[name]) && servers[name]["command"] == program)
      return name;
  }
  return servers.contains(kServer) && !IsOurServer(servers[kServer]) ? kOtherName : kServer;
}

Status AddServer(Settings& settings, const std::string& program) {
  if (!settings.is_object()) return Error{Code::kInvalid, "the settings are no JSON object"};
  const std::string name = ServerName(settings, program);
  // A correct server stays as it is: the agent may have added fields.
  if (settings.contains("mcpServers") && settings["mcpServers"].is_object() &&
      settings["mcpServers"].contains(name) && IsOurServer(settings["mcpServers"][name]) &&
      settings["mcpServers"][name]["command"] == program)
    return {};
  RemoveServer(settings);
  if (!settings.contains("mcpServers")) settings["mcpServers"] = Settings::object();
  Settings& servers = settings["mcpServers"];
  if (!servers.is_object()) return Error{Code::kInvalid, "\"mcpServers\" is no object"};
  Settings server = Settings::object();
  server["command"] = program;
  server["args"] = Settings::array({"mcp"});
  servers[name] = server;
  return {};
}

void RemoveServer(Settings& settings) {
  if (!settings.is_object() || !settings.contains("mcpServers")) return;
  Settings& servers = settings["mcpServers"];
  if (!servers.is_object()) return;
  bool removed = false;
  for (const char* name : {kServer, kOtherName}) {
    if (!servers.contains(name) || !IsOurServer(servers[name])) continue;
    servers.erase(name);
    removed = true;
  }
  if (servers.empty() && removed) settings.erase("mcpServers");
}

namespace {

constexpr const char* kServersKey = "mcp_servers";

std::string TomlEntry(const std::string& program) {
  // A JSON string is a valid TOML string.
  return "command = " + base::DumpJson(base::Json(program)) + ", args = [\"mcp\"]";
}

// The member of an inline table that an earlier setup added, with its comma; {npos, npos}: none.
std::pair<size_t, size_t> InlineEntry(const std::string& toml, const std::vector<TomlKey>& keys) {
  for (const TomlKey& key : keys) {
    if (key.path.size() != 2 || key.path[0] != kServersKey || key.value_begin == key.value_end)
      continue;
    const std::string value = toml.substr(key.value_begin, key.value_end - key.value_begin);
    if (!value.starts_with("{command = ") || !value.ends_with("/agent-memory\", args = [\"mcp\"]}"))
      continue;
    size_t begin = toml.rfind(key.path[1], key.value_begin), end = key.value_end;
    if (toml.compare(end, 2, ", ") == 0) return {begin, end + 2};
    if (begin >= 2 && toml.compare(begin - 2, 2, ", ") == 0) begin -= 2;
    return {begin, end};
  }
  return {std::string::npos, std::string::npos};
}

}  // namespace

base::Result<std::string> WithServerBlock(const std::string& toml, const std::string& program) {
  ASSIGN_OR_RETURN(std::string text, WithoutServerBlock(toml));
  ASSIGN_OR_RETURN(const std::vector<TomlKey> keys, KeysOf(text));
  const TomlKey* inline_table = nullptr;
  std::set<std::string> taken;
  for (const TomlKey& key : keys) {
    if (key.path[0] != kServersKey) continue;
    if (key.path.size() > 1) taken.insert(key.path[1]);
    if (key.path.size() > 1 || key.value_begin == key.value_end) continue;
    if (text[key.value_begin] != '{')
      return Error{Code::kConflict, "mcp_servers is no table: remove it, then try again"};
    inline_table = &key;
  }
  for (const TomlKey& key : keys) {
    if (key.path.size() == 1 && key.path[0] == kServersKey && key.list)
      return Error{Code::kConflict,
                   "[[mcp_servers]] is a list, not a table: rename it, then try again"};
  }
  const std::string name = taken.contains(kServer) ? kOtherName : kServer;
  if (taken.contains(name)) {
    return Error{
        Code::kConflict,
        "mcp_servers has memory and agent-memory already: rename one of them, then try again"};
  }
  if (inline_table != nullptr) {
    const size_t open = inline_table->value_begin + 1;
    const bool empty = text.find_first_not_of(" \t\r\n", open) == inline_table->value_end - 1;
    return text.insert(open, name + " = {" + TomlEntry(program) + "}" + (empty ? "" : ", "));
  }
  const std::string line_end = text.find("\r\n") != std::string::npos ? "\r\n" : "\n";
  if (!text.empty() && !text.ends_with('\n')) text += line_end;
  for (const std::string& line : {std::string(kBegin), "[mcp_servers." + name + "]",
                                  "command = " + base::DumpJson(base::Json(program)),
                                  std::string("args = [\"mcp\"]"), std::string(kEnd)})
    text += line + line_end;
  return text;
}

base::Result<std::string> WithoutServerBlock(const std::string& toml) {
  const size_t begin = toml.find(kBegin);
  const size_t end = begin == std::string::npos ? begin : toml.find(kEnd, begin);
  if (end != std::string::npos) {
    const size_t line = toml.find('\n', end);
    return toml.substr(0, begin) + (line == std::string::npos ? "" : toml.substr(line + 1));
  }
  ASSIGN_OR_RETURN(const std::vector<TomlKey> keys, KeysOf(toml));
  const auto [from, to] = InlineEntry(toml, keys);
  return from == std::string::npos ? toml : toml.substr(0, from) + toml.substr(to);
}

}  // namespace client
