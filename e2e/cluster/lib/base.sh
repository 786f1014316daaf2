# What every script here uses: messages, files, and processes that are known by
# their pid files. Sourced, never run; expects $RUN and $LOG where processes are
# started or stopped.

# Progress and errors go to stderr: stdout carries results only.
say() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }
fail() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

await() { # await SECONDS COMMAND...: until it succeeds; false at the deadline
  local deadline=$((SECONDS + $1)); shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || return 1
    sleep 0.1
  done
}

put() { # put FILE: standard input, written only when it differs (kube-proxy ends
  # itself when its configuration is written to)
  local new; new=$(cat)
  [ -e "$1" ] && [ "$new" = "$(< "$1")" ] || printf '%s\n' "$new" > "$1"
}

# --- processes -------------------------------------------------------------
# A pid file holds the pid and the process's start time, so that a number which
# the kernel has given to somebody else is never taken for ours.

birth() { # birth PID: its start in clock ticks since boot; nothing when it has gone
  # Everything up to the last ')' is the name, which may hold anything.
  local stat; stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  set -- ${stat##*) }
  [ "$1" = Z ] || echo "${20}"
}

alive() { # alive NAME
  local pid born
  [ -s "$RUN/$1.pid" ] && read -r pid born < "$RUN/$1.pid" && [ -n "$born" ] && [ "$(birth "$pid")" = "$born" ]
}

STARTED=() # what this very run has started

start() { # start NAME COMMAND...: in the background, unless it runs already
  local name=$1 pid; shift
  if alive "$name"; then return; fi
  say "starting $name"
  # The lock's descriptor (9) must not live on in a daemon.
  setsid nohup "$@" >> "$LOG/$name.log" 2>&1 < /dev/null 9>&- &
  pid=$!
  echo "$pid $(birth "$pid")" > "$RUN/$name.pid"
  STARTED+=("$name")
}

stop() { # stop NAME [SECONDS]: asks, waits, insists
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

ready() { # ready SECONDS NAME COMMAND...: awaits a started process; says who failed and why
  local deadline=$((SECONDS + $1)) name=$2 one; shift 2
  until "$@" > /dev/null 2>&1; do
    # The one that broke first is the one to tell of: others wait for it in vain.
    for one in "${STARTED[@]}"; do alive "$one" || fail "$one ended: $(last_words "$one")"; done
    [ $SECONDS -lt $deadline ] || fail "$name is not ready in time: $(last_words "$name")"
    sleep 0.1
  done
}

last_words() { # last_words NAME: the line of its log that most likely tells why
  local words
  words=$({ grep '^panic:' "$LOG/$1.log" || grep -iE '^[FE][0-9]|error|fatal' "$LOG/$1.log" || cat "$LOG/$1.log"; } 2>/dev/null |
    tail -1 | cut -c1-300)
  echo "$words (log: $LOG/$1.log)"
}
