#!/bin/bash
# Runs a build of ninja's with its output in a file, and prints a line every half
# minute: which step of how many, and how long the rest takes at that pace.
#
# usage: utils/progress.sh LOG WHAT COMMAND...
#   ONNXC_PROGRESS_SECONDS   the time between lines (30)

set -euo pipefail
log="$1"
what="$2"
shift 2
"$@" >"$log" 2>&1 &
job=$!
# What ends this script ends the build.
trap 'kill "$job" 2>/dev/null || true' INT TERM HUP

say() {
  local steps done total elapsed="$SECONDS" left=
  steps="$(grep -oE '^\[[0-9]+/[0-9]+' "$log" | tail -1 || true)"
  [ -n "$steps" ] || return 0
  done="${steps#[}" total="${steps#*/}"
  done="${done%/*}"
  # The first steps tell nothing of the rest.
  if [ "$done" -ge 20 ] && [ "$done" -lt "$total" ]; then
    left=", about $(((elapsed * (total - done) / done + 59) / 60)) min left"
  fi
  echo "$what: step $done of $total after $((elapsed / 60)) min $((elapsed % 60)) s$left"
}

interval="${ONNXC_PROGRESS_SECONDS:-30}"
next="$interval"
while kill -0 "$job" 2>/dev/null; do
  sleep 0.2
  if [ "$SECONDS" -ge "$next" ]; then
    say
    next=$((SECONDS + interval))
  fi
done
wait "$job"
