#!/usr/bin/env bash
# Prepare what a server needs (tools/prepare.sh), then serve: start.sh HOST PORT [OPTION...]
# `make run` and the container start the app this way. PYTHON names the interpreter; options go to the server.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
host="$1" port="$2"
shift 2
umask 077 # the database, the key and the files of sessions are nobody else's business

"$python" tools/check_port.py "$host" "$port"
PYTHON="$python" tools/prepare.sh
echo "Waterline is starting: open http://$host:$port/  (Ctrl-C stops it)"
exec "$python" -m tools.compiled --run -m playground.server.serve --bind "$host" --port "$port" --verbosity 1 "$@" playground.asgi:application
