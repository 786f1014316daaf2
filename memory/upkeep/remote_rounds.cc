// Runs rounds while rows wait; else polls a few times a second.
#include "memory/upkeep/remote_rounds.h"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace memory {

namespace {

constexpr auto kLookForGaps = std::chrono::milliseconds(200);

}  // namespace

RemoteRounds::RemoteRounds(Engine& engine)
    : engine_(engine), thread_([this](const std::stop_token& stop) { Loop(stop); }) {
  pthread_setname_np(thread_.native_handle(), "remote-vectors");
}

RemoteRounds::~RemoteRounds() {
  thread_.request_stop();
  thread_.join();
}

void RemoteRounds::Loop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    if (engine_.FillRemoteVectors(stop)) continue;
    wake.wait_for(lock, stop, kLookForGaps, [] { return false; });
  }
}

}  // namespace memory
