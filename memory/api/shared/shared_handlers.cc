// Checks access before reading the store, except where a denied item must look like a missing one.
#include "memory/api/shared/shared_handlers.h"

#include <algorithm>
#include <charconv>

#include "lib/api/limits.h"
#include "lib/base/process/clock.h"
#include "lib/base/process/ttl.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "memory/api/validate.h"
#include "memory/store/answer_limit.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using http::ErrorResponse;
using http::Request;
using http::Response;

namespace {

constexpr size_t kSharedPageOwners = 64;    // of a list: access reviews per page
constexpr size_t kSharedPageItems = 5'000;  // of a list
constexpr int64_t kSharedListMs = 5'000;    // then a list ends with 503

struct Place {
  std::string owner, key;
};

// A superset of the names of Kubernetes objects, without ':' and '/'.
Status CheckName(const char* what, const std::string& name) {
  const bool sound = std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (sound && !name.empty() && name.size() <= api::kMaxSharedOwner) return {};
  return Error{Code::kInvalid, std::string(what) + " must be 1 to " +
                                   std::to_string(api::kMaxSharedOwner) +
                                   " letters, digits, '-', '_' or '.', it is \"" +
                                   base::Ellipsize(name, 80) + "\""};
}

Result<SharedCaller> CallerOf(const Api& api, const Request& request) {
  SharedCaller caller{api.tenant, api.caller, TextParameter(request, "as").value_or("")};
  if (!caller.as.empty()) RETURN_IF_ERROR(CheckName("as", caller.as));
  return caller;
}

Result<Place> PlaceOf(const Request& request) {
  Place place{request.parameters.at("agent"), request.parameters.at("key")};
  RETURN_IF_ERROR(CheckName("agent", place.owner));
  const size_t characters = base::CountCharacters(place.key);
  if (characters > api::kMaxSharedKey)
    return Error{Code::kInvalid, "key has " + std::to_string(characters) +
                                     " characters, the limit is " +
                                     std::to_string(api::kMaxSharedKey)};
  return place;
}

Result<bool> May(const Api& api, const SharedCaller& caller, SharedVerb verb,
                 const std::string& owner) {
  if (!api.shared_access) return false;
  return api.shared_access->May(caller, verb, owner);
}

// Missing items take the same steps, so that the time of an answer reveals nothing.
Result<Cell> Hidden(const Api& api, const Place& place) {
  ASSIGN_OR_RETURN(Cell none, api.store.shared().Get(place.owner, ""));
  return none;
}

std::string FullKey(const std::string& owner, const std::string& key) {
  return "shared:" + owner + ":" + key;
}

std::string Tag(int64_t version) { return "\"" + std::to_string(version) + "\""; }

// In nanoseconds; 0: no expiry.
Result<int64_t> TtlOf(const Request& request) {
  const auto text = TextParameter(request, "ttl");
  if (!text) return 0;
  int64_t nanoseconds = 0;
  const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), nanoseconds);
  const bool number = fault == std::errc() && end == text->data() + text->size();
  return base::DecodeTtl(number ? Json(nanoseconds) : Json(*text));
}

Response Differs(const Place& place) {
  return http::JsonResponse(
      412, {{"error", "the condition does not hold for " + FullKey(place.owner, place.key) +
                          ": nothing was changed; read it again"},
            {"code", "precondition_failed"}});
}

Error NotYours(const SharedCaller& caller, const Place& place, const char* verb) {
  const std::string who =
      caller.as.empty() && caller.account.empty() ? "a caller without a name (?as=)" : "this Agent";
  return Error{Code::kDenied, who + " may not " + verb + " what Agent " + place.owner +
                                  " shares: its spec.memory.share must grant access: write"};
}

// The value of a request, in its stored form.
Result<std::string> ValueOf(const Request& request) {
  ASSIGN_OR_RETURN(Json value, base::ParseJson(request.body));
  std::string text = base::DumpJson(value);
  if (text.size() <= api::kMaxSharedValue) return text;
  return Error{Code::kTooLarge, "value has " + std::to_string(text.size()) +
                                    " bytes of JSON, the limit is " +
                                    std::to_string(api::kMaxSharedValue)};
}

// ---- lists ----

// The cursor of a list: after `key` of `owner`, or (no key) at the start of `owner`. In hexadecimal
// digits, which no client encodes again.
std::string CursorOf(const Place& place) { return base::Hex(place.owner + "/" + place.key); }

Result<Place> ReadCursor(const Request& request) {
  const auto text = TextParameter(request, "cursor");
  if (!text) return Place{};
  std::string bytes;
  for (size_t i = 0; i + 1 < text->size(); i += 2) {
    unsigned value = 0;
    const char* end = text->data() + i + 2;
    if (auto [at, fault] = std::from_chars(end - 2, end, value, 16);
        fault != std::errc() || at != end)
      break;
    bytes += static_cast<char>(value);
  }
  const size_t slash = bytes.find('/');
  if (bytes.size() * 2 != text->size() || slash == std::string::npos)
    return Error{Code::kInvalid, "cursor is none of this list: \"" + base::Ellipsize(*text, 40) +
                                     "\"; take it from X-Next-Cursor as it is"};
  return Place{bytes.substr(0, slash), bytes.substr(slash + 1)};
}

struct Page {
  std::string body = "{";
  size_t items = 0;
  std::optional<Place> next;

  bool Full() const { return body.size() > kAnswerBytes || items >= kSharedPageItems; }
  void Add(const Cell& item) {
    if (items++ > 0) body += ',';
    body += base::DumpJson(FullKey(item.owner, item.key)) + ':' + item.value;
  }
};

