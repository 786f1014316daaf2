/* A shim for LD_PRELOAD that makes every sync a lie: it says "done" and does nothing. With it the
 * power-loss replay must find losses; a replay that stays green is thrown away (the teeth check). */
int fsync(int descriptor) { return descriptor < 0 ? -1 : 0; }
int fdatasync(int descriptor) { return descriptor < 0 ? -1 : 0; }
