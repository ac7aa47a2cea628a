#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# pack.sh FOLDER: the folder as a tar on standard output, the same bytes for the same files and SOURCE_DATE_EPOCH (or 0): names sorted,
# no times, owners or permissions of this machine. Needs GNU tar.
set -eu
tar --sort=name --format=ustar --mtime=@"${SOURCE_DATE_EPOCH:-0}" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    --hard-dereference -C "$(dirname "$1")" -chf - "$(basename "$1")"
