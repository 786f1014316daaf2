/* A shim for LD_PRELOAD: the SHIM_N-th fsync or fdatasync below SHIM_PATH fails with EIO; with SHIM_STICKY also
 * all later ones. SHIM_LOG gets a line per sync: number, monotonic nanoseconds, result, size, path. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void tell(long number, int result, int descriptor, const char* path) {
  struct stat facts;
  struct timespec now;
  char line[4400];
  int log = open(getenv("SHIM_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  clock_gettime(CLOCK_MONOTONIC, &now);
  long size = fstat(descriptor, &facts) == 0 ? (long)facts.st_size : -1;
  int length = snprintf(line, sizeof line, "%ld %lld %d %ld %s\n", number,
                        now.tv_sec * 1000000000LL + now.tv_nsec, result, size, path);
  if (write(log, line, (size_t)length) != length) abort();
  close(log);
}

static int sync_one(int descriptor, const char* name) {
  const char* root = getenv("SHIM_PATH");
  char place[64], path[4096];
  snprintf(place, sizeof place, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(place, path, sizeof path - 1);
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  if (length < 0 || !root || strncmp(path, root, strlen(root)) != 0) return real(descriptor);
  path[length] = 0;
  pthread_mutex_lock(&mutex);
  long number = ++count, wanted = atol(getenv("SHIM_N"));
  int fails = number == wanted || (number > wanted && getenv("SHIM_STICKY"));
  int result = fails ? -1 : real(descriptor);
  int reason = fails ? EIO : errno;
  tell(number, result, descriptor, path);
  pthread_mutex_unlock(&mutex);
  errno = reason;
  return result;
}

int fsync(int descriptor) { return sync_one(descriptor, "fsync"); }
int fdatasync(int descriptor) { return sync_one(descriptor, "fdatasync"); }
