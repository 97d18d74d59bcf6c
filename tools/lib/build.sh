# shellcheck shell=bash disable=SC2034,SC2154,SC2164
# Configures and builds a preset. Sourced after say.sh.

# build_preset NAME [OPTION...]: options go to cmake; quiet while configuring, unless that fails.
build_preset() {
  cd "$top" || return
  say build "preset $1"
  logged "configure-$1" cmake --preset "$@" && cmake --build "build/$1" --parallel "$jobs"
}

test_preset() { ctest --test-dir "build/$1" --output-on-failure --no-tests=error --timeout 900 --parallel "$jobs"; }
