# What Muhur needs of Debian 12, and its installation. Sourced by ./run and ./test.

BUILD_PACKAGES=(clang-19 libclang-rt-19-dev llvm-19 mold ccache ninja-build cmake pkg-config
  libboost1.81-dev libboost-json1.81-dev libssl-dev libsodium-dev libsqlite3-dev libzstd-dev libicu-dev
  libcrypt-dev libfmt-dev libtomlplusplus-dev libcli11-dev libjemalloc-dev)
TEST_PACKAGES=(libgtest-dev libgmock-dev swaks isync neomutt curl dovecot-imapd strace sqlite3 openssl
  ca-certificates git g++ make python3)

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Installs those of the named packages that are missing. Silent, and without a network, when none is.
need_packages() {
  local missing=() package
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} = 0 ] && return 0
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    echo "These packages are missing, and there is no sudo to install them with: ${missing[*]}" >&2
    return 1
  fi
  echo "Installing with apt: ${missing[*]}"
  case " ${missing[*]} " in
    *" libboost1.81-dev "*)
      # Debian 12 has two Boosts; their development packages exclude each other.
      is_installed libboost1.74-dev && echo "(libboost1.81-dev takes the place of libboost1.74-dev)" ;;
  esac
  local log=build/apt.log
  mkdir -p build
  if ! { as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q \
      && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"; } \
      >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    echo "apt could not install them; all of its output is in $log" >&2
    return 1
  fi
}

# Node.js 20 or the one that Debian has (18), with npm and the headers that native modules are built with.
need_node() {
  local major=0
  command -v node >/dev/null && major=$(node -p 'process.versions.node.split(".")[0]')
  if [ "$major" -lt 18 ]; then
    need_packages nodejs npm libnode-dev || return 1
  elif ! command -v npm >/dev/null; then
    need_packages npm || return 1
  fi
}
