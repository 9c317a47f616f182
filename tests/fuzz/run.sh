#!/bin/sh
# Runs each fuzz target for a while, seeded from the fixtures: run.sh SECONDS [TARGET...]
# Corpus and crashes lie in target/fuzz; a crash is the input for a fixture or a test of its kind.
set -eu

seconds=$1
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
fuzz=$root/tests/fuzz
out=$root/target/fuzz
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # each name is one word
    set -- $(sed -n 's/^name = "\([a-z]*\)"$/\1/p' "$fuzz/Cargo.toml")
fi

# seed NAME: stdin as a file of the target's corpus, its name made from its content
seed() {
    cat > "$corpus/seed"
    mv "$corpus/seed" "$corpus/$(cksum < "$corpus/seed" | tr ' ' '-')"
}

# Long recordings slow every try and hold nothing that a short one has not.
short() {
    find "$@" -name 'output*.txt' -size -32k
}

seeds() {
    case $1 in
    clean)
        short "$root/tests/fixtures/pytest" "$root/tests/fixtures/cargo-test" | while read -r file; do
            tail -n 3 "$file" | seed
        done
        printf '10 %%\rFAILED\033[2K\033[1Gok\033]8;;x\033\\y\010' | seed
        ;;
    receipt)
        find "$root/tests/fixtures" -name events.snap -size -16k | while read -r file; do
            grep '^{' "$file" | seed
        done
        ;;
    formats)
        for file in "$root/pipelines/formats.toml" "$fuzz"/formats/*.toml "$fuzz"/formats/*.json; do
            for text in "$fuzz"/formats/*.txt; do
                { cat "$file"; printf '\0'; cat "$text"; } | seed
            done
        done
        ;;
    *)
        sed -n "s/^$1: //p" "$fuzz/families" | tr ' ' '\n' | while read -r format; do
            [ ! -d "$root/tests/fixtures/$format" ] || short "$root/tests/fixtures/$format"
        done | while read -r file; do
            seed < "$file"
        done
        if [ "$1" = others ]; then
            for folder in "$root"/tests/fixtures/*/; do
                grep -qw "$(basename "$folder")" "$fuzz/families" || short "$folder"
            done | while read -r file; do
                seed < "$file"
            done
        fi
        ;;
    esac
}

# The sanitizer is an unstable flag of a compiler that has it all the same.
export RUSTC_BOOTSTRAP=1
mkdir -p "$out/crashes"
for target; do
    corpus=$out/corpus/$target
    mkdir -p "$corpus"
    seeds "$target"
    echo "fuzz: $target, $seconds s from $(find "$corpus" -type f | wc -l | tr -d ' ') inputs"
    cargo fuzz run --fuzz-dir "$fuzz" --target-dir "$out" "$target" "$corpus" -- \
        -max_total_time="$seconds" -max_len=32768 -timeout=20 -rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix="$out/crashes/$target-" || exit 1
done
