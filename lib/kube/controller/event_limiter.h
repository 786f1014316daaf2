// Limits writes of Events like client-go: per object a burst of 25, then one each 5 minutes; a
// repeated Event raises its count; over 10 that differ only in their note become one. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "lib/kube/object/object.h"

namespace kube {

struct EventFacts {
  std::string object;  // uid of the object, or its reference as JSON
  std::string type;    // Normal | Warning
  std::string reason;
  std::string note;
};

class EventLimiter {
 public:
  struct Decision {
    enum class Act { kDrop, kCreate, kCount } act = Act::kDrop;
    std::string series;  // of the object's series
    std::string event;   // with kCount: the Event's name, from Made
    int64_t count = 1;   // of occurrences, including dropped ones
    std::string note;    // to write; marked if combined
  };
  // Tracks at most `max_objects`, evicting the one silent for longest. Also forgets an object that
  // was silent for ten minutes (client-go ends a series after six) and whose bucket is full: it
  // then counts as new.
  explicit EventLimiter(size_t max_objects = 4096) : max_objects_(max_objects) {}
  Decision Decide(const EventFacts& facts, int64_t now_ms);
  // Call after the Event was created; else the next decision is kCreate again.
  void Made(const EventFacts& facts, const Decision& decision, std::string event);

 private:
  struct Series {
    int64_t count = 0, last_ms = 0;
    std::string event;  // empty: none was created
  };
  struct Group {                           // same type and reason
    std::map<std::string, int64_t> notes;  // → last seen
  };
  struct Object {
    double tokens = 25;
    int64_t refilled_ms = 0, last_ms = 0;
    std::map<std::string, Series> series;
    std::map<std::string, Group> groups;
  };
  bool TakeToken(Object* object, int64_t now_ms);
  std::string SeriesOf(Object* object, const EventFacts& facts, int64_t now_ms);
  void ForgetOldest();
  void ForgetSilent(int64_t now_ms);

  const size_t max_objects_;
  int64_t looked_ms_ = 0;  // the last ForgetSilent
  std::map<std::string, Object> objects_;
};

}  // namespace kube
