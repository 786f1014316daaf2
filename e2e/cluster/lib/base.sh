# Functions of all scripts here: messages, files, and processes with pid files.
# Sourced, never run; the functions that start or stop processes need $RUN and
# $LOG.

# Progress and errors go to stderr: stdout carries results only.
say() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }
fail() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

await() { # await SECONDS COMMAND...: repeats it until it succeeds; false at the deadline
  local deadline=$((SECONDS + $1)); shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || return 1
    sleep 0.1
  done
}

put() { # put FILE: writes stdin to FILE only if it differs (kube-proxy exits when its
  # configuration file is written)
  local new; new=$(cat)
  [ -e "$1" ] && [ "$new" = "$(< "$1")" ] || printf '%s\n' "$new" > "$1"
}

# --- processes -------------------------------------------------------------
# A pid file has the pid and the process's start time, so that another process
# with a reused pid is never taken for the started one.

birth() { # birth PID: prints its start in clock ticks since boot; nothing if it ended
  # The process's name ends at the last ')' and may contain any character.
  local stat; stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  set -- ${stat##*) }
  [ "$1" = Z ] || echo "${20}"
}

alive() { # alive NAME
  local pid born
  [ -s "$RUN/$1.pid" ] && read -r pid born < "$RUN/$1.pid" && [ -n "$born" ] && [ "$(birth "$pid")" = "$born" ]
}

STARTED=() # the processes that this run started

start() { # start NAME COMMAND...: runs it in the background, unless NAME runs already
  local name=$1 pid; shift
  if alive "$name"; then return; fi
  say "starting $name"
  # A daemon must not inherit the lock's descriptor (9).
  setsid nohup "$@" >> "$LOG/$name.log" 2>&1 < /dev/null 9>&- &
  pid=$!
  echo "$pid $(birth "$pid")" > "$RUN/$name.pid"
  STARTED+=("$name")
}

stop() { # stop NAME [SECONDS]: SIGTERM, and SIGKILL after SECONDS (default: 10)
  local pid
  if alive "$1"; then
    read -r pid _ < "$RUN/$1.pid"
    kill "$pid" 2>/dev/null || true
    await "${2:-10}" gone "$1" || kill -9 "$pid" 2>/dev/null || true
    await 5 gone "$1" || say "$1 (pid $pid) does not end"
  fi
  rm -f "$RUN/$1.pid"
}

gone() { ! alive "$1"; }

ready() { # ready SECONDS NAME COMMAND...: waits for a started process; fails with the cause
  local deadline=$((SECONDS + $1)) name=$2 one; shift 2
  until "$@" > /dev/null 2>&1; do
    # Reports a process that ended, since the other ones wait for it in vain.
    for one in "${STARTED[@]}"; do alive "$one" || fail "$one ended: $(last_words "$one")"; done
    [ $SECONDS -lt $deadline ] || fail "$name is not ready in time: $(last_words "$name")"
    sleep 0.1
  done
}

last_words() { # last_words NAME: the line of its log that most likely names the cause
  local words
  words=$({ grep '^panic:' "$LOG/$1.log" || grep -iE '^[FE][0-9]|error|fatal' "$LOG/$1.log" || cat "$LOG/$1.log"; } 2>/dev/null |
    tail -1 | cut -c1-300)
  echo "$words (log: $LOG/$1.log)"
}
