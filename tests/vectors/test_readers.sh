#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The readers of vectors/readers say of every vector what the rule says, or that they do not know; those whose language is here, in the gate
# one of them.
set -eu
. "${srcdir:-.}/tests/check.sh"
source=$(cd "$source" && pwd)
PYTHONPATH=$source/python PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

# a line: file, tcId, side, bound as a decimal, lo_hex, hi_hex (- where there is none), bound of the test (-), what the rule says
python3 - "$source/vectors" >"$work/cases" <<'PYTHON'
import math, pathlib, sys
from shufbound.vectors import load
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    if path.name == "negative.json":
        continue
    for vector in load(path):
        lo, hi = (float("nan") if text is None else float.fromhex(text) for text in (vector.result.lo_hex, vector.result.hi_hex))
        near = [math.nextafter(x, direction) for x in (lo, hi) for direction in (-math.inf, x, math.inf)]
        for x in [*near, 0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]:
            for side in ("upper", "lower"):
                print(path, vector.id, side, "NaN" if math.isnan(x) else repr(x).replace("inf", "Infinity"), vector.result.lo_hex or "-", vector.result.hi_hex or "-",
                      vector.bound if vector.bound and vector.side != "exact" else "-", vector.judge(side, x))
PYTHON

compare() { # LANGUAGE: its verdicts, in its file
    paste -d' ' "$work/cases" "$work/$1" | awk -v language="$1" '
        NF != 9 || ($9 != $8 && $9 != "undecided") {print "FAIL: " language ": " $0; failures++; if (failures == 10) exit 1}
        $9 != $8 {unknown++}
        END {print language ": " NR " verdicts, " unknown + 0 " of them undecided where the decimals decide"; exit failures > 0 || unknown > NR / 10}'
}

Go() {
    mkdir -p "$work/go/vectors"
    cp "$source/vectors/readers/vectors.go" "$work/go/vectors"
    printf 'module test\n\ngo 1.19\n' >"$work/go/go.mod"
    cat >"$work/go/main.go" <<'GO'
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"test/vectors"
)

func main() {
	files := map[string]map[string]vectors.Test{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if files[f[0]] == nil {
			tests, err := vectors.Load(f[0])
			if err != nil {
				panic(err)
			}
			files[f[0]] = map[string]vectors.Test{}
			for _, test := range tests {
				files[f[0]][strconv.Itoa(test.TcID)] = test
			}
		}
		x, _ := strconv.ParseFloat(f[3], 64)
		verdict, err := files[f[0]][f[1]].Judge(f[2], x)
		if err != nil {
			panic(err)
		}
		fmt.Println(verdict)
	}
}
GO
    # with the library of Go compiled once
    (cd "$work/go" && GOFLAGS=-mod=mod GOTOOLCHAIN=local GOCACHE="${XDG_CACHE_HOME:-${HOME:-$work}/.cache}/shufbound/go" go run . <"$work/cases" >"$work/Go")
    compare Go
}

Rust() {
    cp "$source/vectors/readers/vectors.rs" "$work"
    cat >"$work/main.rs" <<'RUST'
mod vectors;

fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let f: Vec<&str> = line.split(' ').collect();
        let end = |text: &str| if text == "-" { f64::INFINITY } else { vectors::double(text).unwrap() };
        let known = vectors::Known { lo: end(f[4]), hi: end(f[5]), bound: (f[6] != "-").then_some(f[6]) };
        println!("{}", known.judge(f[2], f[3].parse().unwrap()));
    }
}
RUST
    rustc --edition 2021 -D warnings -O -o "$work/main" "$work/main.rs"
    "$work/main" <"$work/cases" >"$work/Rust"
    compare Rust
}

TypeScript() {
    cat >"$work/main.ts" <<TYPESCRIPT
import { readFileSync } from "node:fs";
import { judge, type Side, type Test } from "$source/vectors/readers/vectors.ts";

const files: Record<string, Record<string, Test>> = {};
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const [path, id, side, x] = line.split(" ");
  if (!(path in files)) {
    files[path] = {};
    for (const group of JSON.parse(readFileSync(path, "utf8")).testGroups) for (const test of group.tests) files[path][test.tcId] = test;
  }
  console.log(judge(files[path][id], side as Side, Number(x)));
}
TYPESCRIPT
    node --experimental-strip-types --no-warnings "$work/main.ts" <"$work/cases" >"$work/TypeScript"
    compare TypeScript
}

# node takes types away since 22.6
languages=$({
    ! command -v go || echo Go
    ! command -v rustc || echo Rust
    ! node --experimental-strip-types -e 0 || echo TypeScript
} 2>/dev/null | grep -v /) || { echo "skipped: there is no go, rustc or node 22"; exit 77; }
for language in $languages; do
    drawn "$(echo "$languages" | wc -l)" || continue
    $language
done
