#!/bin/sh
# Usage: scripts/daily-backup.sh FOLDER
# Backs up the SQLite database of DATABASE_URL to FOLDER/plants-TIME.db. If that succeeds, removes older files of such
# names, but those of 14 days stay: of this one, and of the newest 13 others that have one.
set -eu
folder=${1:?name the folder of the backups: scripts/daily-backup.sh FOLDER}
now=$(date -u +%Y-%m-%dT%H%M%SZ)
node "$(dirname "$0")/backup.ts" "$folder/plants-$now.db"
days=$(ls "$folder" | sed -nE 's/^plants-([0-9]{4}-[0-9]{2}-[0-9]{2})T[0-9]{6}Z\.db$/\1/p' | sort -ru)
# The clock may have been set back, so that this day is not the newest.
for day in $(echo "$days" | grep -vx "${now%T*}" | tail -n +14); do
  rm "$folder/plants-$day"T[0-9][0-9][0-9][0-9][0-9][0-9]Z.db
done
