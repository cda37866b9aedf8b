# Finding, running and counting the test suites. Sourced by ./test, which sets $logs.
#
# A suite is a GoogleTest program of build/release/tests or a *.test.mjs below tests/. Each runs by itself, as
# many at a time as there are cores, and writes $logs/NAME.log and $logs/NAME.result: "passed failed skipped".

suite_names=()
suite_commands=()
node_directories=()

# Longest first, so that no core waits at the end.
find_suites() {
  local filter=$1 file name directory
  local -A seen=()
  while read -r file; do
    directory=$(dirname "$file")
    name=$(echo "${file#tests/}" | sed 's/\.test\.mjs$//; s#/#-#g')
    [[ $name == *"$filter"* ]] || continue
    suite_names+=("$name")
    suite_commands+=("node --test --test-reporter=tap $file")
    while [ "$directory" != tests ] && [ ! -f "$directory/package.json" ]; do directory=$(dirname "$directory"); done
    if [ "$directory" != tests ] && [ -z "${seen[$directory]:-}" ]; then
      seen[$directory]=1
      node_directories+=("$directory")
    fi
  done < <(find tests -name node_modules -prune -o -name '*.test.mjs' -print | sort -r)
  while read -r file; do
    name=$(basename "$file" _tests)
    [[ $name == *"$filter"* ]] || continue
    suite_names+=("$name")
    suite_commands+=("$file --gtest_color=no")
  done < <(find build/release/tests -maxdepth 1 -name '*_tests' -type f 2>/dev/null | sort)
}

# count WORD FILE: the number behind "# WORD " (node) in FILE; 0 when there is none.
count_tap() { sed -n "s/^# $1 \([0-9][0-9]*\)$/\1/p" "$2" | tail -n 1; }
count_gtest() { sed -n "s/^\[  $1 \{1,2\}\] \([0-9][0-9]*\) tests\{0,1\}.*/\1/p" "$2" | tail -n 1; }

run_suite() {
  local name=$1 command=$2 log=$logs/$1.log code=0 passed failed skipped
  local limit=900
  local began=$SECONDS
  case $name in interop-*) command="env MUHUR_VAULT_TOOL=$PWD/build/release/tests/vault_tool $command" ;; esac
  # shellcheck disable=SC2086
  env -u MUHUR_CONFIG timeout --kill-after=10 "$limit" $command >"$log" 2>&1 </dev/null || code=$?
  case $command in
    *'node --test'*)
      passed=$(count_tap pass "$log") failed=$(count_tap fail "$log") skipped=$(count_tap skipped "$log") ;;
    *)
      passed=$(count_gtest PASSED "$log") failed=$(count_gtest FAILED "$log") skipped=$(count_gtest SKIPPED "$log") ;;
  esac
  passed=${passed:-0} failed=${failed:-0} skipped=${skipped:-0}
  # A crash, a time-out, or a program that ran no test is a failure, whatever was counted.
  [ $code != 0 ] && [ "$failed" = 0 ] && failed=1
  [ $((passed + failed + skipped)) = 0 ] && failed=1
  [ $code = 124 ] && echo "stopped after $limit seconds" >>"$log"
  echo "$passed $failed $skipped" >"$logs/$name.result"
  printf '%-28s %5d passed %3d failed %3d skipped %5d s\n' "$name" "$passed" "$failed" "$skipped" $((SECONDS - began))
}

run_suites() {
  local cores running=0 i
  cores=$(nproc)
  for i in "${!suite_names[@]}"; do
    run_suite "${suite_names[$i]}" "${suite_commands[$i]}" &
    running=$((running + 1))
    if [ $running -ge "$cores" ]; then
      wait -n
      running=$((running - 1))
    fi
  done
  wait
}

sum_up() {
  local passed=0 failed=0 skipped=0 p f s name
  for name in "${suite_names[@]}"; do
    read -r p f s <"$logs/$name.result" || { p=0 f=1 s=0; }
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ "$f" != 0 ]; then
      echo
      echo "== $name failed; from $logs/$name.log:"
      grep -n -E '^not ok|^ +not ok|\[  FAILED  \]|Failure$|error: |AssertionError|^stopped after|Sanitizer|^ +(expected|actual):' \
        "$logs/$name.log" | head -n 40
      tail -n 25 "$logs/$name.log"
    fi
  done
  [ ${#suite_names[@]} = 0 ] && { echo "no suite of that name"; failed=1; }
  echo
  [ $skipped != 0 ] && echo "$skipped skipped: $(grep -h -E '# SKIP|^\[  SKIPPED \] .*\.' "$logs"/*.log | head -n 5 | tr '\n' ';')"
  echo "$passed passed, $failed failed"
  [ $failed = 0 ]
}
