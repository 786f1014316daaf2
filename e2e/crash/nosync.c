/* A shim for LD_PRELOAD whose syncs do nothing and report success. With it the power-loss replay
 * must find losses; a replay that finds none proves nothing (the teeth check). */
int fsync(int descriptor) { return descriptor < 0 ? -1 : 0; }
int fdatasync(int descriptor) { return descriptor < 0 ? -1 : 0; }
