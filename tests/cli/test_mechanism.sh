#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# mechanism: local randomisers described by a file.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

mechanisms=${srcdir:-.}/doc/mechanisms
expect 0 '^delta >= 0.0006286' mechanism "$mechanisms/matrix.json" --n 1000 --eps 0.05 --digits 4
expect 0 '^eps0 in \[' mechanism "$mechanisms/rappor.json"
expect 0 '^eps0 is infinite' mechanism "$mechanisms/gaussian.json"
expect 0 '^eps0 in \[1.5, 1.5\]' mechanism "$mechanisms/product.json"
echo '{"type":"product","parts":[{"type":"krr","k":3,"eps0":1},{"type":"krr","k":3,"eps0":"log(9)"}]}' >"$work/product.json"
expect 0 '^eps0 in \[3.1972245773[0-9]*, 3.1972245773[0-9]*\]' mechanism "$work/product.json"
expect 3 'users hold (0, 0); mechanism: mixture, parts (krr, k = 4, eps0 = 2), (subset' mechanism "$mechanisms/mixture.json" --n 100 --delta 1e-3 --digits 2 --effort 1e8
expect 0 '"quantity":"epsilon".*"upper":{"side":"upper".*"lower":{"side":"lower".*"data":{.*"tried":\[.*"krr-weak".*"local-profile"' \
    mechanism "$mechanisms/krr.json" --n 100 --delta 1e-3 --digits 2 --json
expect 0 'theorem blanket (proved, upper bound)' mechanism "$mechanisms/subset-selection.json" --n 100 --delta 1e-3 --digits 2
expect 0 'certified at the lower end' mechanism "$mechanisms/krr.json" --n 1000 --eps 0.2 --delta 1e-4 --solve eps0 --digits 1
row='["1/2","1/2"]'
echo "{\"type\":\"matrix\",\"rows\":[$row,$row,$row,$row,$row,$row,$row,$row,[\"1/3\",\"2/3\"]]}" >"$work/many.json"
expect 0 'rows a matrix of 9 rows and 2 columns' mechanism "$work/many.json" --n 10 --eps 0.1 --digits 2
echo '{"type":"noisy-sgd","sampler":"fixed","noise_multiplier":2,"steps":9,"every":1,"strategy":[[1],[0,1],[0,0,1],[0,0,0,1],[0,0,0,0,1],[0,0,0,0,0,1],[0,0,0,0,0,0,1],[0,0,0,0,0,0,0,1],[0,0,0,0,0,0,0,0,1]]}' >"$work/triangle.json"
expect 0 'of 9 rows and 9 columns' delta --mechanism "$work/triangle.json" --eps 0.1 --digits 2
expect 64 'mechanism needs FILE.json' mechanism
expect 64 '\-\-n is missing' mechanism "$mechanisms/krr.json" --eps 1
expect 64 'either --eps or --delta' mechanism "$mechanisms/krr.json" --n 10
expect 64 '\-\-solve is eps0: n or scale is allowed with laplace' mechanism "$mechanisms/laplace.json" --n 10 --eps 1 --delta 0.1 --solve eps0
expect 64 '\-\-solve is eps0: a matrix has no parameter' mechanism "$mechanisms/matrix.json" --n 10 --eps 1 --delta 0.1 --solve eps0
expect 64 '\-\-eps0 does not go with mechanism' mechanism "$mechanisms/krr.json" --n 10 --eps 1 --eps0 1
expect 65 'cannot open' mechanism "$work/none.json" --n 10 --eps 1
echo '{"type":"krr","k":3,"eps0":0.5}' >"$work/real.json"
expect 65 'written as a string' mechanism "$work/real.json" --n 10 --eps 1
echo '{"type":"matrix","rows":[["1/2","1/2"],["1/4","3/4"]],"eps0":"1/2"}' >"$work/stated.json"
expect 65 'but the rows need log(2)' mechanism "$work/stated.json" --n 10 --eps 1

echo '{"type":"gaussian","scale":"1/1000000"}' >"$work/narrow.json"
expect 3 'not all digits were reached\|no bound' mechanism "$work/narrow.json" --n 10 --eps 0.5 --digits 3 --effort 1e7
finish
