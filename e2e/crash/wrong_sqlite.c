/* A shim for LD_PRELOAD that breaks a precondition of the programs. SHIM_PRAGMA=name=value: replaces the
 * requested value of that pragma. SHIM_VERSION=number, SHIM_NO_FTS5, SHIM_ONE_THREAD: simulate another
 * SQLite. SHIM_FILE_SYSTEM=number (decimal): the type that statfs returns for every path. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

typedef int (*exec_type)(void*, const char*, int (*)(void*, int, char**, char**), void*, char**);

int sqlite3_exec(void* database, const char* sql, int (*row)(void*, int, char**, char**), void* argument, char** error) {
  exec_type real = (exec_type)dlsym(RTLD_NEXT, "sqlite3_exec");
  const char* wrong = getenv("SHIM_PRAGMA");
  char wanted[128], instead[128];
  if (wrong && strlen(wrong) < 100) {
    snprintf(wanted, sizeof wanted, "PRAGMA %.*s=", (int)strcspn(wrong, "="), wrong);
    snprintf(instead, sizeof instead, "PRAGMA %s", wrong);
    if (strncmp(sql, wanted, strlen(wanted)) == 0) sql = instead;
  }
  return real(database, sql, row, argument, error);
}

int sqlite3_libversion_number(void) {
  const char* version = getenv("SHIM_VERSION");
  return version ? atoi(version) : ((int (*)(void))dlsym(RTLD_NEXT, "sqlite3_libversion_number"))();
}

int sqlite3_compileoption_used(const char* name) {
  if (getenv("SHIM_NO_FTS5") && strstr(name, "FTS5")) return 0;
  return ((int (*)(const char*))dlsym(RTLD_NEXT, "sqlite3_compileoption_used"))(name);
}

int sqlite3_threadsafe(void) {
  return getenv("SHIM_ONE_THREAD") ? 0 : ((int (*)(void))dlsym(RTLD_NEXT, "sqlite3_threadsafe"))();
}

int statfs(const char* path, struct statfs* facts) {
  int result = ((int (*)(const char*, struct statfs*))dlsym(RTLD_NEXT, "statfs"))(path, facts);
  if (result == 0 && getenv("SHIM_FILE_SYSTEM")) facts->f_type = (long)atoll(getenv("SHIM_FILE_SYSTEM"));
  return result;
}