// The items of one owner after `after`, up to the limits of the page.
Status AddOwner(const Api& api, const Place& from, Page& page) {
  ASSIGN_OR_RETURN(std::vector<Cell> items,
                   api.store.shared().List(from.owner, from.key, kSharedPageItems - page.items + 1,
                                           kAnswerBytes - page.body.size()));
  for (const Cell& item : items) {
    if (page.Full()) return {};
    page.Add(item);
    page.next = Place{item.owner, item.key};
  }
  return {};
}

Result<Page> PageOf(const Api& api, const SharedCaller& caller, const Request& request) {
  ASSIGN_OR_RETURN(const Place from, ReadCursor(request));
  const auto wanted = TextParameter(request, "agent");
  if (wanted) RETURN_IF_ERROR(CheckName("agent", *wanted));
  Page page;
  std::vector<std::string> owners;
  bool all = false;
  if (api.shared_access) {
    ASSIGN_OR_RETURN(all, api.shared_access->MayListAll(caller));
  }
  if (wanted) {
    owners.push_back(*wanted);
  } else {
    const auto most = static_cast<size_t>(kMostSharedOwners) + 1;
    ASSIGN_OR_RETURN(owners,
                     api.store.shared().Owners(from.owner, all ? most : kSharedPageOwners + 1));
  }
  const int64_t until_ms = api.clock.MonotonicMs() + kSharedListMs;
  size_t looked = 0;
  for (const std::string& owner : owners) {
    const Place place{owner, owner == from.owner ? from.key : ""};
    if (page.Full() || (!all && looked++ == kSharedPageOwners)) {
      if (!page.Full()) page.next = place;
      return page;
    }
    bool may = all;
    if (!all) {
      ASSIGN_OR_RETURN(may, May(api, caller, SharedVerb::kGet, owner));
    }
    if (may) RETURN_IF_ERROR(AddOwner(api, place, page));
    if (api.clock.MonotonicMs() > until_ms)
      return Error{Code::kUnavailable, "the access reviews of the owners took longer than " +
                                           std::to_string(kSharedListMs) + " ms; try again"};
  }
  if (!page.Full()) page.next.reset();
  return page;
}

}  // namespace

Response PutShared(const Api& api, const Request& request) {
  Place place;
  Result<CellWritten> written = [&]() -> Result<CellWritten> {
    ASSIGN_OR_RETURN(const SharedCaller caller, CallerOf(api, request));
    ASSIGN_OR_RETURN(place, PlaceOf(request));
    ASSIGN_OR_RETURN(const bool may, May(api, caller, SharedVerb::kUpdate, place.owner));
    if (!may) return NotYours(caller, place, "write");
    ASSIGN_OR_RETURN(const Precondition condition, DecodePrecondition(request.headers));
    Cell item{place.owner, place.key, ""};
    ASSIGN_OR_RETURN(item.ttl_ns, TtlOf(request));
    ASSIGN_OR_RETURN(item.value, ValueOf(request));
    return api.store.shared().Put(std::move(item), condition);
  }();
  if (!written) return ErrorResponse(written.error());
  if (written->differs) return Differs(place);
  Response response = http::JsonResponse(
      written->created ? 201 : 200,
      {{"key", FullKey(place.owner, place.key)}, {"version", written->cell.version}});
  response.headers.Set("ETag", Tag(written->cell.version));
  return response;
}

Response GetShared(const Api& api, const Request& request) {
  Result<Cell> item = [&]() -> Result<Cell> {
    ASSIGN_OR_RETURN(const SharedCaller caller, CallerOf(api, request));
    ASSIGN_OR_RETURN(const Place place, PlaceOf(request));
    ASSIGN_OR_RETURN(const bool may, May(api, caller, SharedVerb::kGet, place.owner));
    if (!may) return Hidden(api, place);
    return api.store.shared().Get(place.owner, place.key);
  }();
  if (!item) return ErrorResponse(item.error());
  Response response = http::TextResponse(200, std::move(item->value), "application/json");
  response.headers.Set("ETag", Tag(item->version));
  return response;
}

Response DeleteShared(const Api& api, const Request& request) {
  Place place;
  Result<CellWritten> removed = [&]() -> Result<CellWritten> {
    ASSIGN_OR_RETURN(const SharedCaller caller, CallerOf(api, request));
    ASSIGN_OR_RETURN(place, PlaceOf(request));
    ASSIGN_OR_RETURN(const Precondition condition, DecodePrecondition(request.headers));
    ASSIGN_OR_RETURN(const bool may, May(api, caller, SharedVerb::kDelete, place.owner));
    if (may) return api.store.shared().Remove(place.owner, place.key, condition);
    ASSIGN_OR_RETURN(const bool sees, May(api, caller, SharedVerb::kGet, place.owner));
    if (sees) return NotYours(caller, place, "delete");
    ASSIGN_OR_RETURN(const Cell none, Hidden(api, place));
    return CellWritten{};
  }();
  if (!removed) return ErrorResponse(removed.error());
  return removed->differs ? Differs(place) : http::EmptyResponse(204);
}

Response ListShared(const Api& api, const Request& request) {
  Result<Page> page = [&]() -> Result<Page> {
    ASSIGN_OR_RETURN(const SharedCaller caller, CallerOf(api, request));
    return PageOf(api, caller, request);
  }();
  if (!page) return ErrorResponse(page.error());
  Response response = http::TextResponse(200, page->body + "}", "application/json");
  if (page->next) {
    response.headers.Set("X-Partial", "true");
    response.headers.Set("X-Next-Cursor", CursorOf(*page->next));
  }
  return response;
}

}  // namespace memory
