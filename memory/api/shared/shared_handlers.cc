// Checks access before reading the store, except where a denied item must look like a missing one.
// Exports and imports take the same checks.
#include "memory/api/shared/shared_handlers.h"

#include <algorithm>
#include <charconv>

#include "lib/api/limits.h"
#include "lib/base/json/stored.h"
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

Result<Place> CheckPlace(Place place) {
  RETURN_IF_ERROR(CheckName("agent", place.owner));
  const size_t characters = base::CountCharacters(place.key);
  if (characters > api::kMaxSharedKey)
    return Error{Code::kInvalid, "key has " + std::to_string(characters) +
                                     " characters, the limit is " +
                                     std::to_string(api::kMaxSharedKey)};
  return place;
}

Result<Place> PlaceOf(const Request& request) {
  return CheckPlace({request.parameters.at("agent"), request.parameters.at("key")});
}

Result<bool> May(const Api& api, const SharedCaller& caller, SharedVerb verb,
                 const std::string& owner) {
  if (!api.shared_access) return false;
  return api.shared_access->May(caller, verb, owner);
}

KeptCells& SharedOf(const Api& api) { return api.store.cells(kSharedCells); }

// Missing items take the same steps, so that the time of an answer reveals nothing.
Result<Cell> Hidden(const Api& api, const Place& place) {
  ASSIGN_OR_RETURN(Cell none, SharedOf(api).Get(place.owner, ""));
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

Error NotYours(const SharedCaller& caller, const std::string& owner, const char* verb) {
  const std::string who =
      caller.as.empty() && caller.account.empty() ? "a caller without a name (?as=)" : "this Agent";
  return Error{Code::kDenied, who + " may not " + verb + " what Agent " + owner +
                                  " shares: its spec.memory.share must grant access: write"};
}

// A value in its stored form. `levels`: those that it may nest.
Result<std::string> ValueOf(const std::string& json, size_t levels) {
  ASSIGN_OR_RETURN(const Json value, base::ParseJson(json));
  RETURN_IF_ERROR(base::CheckLevels("value", value, levels));
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
                   SharedOf(api).List(from.owner, from.key, kSharedPageItems - page.items + 1,
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
    ASSIGN_OR_RETURN(owners, SharedOf(api).Owners(from.owner, all ? most : kSharedPageOwners + 1));
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

Result<std::vector<std::string>> OwnersToRead(const Api& api, const Request& request) {
  ASSIGN_OR_RETURN(const SharedCaller caller, CallerOf(api, request));
  ASSIGN_OR_RETURN(std::vector<std::string> owners,
                   SharedOf(api).Owners("", static_cast<size_t>(kMostSharedOwners)));
  if (owners.empty() || !api.shared_access) return std::vector<std::string>();
  ASSIGN_OR_RETURN(const bool all, api.shared_access->MayListAll(caller));
  if (all) return owners;
  std::vector<std::string> readable;
  for (const std::string& owner : owners) {
    ASSIGN_OR_RETURN(const bool may, May(api, caller, SharedVerb::kGet, owner));
    if (may) readable.push_back(owner);
  }
  return readable;
}

Status MayWriteShared(const Api& api, const Request& request, const std::string& owner) {
  ASSIGN_OR_RETURN(const SharedCaller caller, CallerOf(api, request));
  ASSIGN_OR_RETURN(const bool may, May(api, caller, SharedVerb::kUpdate, owner));
  return may ? Status() : NotYours(caller, owner, "write");
}

Result<Json> EncodeExportedShared(const Cell& item) {
  Json json = {{"agent", item.owner}, {"key", item.key}, {"version", item.version}};
  const Result<Json> value = base::ParseJson(item.value, {.max_depth = base::kMaxStoredLevels});
  if (!value && value.error().code != Code::kInvalid) return value.error();
  json[value ? "value" : "text"] = value ? *value : Json(item.value);
  if (item.expires_ms) json["expires_at"] = base::FormatTime(*item.expires_ms);
  return json;
}

Result<Cell> DecodeExportedShared(const Json& json) {
  if (!json.is_object()) return Error{Code::kInvalid, "a shared value must be an object"};
  Place place;
  ASSIGN_OR_RETURN(place.owner, base::RequiredString(json, "agent"));
  ASSIGN_OR_RETURN(place.key, base::RequiredString(json, "key"));
  ASSIGN_OR_RETURN(place, CheckPlace(std::move(place)));
  if (place.key.empty()) return Error{Code::kInvalid, "key is required"};
  if (!json.contains("value") && !json.contains("text"))
    return Error{Code::kInvalid, "value is required: any JSON"};
  ASSIGN_OR_RETURN(const auto text, base::OptionalString(json, "text"));
  ASSIGN_OR_RETURN(std::string value,
                   ValueOf(text ? *text : base::DumpJson(json.value("value", Json())),
                           base::JsonLimits().max_depth));
  Cell item{place.owner, place.key, std::move(value)};
  ASSIGN_OR_RETURN(const auto expires_at, base::OptionalString(json, "expires_at"));
  if (expires_at) {
    const Result<int64_t> time = base::ParseTime(*expires_at);
    if (!time) return Error{Code::kInvalid, "expires_at is not an RFC 3339 time"};
    item.expires_ms = *time;
  }
  ASSIGN_OR_RETURN(const auto version, base::OptionalInt(json, "version"));
  item.version = version.value_or(0);
  return item;
}

namespace {

Response PutShared(const Api& api, const Request& request) {
  Place place;
  Result<CellWritten> written = [&]() -> Result<CellWritten> {
    ASSIGN_OR_RETURN(place, PlaceOf(request));
    RETURN_IF_ERROR(MayWriteShared(api, request, place.owner));
    ASSIGN_OR_RETURN(const Precondition condition, DecodePrecondition(request.headers));
    Cell item{place.owner, place.key, ""};
    ASSIGN_OR_RETURN(item.ttl_ns, TtlOf(request));
    ASSIGN_OR_RETURN(item.value, ValueOf(request.body, base::kMaxStoredLevels));
    return SharedOf(api).Put(std::move(item), condition);
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
    return SharedOf(api).Get(place.owner, place.key);
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
    if (may) return SharedOf(api).Remove(place.owner, place.key, condition);
    ASSIGN_OR_RETURN(const bool sees, May(api, caller, SharedVerb::kGet, place.owner));
    if (sees) return NotYours(caller, place.owner, "delete");
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

}  // namespace

HandlerTable SharedHandlers() {
  return {
      {"list_shared", ListShared},
      {"get_shared", GetShared},
      {"put_shared", PutShared},
      {"delete_shared", DeleteShared},
  };
}

}  // namespace memory
