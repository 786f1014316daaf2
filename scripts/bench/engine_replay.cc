// Sends what engine_record.cc recorded of a memory server again, from a bare loop over libpq: the
// floor of scripts/bench/engine.py. Only for benches. Prints one JSON object.
//
//   engine_replay writes|reads CONNINFO FILE    sends the transactions of FILE in the order of
//   their
//       ends, over one connection, in the same flights; waits where the server waited
//   engine_replay show FILE                     a usual measured transaction, as text
//   engine_replay trips CONNINFO SECONDS        round trips of a prepared SELECT 1
//   engine_replay plain CONNINFO BATCH SECONDS  writes of the fewest statements: a lock, a look-up
//   of
//       the text and the key, a row, the key; BATCH of them in a transaction of one flight
#include <arpa/inet.h>
#include <libpq-fe.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

double NowUs() {
  using std::chrono::steady_clock;
  return std::chrono::duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

double At(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<size_t>(share * static_cast<double>(values.size())))];
}

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "engine_replay: %s\n", why.c_str());
  std::exit(1);
}

uint32_t BigEndian(const char* at) {
  uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return ntohl(value);
}

// ---- What was recorded.

struct Text {
  std::string sql;
  std::vector<Oid> types;
};

struct Sent {
  int text = 0;
  std::vector<std::string> values;
  std::vector<bool> nulls;
};

struct Transaction {
  std::vector<std::vector<Sent>> flights;
  bool writes = false, of_tenant = false, measured = false;
};

class Reader {
 public:
  explicit Reader(const char* file) {
    std::ifstream in(file, std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(in)), {});
    for (size_t at = 0; at + 9 <= all.size();) {
      uint32_t connection = 0, size = 0;
      std::memcpy(&connection, all.data() + at, 4);
      std::memcpy(&size, all.data() + at + 4, 4);
      const char type = all[at + 8];
      Take(connection, type, all.data() + at + 9, size);
      at += 9 + size;
    }
  }
  std::vector<Text> texts;
  std::vector<Transaction> transactions;

 private:
  struct Connection {
    std::map<std::string, int> names;
    Transaction open;
    std::vector<Sent> flight;
    bool inside = false, ends = false;
  };

  static std::string Word(const char*& at) {
    std::string word = at;
    at += word.size() + 1;
    return word;
  }
  static uint16_t Short(const char*& at) {
    uint16_t value = 0;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return ntohs(value);
  }

  int Number(Text text) {
    std::string key = text.sql;
    for (const Oid type : text.types) key += "," + std::to_string(type);
    const auto [found, made] = numbers_.emplace(key, static_cast<int>(texts.size()));
    if (made) texts.push_back(std::move(text));
    return found->second;
  }

  void Take(uint32_t number, char type, const char* at, uint32_t) {
    Connection& connection = connections_[number];
    if (type == 'M') measured_ = true;
    if (type == 'P') {
      const std::string name = Word(at);
      Text text;
      text.sql = Word(at);
      const int count = Short(at);
      for (int i = 0; i < count; ++i, at += 4) text.types.push_back(BigEndian(at));
      connection.names[name] = Number(std::move(text));
    } else if (type == 'B') {
      Bound(connection, at);
    } else if (type == 'S' && connection.inside) {
      connection.open.flights.push_back(std::move(connection.flight));
      connection.flight.clear();
      if (!connection.ends) return;
      if (connection.open.of_tenant) transactions.push_back(std::move(connection.open));
      connection.inside = false;
    }
  }

  void Bound(Connection& connection, const char* at) {
    Word(at);  // the portal
    Sent sent;
    sent.text = connection.names[Word(at)];
    at += 2 * Short(at);  // formats: always binary
    for (int left = Short(at); left > 0; --left) {
      const uint32_t size = BigEndian(at);
      at += 4;
      sent.nulls.push_back(size == 0xFFFFFFFF);
      sent.values.emplace_back(at, sent.nulls.back() ? 0 : size);
      at += sent.values.back().size();
    }
    const std::string& sql = texts[static_cast<size_t>(sent.text)].sql;
    if (sql.starts_with("BEGIN")) {
      connection.open = {};
      connection.open.measured = measured_;
      connection.inside = true;
      connection.ends = false;
      connection.flight.clear();
    }
    Transaction& open = connection.open;
    if (sql.find("agent_memory.enter(") != std::string::npos) {
      open.of_tenant = true;
      open.writes = sql.find(", true)") != std::string::npos;
    }
    connection.ends = connection.ends || sql == "COMMIT" || sql == "ROLLBACK";
    connection.flight.push_back(std::move(sent));
  }

  std::map<std::string, int> numbers_;
  std::map<uint32_t, Connection> connections_;
  bool measured_ = false;
};

