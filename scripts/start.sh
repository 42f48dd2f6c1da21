#!/bin/sh
# Starts the server. Everything that starts it runs this file, so that Node's flags are in one place; docs/performance.md
# has their effects. After exec, node has the process id and gets the signals.
cd "$(dirname "$0")/.." || exit
case $(node --version) in
  v2[4-9].* | v[3-9][0-9].*) ;;
  *) echo "plant-store: needs Node.js 24 or later; this is $(node --version)" >&2 && exit 1 ;;
esac
# Covers src/main.ts too, so that Node need not load its TypeScript compiler.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-.cache/compiled}"
# One arena of glibc for all threads takes 2 MiB less than one for each. Other systems ignore it.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
exec node --max-semi-space-size=8 --no-parallel-scavenge --disable-sigusr1 src/main.ts "$@"
