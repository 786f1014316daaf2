// Reading of addresses, by libpq's own parser. Its messages quote the text, so they are not passed
// on.
#include "lib/postgres/dsn.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/base/text/text.h"
#include "lib/postgres/libpq.h"

namespace postgres {

using base::Code;
using base::Error;
using base::Result;

namespace {

constexpr char kSystemRoots[] = "/etc/ssl/certs/ca-certificates.crt";
// They would take the address, or the way to it, from elsewhere.
constexpr std::string_view kRefused[] = {"service", "replication", "options", "client_encoding"};
constexpr std::string_view kModes[] = {"disable", "allow",     "prefer",
                                       "require", "verify-ca", "verify-full"};

using Fields = std::map<std::string, std::string>;

Error Missing(const std::string& field, const std::string& what) {
  return {Code::kInvalid, "the DSN has no " + what + ": set " + field};
}

Result<Fields> ReadFields(const std::string& text) {
  RETURN_IF_ERROR(LoadLibpq());
  char* message = nullptr;
  PQconninfoOption* options = libpq().PQconninfoParse(text.c_str(), &message);
  libpq().PQfreemem(message);
  if (!options)
    return Error{Code::kInvalid,
                 "the DSN is neither a URI (postgresql://user:password@host:port/database) nor "
                 "key=value text of libpq's keywords"};
  Fields fields;
  for (const PQconninfoOption* o = options; o->keyword; ++o)
    if (o->val && *o->val) fields[o->keyword] = o->val;
  libpq().PQconninfoFree(options);
  return fields;
}

// A list that has one entry for each host, or a single one for all of them.
Result<std::vector<std::string>> ListOf(const Fields& fields, const std::string& field,
                                        size_t hosts) {
  const auto found = fields.find(field);
  if (found == fields.end()) return std::vector<std::string>(hosts);
  std::vector<std::string> list = base::Split(found->second, ',');
  if (list.size() == 1 && field == "port") list.resize(hosts, list[0]);
  if (list.size() != hosts)
    return Error{Code::kInvalid, "the DSN has " + std::to_string(hosts) + " hosts and " +
                                     std::to_string(list.size()) + " entries in " + field};
  return list;
}

Result<std::vector<Host>> HostsOf(const Fields& fields) {
  if (!fields.contains("host") && !fields.contains("hostaddr")) return Missing("host", "host");
  const std::string counted = fields.contains("host") ? "host" : "hostaddr";
  const size_t count = base::Split(fields.at(counted), ',').size();
  ASSIGN_OR_RETURN(const auto names, ListOf(fields, "host", count));
  ASSIGN_OR_RETURN(const auto addresses, ListOf(fields, "hostaddr", count));
  ASSIGN_OR_RETURN(const auto ports, ListOf(fields, "port", count));
  std::vector<Host> hosts;
  for (size_t i = 0; i < count; ++i) {
    if (names[i].empty() && addresses[i].empty())
      return Missing("host", "name in entry " + std::to_string(i + 1) + " of its hosts");
    const std::string port = ports[i].empty() ? "5432" : ports[i];
    char* end = nullptr;
    const long number = std::strtol(port.c_str(), &end, 10);
    if (*end != '\0' || number < 1 || number > 65535)
      return Error{Code::kInvalid, "the DSN has a bad port: set port to a number from 1 to 65535"};
    hosts.push_back({names[i], addresses[i], port});
  }
  return hosts;
}

std::string RootsOfTrust() {
  const char* home = std::getenv("HOME");
  const std::string own = home ? std::string(home) + "/.postgresql/root.crt" : "";
  if (!own.empty() && access(own.c_str(), R_OK) == 0) return own;
  return kSystemRoots;
}

// sslmode, and the warning of a weak one off loopback.
base::Status ChooseMode(Fields& fields, Dsn& dsn) {
  const bool local =
      std::all_of(dsn.hosts.begin(), dsn.hosts.end(), [](const Host& h) { return h.IsLocal(); });
  if (!fields.contains("sslmode")) fields["sslmode"] = local ? "prefer" : "verify-full";
  const std::string& mode = fields["sslmode"];
  if (!base::IsOneOf(mode, kModes))
    return Error{Code::kInvalid, "the DSN has an unknown sslmode: set sslmode to verify-full"};
  if (mode.starts_with("verify") && !fields.contains("sslrootcert"))
    fields["sslrootcert"] = RootsOfTrust();
  if (!local && mode != "verify-full")
    dsn.warning =
        "the DSN sets sslmode=" + mode +
        ": nothing proves that the server is the one of the DSN; remove sslmode for verify-full";
  return {};
}

}  // namespace

bool Host::IsLocal() const {
  const std::string& place = address.empty() ? name : address;
  return place.starts_with('/') || place.starts_with('@') || place == "localhost" ||
         place == "::1" ||
         (place.starts_with("127.") && place.find_first_not_of("0123456789.") == std::string::npos);
}

Result<Dsn> Dsn::Parse(std::string_view text) {
  text = base::Trim(text);
  if (text.empty()) return Error{Code::kInvalid, "the DSN is empty"};
  if (text.find('\0') != std::string_view::npos || text.find('\n') != std::string_view::npos)
    return Error{Code::kInvalid, "the DSN has more than one line"};
  ASSIGN_OR_RETURN(Fields fields, ReadFields(std::string(text)));
  for (const std::string_view field : kRefused) {
    if (fields.contains(std::string(field)))
      return Error{Code::kInvalid,
                   "the DSN sets " + std::string(field) +
                       ", which this program sets itself or does not take: remove it"};
  }
  Dsn dsn;
  ASSIGN_OR_RETURN(dsn.hosts, HostsOf(fields));
  if (!fields.contains("dbname")) return Missing("dbname", "database");
  if (!fields.contains("user")) return Missing("user", "user");
  RETURN_IF_ERROR(ChooseMode(fields, dsn));
  fields.try_emplace("target_session_attrs", "any");
  dsn.user = std::exchange(fields["user"], "");
  dsn.database = std::exchange(fields["dbname"], "");
  dsn.password = std::exchange(fields["password"], "");
  for (const char* own :
       {"host", "hostaddr", "port", "user", "dbname", "password", "connect_timeout"})
    fields.erase(own);
  dsn.others.assign(fields.begin(), fields.end());
  return dsn;
}

std::string Dsn::Describe(const Host& host) const {
  return (host.name.empty() ? host.address : host.name) + ":" + host.port + ", database " +
         database + ", user " + user;
}

Dsn::Parameters Dsn::For(const Host& host) const {
  Parameters to;
  const auto add = [&](const char* key, const std::string& value) {
    if (value.empty()) return;
    to.keys.push_back(key);
    to.values.push_back(value.c_str());
  };
  add("host", host.name);
  add("hostaddr", host.address);
  add("port", host.port);
  add("user", user);
  add("dbname", database);
  add("password", password);
  for (const auto& [key, value] : others) add(key.c_str(), value);
  return to;
}

Result<std::shared_ptr<const Dsn>> DsnFile::Current() {
  struct stat file = {};
  std::lock_guard lock(mutex_);
  if (stat(path_.c_str(), &file) != 0) {
    read_at_ = {};
    return Error{Code::kInvalid,
                 "the DSN file " + path_ + " cannot be read: no such file, or no access"};
  }
  const Stamp stamp = {file.st_mtim.tv_sec, file.st_mtim.tv_nsec, file.st_ino, file.st_size};
  if (stamp == read_at_) return last_;
  read_at_ = stamp;
  const Result<std::string> text = base::ReadFile(path_, 64 << 10);
  if (!text) return last_ = base::Wrap("the DSN file", text.error());
  Result<Dsn> dsn = Dsn::Parse(*text);
  if (!dsn) return last_ = base::Wrap(path_, dsn.error());
  if (!dsn->warning.empty()) base::LogWarn(dsn->warning, {{"file", path_}});
  return last_ = std::make_shared<const Dsn>(std::move(*dsn));
}

}  // namespace postgres
