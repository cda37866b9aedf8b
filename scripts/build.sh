# Configuring and building the release. Sourced by ./run and ./test.

# ccache: a build in another directory, or after a change of time stamps, is still the same build.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

# build_release LOG TESTS(ON|OFF|KEEP) TARGET...: quiet but for a line of progress; on failure shows what failed.
build_release() {
  local log=$1 tests=$2 options=()
  shift 2
  mkdir -p "$(dirname "$log")"
  [ "$tests" = KEEP ] && [ ! -f build/release/CMakeCache.txt ] && tests=OFF
  [ "$tests" != KEEP ] && options+=("-DMUHUR_TESTS=$tests")
  if ! cmake --preset release "${options[@]}" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    echo "cmake failed; all of its output is in $log" >&2
    return 1
  fi
  if ! cmake --build build/release --parallel "$(nproc)" --target "$@" >>"$log" 2>&1; then
    grep -A 12 -E 'FAILED|error:' "$log" | head -n 80 >&2
    echo "the build failed; all of its output is in $log" >&2
    return 1
  fi
}
