#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# From the source tree, with a FOLDER that all nodes share: the shares, and then all together.
#
#     shares=$(sbatch --parsable --array=1-64 workflow/slurm.sh FOLDER 64)
#     sbatch --dependency=afterok:$shares workflow/slurm.sh FOLDER
#
# After a failure submit both again, or only the shares that failed (--array=3,17).
#SBATCH --job-name=shufbound
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
# The script that runs is a copy elsewhere; this is where it was submitted.
exec workflow/sweep.sh "$1" ${2:+"$SLURM_ARRAY_TASK_ID/$2"}
