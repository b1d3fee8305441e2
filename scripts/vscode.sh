#!/usr/bin/env bash
# Opens a real VS Code with Ibid in it, in your browser: `make vscode`.
#
#   PROJECT=DIR   your own project and memory; else the sample project with its own
#   PYTHON=FILE   the Python with Ibid's dependencies; else .venv's
#   PORT=N        where it listens on this machine alone; else a free port
#
# Prints the address and runs until Ctrl-C.  Settings and extensions are its own, in
# .run/vscode; nothing of your usual editor is touched.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
run=$root/.run/vscode
python=${PYTHON:-$root/.venv/bin/python}
PYTHONPATH=$root/server "$python" -c 'import ibid.faces.cli.main' || {
  echo "$python cannot run Ibid; use 'make vscode', or name one that can as PYTHON" >&2
  exit 1
}

editor=$("$root/scripts/real_vscode.sh")
node=$editor/node_modules/node/bin/node
code=("$node" "$editor/node_modules/code-server/out/node/entry.js"
  --user-data-dir "$run/data" --extensions-dir "$run/extensions")
mkdir -p "$run/data/User" "$run/data/Machine"

# The server of this checkout, with the sample's memory unless a project is named.
write_command() {
  {
    echo '#!/bin/sh'
    printf 'export PYTHONPATH=%q\n' "$root/server"
    if [[ -n ${1:-} ]]; then printf 'export IBID_HOME=%q HOME=%q\n' "$1" "$1"; fi
    printf 'exec %q -m ibid "$@"\n' "$python"
  } >"$run/ibid"
  chmod +x "$run/ibid"
}

# The samples tell of days gone by; this leaves something waiting in the queue.
play_a_session_of_today() {
  local now file=$sample/today.ibid.jsonl
  now=$(date -u +%FT%TZ)
  cat >"$file" <<JSONL
{"type": "session", "session": "today", "at": "$now", "agent": "claude-code", "cwd": "$folder"}
{"type": "prompt", "session": "today", "at": "$now", "text": "Uploads above 2 GB must always be sent in parts of 64 MB."}
{"type": "answer", "session": "today", "at": "$now", "text": "Parts of 64 MB it is; send() splits now."}
{"type": "turn", "session": "today", "at": "$now", "status": "completed"}
{"type": "prompt", "session": "today", "at": "$now", "text": "We decided to keep part numbers in the receipt."}
{"type": "answer", "session": "today", "at": "$now", "text": "Added."}
{"type": "turn", "session": "today", "at": "$now", "status": "completed"}
JSONL
  "$run/ibid" --project "$folder" import "$file" >>"$run/sample.log" ||
    echo "Today's session was not imported; see $run/sample.log" >&2
}

if [[ -n ${PROJECT:-} ]]; then
  folder=$(cd "$PROJECT" && pwd)
  write_command
else
  # Outside of this checkout: what lies in it belongs to its memory.
  sample=$(mktemp -d "${TMPDIR:-/tmp}/ibid-vscode-XXXXXX")
  trap 'rm -rf "$sample"' EXIT
  folder=$sample/parcel
  write_command "$sample/home"
  echo "Playing the sample sessions …"
  PYTHONPATH=$root/server "$python" "$root/scripts/demo.py" --keep "$sample" >"$run/sample.log" ||
    echo "The samples did not play to their end; see $run/sample.log" >&2
  play_a_session_of_today
fi

echo "Packing the extension …"
(cd "$root/client-vscode" && npx vsce package --no-dependencies --allow-missing-repository --out "$run/ibid.vsix" >"$run/package.log")
"${code[@]}" --install-extension "$run/ibid.vsix" --force >"$run/install.log" 2>&1

cat >"$run/data/User/settings.json" <<'JSON'
{
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false
}
JSON
printf '{"ibid.server.path": "%s"}\n' "$run/ibid" >"$run/data/Machine/settings.json"

"${code[@]}" --auth none --bind-addr "127.0.0.1:${PORT:-0}" --disable-telemetry \
  --disable-update-check --disable-workspace-trust >"$run/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; rm -rf "${sample:-}"' EXIT
for _ in $(seq 100); do
  address=$(sed -n 's#.*listening on \(http://[^/]*\).*#\1#p' "$run/server.log")
  [[ -n $address ]] && break
  kill -0 "$server" 2>/dev/null || { cat "$run/server.log" >&2; exit 1; }
  sleep 0.1
done
encoded=$("$python" -c 'import sys, urllib.parse; print(urllib.parse.quote(sys.argv[1]))' "$folder")
echo
echo "  $address/?folder=$encoded"
echo
echo "Open it in a browser; the bookmark with quotation marks on the left is Ibid. Ctrl-C ends it."
wait "$server"
