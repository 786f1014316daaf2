// Stands between a memory server and the socket of PostgreSQL, and writes what the server sends to
// a file, for engine_replay.cc. Only for scripts/bench/engine.py.
//
//   engine_record LISTEN TARGET FILE    until SIGTERM; prints a line when it listens. SIGUSR1
//   writes
//       a mark: what follows is measured
//
// A record: connection, size of the message (4 bytes each), its type, its bytes. The type 'M' is
// the mark.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

volatile std::sig_atomic_t marked = 0, ended = 0;

struct Connection {
  int server = -1, database = -1;
  std::string unread;  // of the message that is not complete
  bool started = false;
};

class Recorder {
 public:
  Recorder(const std::string& at, std::string target, const char* file)
      : target_(std::move(target)), file_(std::fopen(file, "wb")) {
    listening_ = socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un own = AddressOf(at);
    if (!file_ || bind(listening_, reinterpret_cast<const sockaddr*>(&own), sizeof own) ||
        listen(listening_, 64)) {
      std::fprintf(stderr, "engine_record: cannot listen at %s or write %s\n", at.c_str(), file);
      std::exit(1);
    }
    std::puts("listening");
    std::fflush(stdout);
  }

  void Run() {
    while (!ended) {
      std::vector<pollfd> sockets = {{listening_, POLLIN, 0}};
      for (const Connection& one : connections_) {
        sockets.push_back({one.server, POLLIN, 0});  // a negative one is ignored
        sockets.push_back({one.database, POLLIN, 0});
      }
      if (poll(sockets.data(), sockets.size(), 100) < 0) continue;
      for (size_t i = 0; 2 * i + 2 < sockets.size(); ++i) {
        if (sockets[2 * i + 2].revents) FromDatabase(connections_[i]);
        if (sockets[2 * i + 1].revents) FromServer(static_cast<uint32_t>(i));
      }
      if (sockets[0].revents) Accept();
    }
    std::fclose(file_);
  }

 private:
  static sockaddr_un AddressOf(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
    return address;
  }

  void Accept() {
    Connection made;
    made.server = accept(listening_, nullptr, nullptr);
    if (made.server < 0) return;
    made.database = socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un to = AddressOf(target_);
    if (connect(made.database, reinterpret_cast<const sockaddr*>(&to), sizeof to)) Close(made);
    connections_.push_back(made);
  }

  static void Close(Connection& connection) {
    close(connection.server);
    close(connection.database);
    connection.server = connection.database = -1;
  }

  // → what came; empty: the end.
  std::string_view Pass(Connection& connection, int from, int to) {
    const ssize_t got = from < 0 ? 0 : read(from, buffer_, sizeof buffer_);
    for (ssize_t done = 0; done < got;) {
      const ssize_t sent =
          write(to, buffer_ + done, static_cast<size_t>(got) - static_cast<size_t>(done));
      if (sent <= 0) break;
      done += sent;
    }
    if (got <= 0 && from >= 0) Close(connection);
    return {buffer_, got > 0 ? static_cast<size_t>(got) : 0};
  }

  void FromDatabase(Connection& connection) {
    Pass(connection, connection.database, connection.server);
  }

  void FromServer(uint32_t number) {
    Connection& connection = connections_[number];
    connection.unread += Pass(connection, connection.server, connection.database);
    std::string& bytes = connection.unread;
    for (;;) {
      const size_t head = connection.started ? 1 : 0;  // the first message has no type
      uint32_t size = 0;
      if (bytes.size() < head + sizeof size) return;
      std::memcpy(&size, bytes.data() + head, sizeof size);
      size = ntohl(size);
      if (bytes.size() < head + size) return;
      if (connection.started) Record(number, bytes[0], bytes.data() + 5, size - 4);
      bytes.erase(0, head + size);
      connection.started = true;
    }
  }

  void Record(uint32_t connection, char type, const char* bytes, uint32_t size) {
    if (marked) Write(connection, 'M', "", 0);
    marked = 0;
    Write(connection, type, bytes, size);
  }

  void Write(uint32_t connection, char type, const char* bytes, uint32_t size) {
    std::fwrite(&connection, sizeof connection, 1, file_);
    std::fwrite(&size, sizeof size, 1, file_);
    std::fwrite(&type, 1, 1, file_);
    std::fwrite(bytes, 1, size, file_);
  }

  const std::string target_;
  std::FILE* const file_;
  int listening_ = -1;
  std::vector<Connection> connections_;
  char buffer_[1 << 16];
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "see the head of scripts/bench/engine_record.cc\n");
    return 64;
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGUSR1, [](int) { marked = 1; });
  std::signal(SIGTERM, [](int) { ended = 1; });
  static Recorder recorder(argv[1], argv[2], argv[3]);
  recorder.Run();
  return 0;
}
