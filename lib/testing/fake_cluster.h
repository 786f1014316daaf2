// An API server in memory behind the http::Client interface, with faults on demand. Has objects,
// versions, watches, field owners and Events; runs no controllers and checks no schema. The test of
// fake_cluster_story.h compares it with a real API server.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/http/client/client.h"
#include "lib/kube/object/object.h"
#include "lib/testing/fake_cluster_fields.h"

namespace testing {

using base::Json;

// One received request.
struct Call {
  std::string verb;  // GET LIST WATCH CREATE APPLY PATCH DELETE
  std::string path;
  std::map<std::string, std::string> query;
  Json body;
  int status = 0;  // of the answer; 0: the connection broke
  bool Mutating() const { return verb != "GET" && verb != "LIST" && verb != "WATCH"; }
};

// A fault: the next `times` matching requests get `status` instead of their answer.
struct Fault {
  std::string verb;           // empty: any
  std::string path_part;      // empty: any path
  int status = 500;           // 0: the connection breaks (kUnavailable)
  int retry_after_s = 0;      // > 0: sends that header
  bool after_effect = false;  // the request takes effect, only its answer is lost
  int times = 1;
  std::string message = "injected";  // of the Status
};

// Any thread.
class FakeCluster : public http::Client {
 public:
  FakeCluster();  // serves the kinds of lib/kube/object/object.h
  ~FakeCluster() override;
  void Serve(const kube::Resource& resource);  // adds a kind with a status subresource

  base::Result<http::Response> Send(const http::ClientRequest& request) override;
  std::unique_ptr<http::OpenStream> Open(const http::ClientRequest& request,
                                         http::StreamReader reader) override;
  // Like Open, but on the caller's thread, until `stop`; does not call on_end.
  base::Status Stream(const http::ClientRequest& request, std::stop_token stop,
                      const http::StreamReader& reader);

  // Writes like another client: creates the object or replaces all of it except its status;
  // `manager` then owns the changed fields. Ends the process if the kind is not served.
  Json Put(Json object, const std::string& manager = "kubectl");
  Json PutStatus(const kube::Resource& resource, const kube::ObjectKey& key, Json status);
  bool Remove(const kube::Resource& resource, const kube::ObjectKey& key);
  std::optional<Json> Get(const kube::Resource& resource, const kube::ObjectKey& key) const;
  std::vector<Json> List(const kube::Resource& resource, const std::string& name_space = {}) const;

  void Inject(Fault fault);
  void ClearFaults();
  // Ends every open watch: kUnavailable like a reset, kTimeout like a silent connection.
  void BreakStreams(base::Code code = base::Code::kUnavailable);
  void EndStreams();     // like the end at their time limit
  void ExpireStreams();  // ends every open watch with an ERROR event of code 410
  void Compact();        // drops history: a watch from an older version gets that 410
  // Saves the state; RestoreBackup returns to it, also to its versions, and breaks every stream.
  void SaveBackup();
  void RestoreBackup();
  void SendBookmarks();               // to every watch with allowWatchBookmarks
  void HoldEvents(bool on);           // open watches get no events until false; no list ends
  void RepeatEvents(bool on);         // sends each event twice
  void StreamLists(bool on);          // as initial events of watches; off: 422
  void ServeStaleLists(int times);    // the next lists lack the last change
  void CutStreamsInto(size_t bytes);  // pieces of a watch's answer; 0: one line each

  std::vector<Call> calls() const;
  size_t mutations() const;  // successful mutating calls
  void ForgetCalls();
  size_t open_watches() const;
  int64_t version() const;

 private:
  struct Stored {
    Json object;
    FieldOwners owners;
  };
  struct Event {
    int64_t version = 0;
    std::string collection;  // the kind's path without namespace
    std::string type;
    Json object;
    Json before;  // for selectors: an object that no longer matches is DELETED
  };
  struct Target {  // a parsed path
    std::string collection;
    kube::Resource resource;
    kube::ObjectKey key;  // name empty: the collection
    std::string subresource;
  };
  struct Reply {
    int status = 200;
    Json body;
    int retry_after_s = 0;
  };
  struct Watching {
    bool expired = false, bookmark = false, closed = false;
    bool in_list = false;  // has not sent the end of its initial list
    std::optional<base::Code> broken;
  };
  using Key = std::pair<std::string, kube::ObjectKey>;  // collection, key
  using Lock = std::unique_lock<std::mutex>;

  // fake_cluster.cc
  std::optional<Target> Parse(const std::string& path) const;
  std::optional<Fault> TakeFault(const Call& call);
  Target TargetOf(const kube::Resource& resource, const kube::ObjectKey& key) const;
  void AddEvent(const Target& target, const char* type, const Json& object, const Json& before);

  // fake_cluster_answers.cc
  Reply Answer(const Call& call, const http::ClientRequest& request);
  Reply AnswerGet(const Target& target) const;
  Reply AnswerList(const Call& call, const Target& target, bool metadata_only);
  Reply AnswerApply(const Call& call, const Target& target);
  Reply AnswerCreate(const Call& call, Target target);
  Reply AnswerPatch(const Call& call, const Target& target, bool json_patch);
  Reply AnswerDelete(const Call& call, const Target& target);
  Reply AnswerEvict(Call call, const Target& target);
  // Stores `next` with a new version, unless nothing changed; returns the stored object.
  Json Commit(const Target& target, Json next, FieldOwners owners);
  void Erase(const Target& target);

  // fake_cluster_watch.cc
  base::Status StreamCall(Call call, std::stop_token stop, const http::StreamReader& reader);
  std::optional<std::string> NextLine(Lock& lock, std::stop_token stop, size_t stream,
                                      const Call& call, const Target& target, int64_t* version,
                                      std::deque<std::string>* pending);
  std::deque<std::string> FirstLines(const Call& call, const Target& target,
                                     int64_t* version) const;
  std::optional<std::string> LineOf(const Event& event, const Call& call,
                                    const Target& target) const;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, kube::Resource> resources_;  // by collection
  std::map<Key, Stored> objects_, backup_;
  std::pair<Key, std::optional<Stored>> before_last_;   // the object before the last change
  std::map<std::string, std::vector<Json>> snapshots_;  // rest of lists, by continue token
  std::deque<Event> history_;
  int64_t backup_version_ = 0;
  int64_t version_ = 100, compacted_ = 0, next_uid_ = 1;
  std::vector<Fault> faults_;
  std::vector<Call> calls_;
  std::map<size_t, Watching> streams_;
  size_t next_stream_ = 0, piece_bytes_ = 0;
  int stale_lists_ = 0;
  bool hold_ = false, repeat_ = false, stream_lists_ = false;
};

}  // namespace testing
