// Which Events are worth a write: client-go's limits. Burst 25 per object, one more each 5 minutes;
// the same Event again raises a count; over 10 that differ only in their text become one. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "lib/kube/object/object.h"

namespace kube {

struct EventFacts {
  std::string object;  // uid, or kind and key, of what it is about
  std::string type;    // Normal | Warning
  std::string reason;
  std::string note;
};

class EventLimiter {
 public:
  struct Decision {
    enum class Act { kDrop, kCreate, kCount } act = Act::kDrop;
    std::string series;  // which of the object's
    std::string event;   // with kCount: the Event's name, as Made told it
    int64_t count = 1;   // how often it happened, dropped ones too
    std::string note;    // what to write: combined ones say so
  };
  // At most this many objects are remembered, the one silent for longest is forgotten; and each
  // only until its bucket is full again and ten minutes have passed (client-go ends a series after
  // six): from then on it is like a new one.
  explicit EventLimiter(size_t max_objects = 4096) : max_objects_(max_objects) {}
  Decision Decide(const EventFacts& facts, int64_t now_ms);
  // The Event was created. Without this the next one is a kCreate again.
  void Made(const EventFacts& facts, const Decision& decision, std::string event);

 private:
  struct Series {
    int64_t count = 0, last_ms = 0;
    std::string event;  // empty: none was made
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
  int64_t looked_ms_ = 0;  // for silent ones
  std::map<std::string, Object> objects_;
};

}  // namespace kube
