#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#     sweep.sh FOLDER I/N     computes the share I of N
#     sweep.sh FOLDER         computes what no share has finished, and puts all together
#
# Below FOLDER: the tables of a published figure (figure.py) and the test vectors, with the bytes of a run in one piece. What is
# finished is kept, whatever ends a run; a file that is there is not computed again.
#
#   SHUFBOUND   the program               (shufbound)
#   PANELS      panels of the figure      (a b c)
#   VECTORS     files of vectors          (all of vectors)
set -eu
test $# = 1 || test $# = 2 || { echo "usage: sweep.sh FOLDER [I/N]" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shufbound=${SHUFBOUND:-shufbound}
mkdir -p "$folder/vectors"

# What a command prints becomes the file at once: other shares may write and read it too.
put() { # FILE COMMAND...
    file=$1 new=$(mktemp "$folder/new.XXXXXX")
    shift
    "$@" >"$new"
    mv "$new" "$file"
}

# Files of two versions do not go together.
version=$("$shufbound" --version)
[ -e "$folder/version" ] || put "$folder/version" echo "$version"
[ "$(cat "$folder/version")" = "$version" ] || { echo "sweep.sh: $folder is of $(cat "$folder/version")" >&2; exit 1; }

for panel in ${PANELS-a b c}; do
    name=$folder/feldman21-fig2$panel
    put "$name.questions" python3 "$here/figure.py" questions "$panel"
        [ -e "$name.jsonl" ] || "$shufbound" ask --output "$name.jsonl" ${2:+--shard "$2"} "$name.questions" ||
            [ $? = 65 ] # a form outside its region
    [ $# = 2 ] || put "$name.csv" python3 "$here/figure.py" table "$panel" <"$name.jsonl"
done
mkdir -p "$folder/prompt"
for file in ${VECTORS-"$here"/../vectors/*.json}; do
    name=$(basename "$file")
    [ "$name" != negative.json ] || continue
    "$shufbound" vectors prompt --output "$folder/prompt" "$file"
    [ -e "$folder/vectors/$name" ] || "$shufbound" vectors generate --output "$folder/vectors" ${2:+--shard "$2"} "$folder/prompt/$name"
done