// ---- The bare loop.

class Loop {
 public:
  explicit Loop(const char* conninfo) : connection_(PQconnectdb(conninfo)) {
    if (PQstatus(connection_) != CONNECTION_OK) Fail(PQerrorMessage(connection_));
  }
  ~Loop() { PQfinish(connection_); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Run(const char* sql) {
    PGresult* const done = PQexec(connection_, sql);
    if (PQresultStatus(done) == PGRES_FATAL_ERROR) Fail(PQerrorMessage(connection_));
    PQclear(done);
  }
  void Pipeline() {
    if (PQenterPipelineMode(connection_) != 1) Fail("no pipeline");
  }

  void Send(int number, const Text& text, const Sent& sent) {
    if (static_cast<size_t>(number) >= known_.size())
      known_.resize(static_cast<size_t>(number) + 1);
    const std::string name = "r" + std::to_string(number);
    const int count = static_cast<int>(sent.values.size());
    if (!known_[static_cast<size_t>(number)]) {
      PQsendPrepare(connection_, name.c_str(), text.sql.c_str(),
                    static_cast<int>(text.types.size()), text.types.data());
      known_[static_cast<size_t>(number)] = true;
    }
    std::vector<const char*> values;
    std::vector<int> lengths, formats(sent.values.size(), 1);
    for (size_t i = 0; i < sent.values.size(); ++i) {
      values.push_back(sent.nulls[i] ? nullptr : sent.values[i].data());
      lengths.push_back(static_cast<int>(sent.values[i].size()));
    }
    if (PQsendQueryPrepared(connection_, name.c_str(), count, values.data(), lengths.data(),
                            formats.data(), 1) != 1)
      Fail(PQerrorMessage(connection_));
  }

  void Depart() {
    if (PQpipelineSync(connection_) != 1) Fail(PQerrorMessage(connection_));
    ++flights_;
  }

  // Until all flights have landed.
  void Land() {
    while (flights_ > 0) {
      PGresult* const result = PQgetResult(connection_);
      const ExecStatusType status = PQresultStatus(result);
      if (status == PGRES_PIPELINE_SYNC) --flights_;
      if (result && status == PGRES_FATAL_ERROR) Fail(PQresultErrorMessage(result));
      if (!result && PQstatus(connection_) == CONNECTION_BAD) Fail(PQerrorMessage(connection_));
      PQclear(result);
    }
  }

 private:
  PGconn* connection_;
  std::vector<bool> known_;
  int flights_ = 0;
};

int Replay(bool writes, const char* conninfo, const char* file) {
  const Reader read(file);
  Loop loop(conninfo);
  loop.Pipeline();
  std::vector<double> took, last;
  long statements = 0, flights = 0;
  double seconds = 0;
  for (const Transaction& transaction : read.transactions) {
    if (transaction.writes != writes) continue;
    const double begin = NowUs();
    double waited = 0;
    long sent_now = 0, flights_now = 0;
    for (const std::vector<Sent>& flight : transaction.flights) {
      const double departed = NowUs();
      for (const Sent& sent : flight)
        loop.Send(sent.text, read.texts[static_cast<size_t>(sent.text)], sent);
      sent_now += static_cast<long>(flight.size());
      loop.Depart();
      // The server does not wait for the end of a transaction that only read.
      if (flight.size() == 1 && read.texts[static_cast<size_t>(flight[0].text)].sql == "ROLLBACK")
        continue;
      loop.Land();
      ++flights_now;
      waited = NowUs() - departed;
    }
    if (!transaction.measured) continue;
    took.push_back(NowUs() - begin);
    last.push_back(waited);
    seconds += took.back() / 1e6;
    statements += sent_now;
    flights += flights_now;
  }
  loop.Land();
  const double count = std::max<double>(1, static_cast<double>(took.size()));
  std::printf(
      "{\"transactions\": %zu, \"seconds\": %.4f, \"statements\": %.1f, \"flights\": %.2f, "
      "\"p50_us\": %.1f, \"p99_us\": %.1f, \"last_p50_us\": %.1f, \"last_p99_us\": %.1f}\n",
      took.size(), seconds, static_cast<double>(statements) / count,
      static_cast<double>(flights) / count, At(took, .5), At(took, .99), At(last, .5),
      At(last, .99));
  return 0;
}

int Show(const char* file) {
  const Reader read(file);
  std::vector<const Transaction*> measured;
  for (const Transaction& transaction : read.transactions)
    if (transaction.measured) measured.push_back(&transaction);
  if (measured.empty()) Fail("nothing was measured");
  const auto size = [](const Transaction* of) {
    size_t count = 0;
    for (const auto& flight : of->flights) count += flight.size();
    return count;
  };
  std::stable_sort(measured.begin(), measured.end(),
                   [&](const auto* a, const auto* b) { return size(a) < size(b); });
  for (const auto& flight : measured[measured.size() / 2]->flights) {
    for (const Sent& sent : flight)
      std::printf("  %s\n", read.texts[static_cast<size_t>(sent.text)].sql.c_str());
    std::puts("-- waits");
  }
  return 0;
}

int Trips(const char* conninfo, double seconds) {
  Loop loop(conninfo);
  loop.Pipeline();
  std::vector<double> took;
  for (const double end = NowUs() + seconds * 1e6; NowUs() < end;) {
    const double begin = NowUs();
    loop.Send(0, {"SELECT 1", {}}, {});
    loop.Depart();
    loop.Land();
    took.push_back(NowUs() - begin);
  }
  std::printf("{\"p50_us\": %.1f, \"p99_us\": %.1f}\n", At(took, .5), At(took, .99));
  return 0;
}

int Plain(const char* conninfo, int batch, double seconds) {
  constexpr Oid kText = 25;
  Loop loop(conninfo);
  loop.Run(
      "DROP SCHEMA IF EXISTS bare CASCADE; CREATE SCHEMA bare;"
      "CREATE TABLE bare.tenants(number bigint PRIMARY KEY, version bigint NOT NULL);"
      "INSERT INTO bare.tenants VALUES(1, 0);"
      "CREATE TABLE bare.rows(tenant bigint, number bigint GENERATED ALWAYS AS IDENTITY,"
      " hash text NOT NULL, content text NOT NULL, PRIMARY KEY(tenant, number));"
      "CREATE INDEX rows_hash ON bare.rows(tenant, hash);"
      "CREATE TABLE bare.keys(tenant bigint, key text, answer text NOT NULL,"
      " PRIMARY KEY(tenant, key))");
  loop.Pipeline();
  const std::vector<Text> texts = {
      {"BEGIN", {}},
      {"UPDATE bare.tenants SET version = version + 1 WHERE number = 1", {}},
      {"SELECT number FROM bare.rows WHERE tenant = 1 AND hash = $1", {kText}},
      {"SELECT answer FROM bare.keys WHERE tenant = 1 AND key = $1", {kText}},
      {"INSERT INTO bare.rows(tenant, hash, content) VALUES(1, $1, $2)", {kText, kText}},
      {"INSERT INTO bare.keys VALUES(1, $1, $2)", {kText, kText}},
      {"COMMIT", {}}};
  const auto send = [&](int number, std::vector<std::string> values) {
    std::vector<bool> nulls(values.size(), false);
    loop.Send(number, texts[static_cast<size_t>(number)],
              {number, std::move(values), std::move(nulls)});
  };
  std::vector<double> took;
  const double begin = NowUs();
  long written = 0;
  const std::string content(440, 'x'), answer(300, 'y');
  while (NowUs() - begin < seconds * 1e6) {
    const double begun = NowUs();
    send(0, {});
    send(1, {});
    const long first = written;
    for (int i = 0; i < batch; ++i) {
      const std::string key = std::to_string(first + i) + std::string(56, 'k');
      send(2, {key});
      send(3, {key});
    }
    loop.Depart();
    loop.Land();  // what is written depends on what was found
    for (int i = 0; i < batch; ++i, ++written) {
      const std::string key = std::to_string(first + i) + std::string(56, 'k');
      send(4, {key, content});
      send(5, {key, answer});
    }
    send(6, {});
    loop.Depart();
    loop.Land();
    took.push_back(NowUs() - begun);
  }
  std::printf("{\"per_s\": %.1f, \"p50_us\": %.1f, \"p99_us\": %.1f}\n",
              static_cast<double>(written) / ((NowUs() - begin) / 1e6), At(took, .5),
              At(took, .99));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if ((mode == "writes" || mode == "reads") && argc == 4)
    return Replay(mode == "writes", argv[2], argv[3]);
  if (mode == "show" && argc == 3) return Show(argv[2]);
  if (mode == "trips" && argc == 4) return Trips(argv[2], std::atof(argv[3]));
  if (mode == "plain" && argc == 5) return Plain(argv[2], std::atoi(argv[3]), std::atof(argv[4]));
  std::fprintf(stderr, "see the head of scripts/bench/engine_replay.cc\n");
  return 64;
}
