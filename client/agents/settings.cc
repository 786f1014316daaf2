// Recognizes the entries of `setup` by their command, so that no other state is necessary.
#include "client/agents/settings.h"

#include "lib/base/json/json.h"

namespace client {
namespace {

using base::Code;
using base::Error;
using base::Status;

constexpr const char* kServer = "memory";
constexpr const char* kOtherName = "agent-memory";
constexpr std::string_view kBegin = "# agent-memory: begin\n", kEnd = "# agent-memory: end\n";
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

Status AddServer(Settings& settings, const std::string& program) {
  if (!settings.is_object()) return Error{Code::kInvalid, "the settings are no JSON object"};
  for (const char* name : {kServer, kOtherName}) {
    // A correct server stays as it is: the agent may have added fields.
    const Settings* found = settings.contains("mcpServers") && settings["mcpServers"].is_object() &&
                                    settings["mcpServers"].contains(name)
                                ? &settings["mcpServers"][name]
                                : nullptr;
    if (found != nullptr && IsOurServer(*found) && (*found)["command"] == program) return {};
  }
  RemoveServer(settings);
  if (!settings.contains("mcpServers")) settings["mcpServers"] = Settings::object();
  Settings& servers = settings["mcpServers"];
  if (!servers.is_object()) return Error{Code::kInvalid, "\"mcpServers\" is no object"};
  Settings server = Settings::object();
  server["command"] = program;
  server["args"] = Settings::array({"mcp"});
  servers[servers.contains(kServer) ? kOtherName : kServer] = server;
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

base::Result<std::string> WithServerBlock(const std::string& toml, const std::string& program) {
  std::string text = WithoutServerBlock(toml);
  for (const char* name : {"[mcp_servers.memory]", "[mcp_servers.\"memory\"]"}) {
    if (text.find(name) != std::string::npos)
      return Error{Code::kConflict, std::string("it has a server of that name already: rename ") +
                                        name + ", then try again"};
  }
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  // A JSON string is a valid TOML string.
  return text + std::string(kBegin) +
         "[mcp_servers.memory]\ncommand = " + base::DumpJson(base::Json(program)) +
         "\nargs = [\"mcp\"]\n" + std::string(kEnd);
}

std::string WithoutServerBlock(const std::string& toml) {
  const size_t begin = toml.find(kBegin);
  const size_t end = begin == std::string::npos ? begin : toml.find(kEnd, begin);
  if (end == std::string::npos) return toml;
  return toml.substr(0, begin) + toml.substr(end + kEnd.size());
}

}  // namespace client
