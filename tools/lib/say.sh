# shellcheck shell=bash disable=SC2034
# Paths and messages that all the tools share. Sourced, never run.
top=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
deps=$(realpath -m "${PLEIAD_DEPS:-${HOME:?set HOME or PLEIAD_DEPS}/.cache/pleiad/deps}")
export PLEIAD_DEPS=$deps # CMake looks there too
jobs=$(nproc)

# say LABEL SENTENCE
say() { printf '%-8s %s\n' "$1" "$2"; }

# fail SENTENCE ADVICE...: says what failed and what to do, and ends the tool.
fail() {
  say error "$1" >&2
  shift
  printf '         %s\n' "$@" >&2
  exit 1
}

# usage FILE: prints the comment at the head of a tool.
usage() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$1"; }

# logged NAME COMMAND...: keeps the output in a log; on failure shows its end and returns 1.
logged() {
  local log=$deps/log/$1.log
  shift
  mkdir -p "$deps/log"
  "$@" >"$log" 2>&1 && return
  tail -n 15 "$log" >&2
  say log "$log" >&2
  return 1
}
