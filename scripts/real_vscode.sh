#!/usr/bin/env bash
# Puts a real VS Code, which runs in a real browser, into one folder.
#
#   scripts/real_vscode.sh [DIR]    DIR: else $IBID_EDITORS_CACHE, else .cache/real-vscode
#
# It comes from package managers alone: code-server (VS Code 1.139 with its Node
# extension host), the Node it wants, playwright-core to drive it, and the system's
# Chromium.  Prints DIR on success.  Exit 3 says that something is missing that
# this script will not force on the machine; tests then skip with that reason.
set -Eeuo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dir=${1:-${IBID_EDITORS_CACHE:-$here/.cache/real-vscode}}
versions="code-server@4.139.1 node@24 playwright-core@1.65.1"

missing() {
  echo "real VS Code: $1" >&2
  exit 3
}

ensure_chromium() {
  if command -v chromium >/dev/null || command -v google-chrome >/dev/null; then
    return
  fi
  command -v apt-get >/dev/null && [[ $(id -u) == 0 ]] ||
    missing "no Chromium; install the system's package 'chromium'"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null ||
    missing "the system's package 'chromium' did not install"
}

# Install scripts are skipped: the one of code-server fetches prebuilt modules
# from elsewhere.  What they would add (native logging, native file events,
# terminals) is not needed to run an extension; Node alone wants its script.
npm_quietly() {
  npm install --no-audit --no-fund --loglevel=error "$@" >&2
}

ensure_editor() {
  local vscode
  [[ -f $dir/installed && $(<"$dir/installed") == "$versions" ]] && return
  mkdir -p "$dir"
  cd "$dir"
  [[ -f package.json ]] || echo '{"name": "real-vscode", "private": true}' >package.json
  npm_quietly node@24
  npm_quietly --ignore-scripts code-server@4.139.1 playwright-core@1.65.1
  vscode=node_modules/code-server/lib/vscode
  (
    cd "$vscode"
    npm_quietly --omit=dev --ignore-scripts
    ln -sfn node_modules node_modules.asar
    cd extensions
    npm_quietly --omit=dev --ignore-scripts
  )
  printf '%s' "$versions" >installed
}

command -v npm >/dev/null || missing "no npm; install Node.js 20.19 or newer"
ensure_chromium
dir=$(mkdir -p "$dir" && cd "$dir" && pwd)
trap 'missing "the packages did not install; see above"' ERR
ensure_editor
echo "$dir"
