#!/usr/bin/env bash
# A value a million deep through the command lines, with little native stack: compiled, as an artefact, interpreted.
set -euo pipefail
bin=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "deep: $*" >&2; exit 1; }

ulimit -s 512
program=$source/test/programs/depth.nr
"$bin/nereus" run "$program" --entry build --input n=i64=1000000 --json --stats > "$work/compiled" 2> "$work/stats"
grep -q "leaked objects 0" "$work/stats" || fail "objects are left: $(cat "$work/stats")"
[ "$(grep -o Cons "$work/compiled" | wc -l)" = 1000000 ] || fail "the list is not a million long"
"$bin/nereus" compile "$program" --entry build -o "$work/build.nrx"
"$bin/nereus-run" "$work/build.nrx" --input n=i64=1000000 --json | cmp - "$work/compiled" || fail "the artefact differs"
"$bin/nereus" run "$program" --entry build --input n=i64=1000000 --json --eval | cmp - "$work/compiled" || fail "eval differs"
{ echo '{"xs": '; cat "$work/compiled"; echo '}'; } > "$work/inputs.json"
"$bin/nereus" run "$program" --entry total --inputs "$work/inputs.json" > "$work/total"
[ "$(cat "$work/total")" = "i64 500000500000" ] || fail "read back as JSON it sums up to $(cat "$work/total")"
[ "$("$bin/nereus" run "$program" --entry long --input n=i64=10000000)" = "i64 9999999" ] || fail "the long loop"
echo "1 passed, 0 failed"
