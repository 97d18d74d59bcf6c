# shellcheck shell=bash disable=SC2034,SC2154,SC2164
# Format and lint of the tracked files. Sourced after say.sh; runs in the top folder.

clang_format=clang-format-14
clang_tidy=clang-tidy-19

# The user may own the checkout and root run the check.
tracked() { git -c safe.directory="$top" ls-files -z -- "$@"; }

check_format() { tracked '*.cpp' '*.hpp' | xargs -0 -r "$clang_format" --dry-run -Werror; }

# Every source of the release build but the tests, on all cores, the largest first. Warnings are the compiler's affair (-w).
check_cpp() {
  local commands=build/release/compile_commands.json
  local options=(-p build/release --quiet --extra-arg=-w)
  if ! [[ -f $commands ]]; then say lint "the release preset is not configured" && return 1; fi
  if ! command -v "$clang_tidy" >/dev/null; then say lint "$clang_tidy is not installed" && return 1; fi
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$commands" | grep -vF -e "$top/build/" -e "$top/tests/" | sort -u | tr '\n' '\0' |
    xargs -0 -r ls -S --zero | xargs -0 -r -n 1 -P "$jobs" "$clang_tidy" "${options[@]}" 2>/dev/null
}

check_shell() {
  local scripts
  mapfile -d '' -t scripts < <(tracked tools .ci | xargs -0 grep -lZ '^#!.*bash')
  bash -n "${scripts[@]}" tools/lib/*.sh || return
  if command -v shellcheck >/dev/null; then shellcheck -x -P SCRIPTDIR "${scripts[@]}" tools/lib/*.sh; fi
}
