#!/bin/sh
# SPDX-License-Identifier: MIT
# Computes a sweep as an array job of Slurm, one task for each shard. A task that is killed and requeued goes on where it was.
#
#   sbatch --array=0-63 slurm.sh FILE SWEEP GLOB,.. FOLDER [OPTION of ali3-sim]...
#   sbatch --dependency=afterok:JOB --wrap="ali3-sim merge --output FOLDER/sweep.csv FOLDER/part-*.csv"
#
# All nodes see FILE and FOLDER. ALI3_SIM: the program (default: ali3-sim).
#SBATCH --job-name=ali3-sweep
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu
[ $# -ge 4 ] || { echo "usage: sbatch --array=0-N slurm.sh FILE SWEEP GLOB,.. FOLDER [OPTION]..." >&2; exit 2; }
file=$1 sweep=$2 quantities=$3 folder=$4
shift 4
k=$SLURM_ARRAY_TASK_ID
mkdir -p "$folder"
exec "${ALI3_SIM:-ali3-sim}" "$file" --batch "$sweep" --quantities "$quantities" --shard "$k/$SLURM_ARRAY_TASK_COUNT" \
  --output "$folder/part-$k.csv" --resume --jobs "${SLURM_CPUS_PER_TASK:-1}" "$@"
