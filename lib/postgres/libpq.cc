// Never unloaded: its libraries keep threads and handlers of exit.
#include "lib/postgres/libpq.h"

#include <dlfcn.h>

#include <string>

#include "lib/base/check.h"

namespace postgres {

using base::Code;
using base::Error;

namespace {

constexpr const char* kLibrary = "libpq.so.5";

base::Result<Libpq> Load() {
  const auto missing = [] {
    const char* why = dlerror();
    return Error{Code::kInvalid,
                 "PostgreSQL's client library cannot be loaded; install libpq5 (14 "
                 "or later): " +
                     std::string(why ? why : kLibrary)};
  };
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library) return missing();
  Libpq loaded;
#define POSTGRES_FUNCTION(name)                                             \
  loaded.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name)); \
  if (!loaded.name) return missing();
  POSTGRES_LIBPQ(POSTGRES_FUNCTION)
#undef POSTGRES_FUNCTION
  return loaded;
}

const base::Result<Libpq>& Loaded() {
  static const base::Result<Libpq> kLoaded = Load();
  return kLoaded;
}

}  // namespace

base::Status LoadLibpq() {
  if (!Loaded()) return Loaded().error();
  return {};
}

const Libpq& libpq() {
  CHECK(Loaded());
  return *Loaded();
}

}  // namespace postgres
