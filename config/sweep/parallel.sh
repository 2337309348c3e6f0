#!/bin/sh
# SPDX-License-Identifier: MIT
# Computes a sweep in shards by GNU parallel, on this machine, or on the machines of PARALLEL_HOSTS (a file for --sshloginfile; all
# of them see FOLDER). After a kill the same command goes on where it was.
#
#   parallel.sh FILE SWEEP GLOB,.. SHARDS FOLDER [OPTION of ali3-sim]...
#   parallel.sh quarter_car.yaml sweep.yaml body.car.position.z 4 results --duration 2
#
# JOBS: shards at a time (default: one for each processor). ALI3_SIM: the program (default: ali3-sim).
set -eu
[ $# -ge 5 ] || { echo "usage: parallel.sh FILE SWEEP GLOB,.. SHARDS FOLDER [OPTION]..." >&2; exit 2; }
file=$1 sweep=$2 quantities=$3 shards=$4 folder=$5
shift 5
sim=${ALI3_SIM:-ali3-sim}
mkdir -p "$folder"
seq 0 $((shards - 1)) | parallel --jobs "${JOBS:-100%}" --halt soon,fail=1 ${PARALLEL_HOSTS:+--sshloginfile "$PARALLEL_HOSTS"} \
  "$sim" "$file" --batch "$sweep" --quantities "$quantities" --shard "{}/$shards" --output "$folder/part-{}.csv" --resume "$@"
seq -f "$folder/part-%.0f.csv" 0 $((shards - 1)) | xargs "$sim" merge --output "$folder/sweep.csv"
