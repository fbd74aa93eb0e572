#!/usr/bin/env bash
# Prepare the database, the translations, the scenarios and the static files, then serve: start.sh HOST PORT [OPTION...]
# `make run` and the container start the app this way. PYTHON names the interpreter; options go to the server.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
host="$1" port="$2"
shift 2
umask 077 # the database, the key and the files of sessions are nobody else's business

"$python" tools/check_port.py "$host" "$port"
echo "Preparing the database ..."
"$python" manage.py migrate --no-input --verbosity 0
"$python" tools/compile_messages.py
echo "Loading the scenarios ..."
"$python" manage.py load_scenarios
echo "Collecting static files ..."
"$python" manage.py collectstatic --no-input --verbosity 0
echo "Waterline is starting: open http://$host:$port/  (Ctrl-C stops it)"
exec "$python" -m playground.serve --bind "$host" --port "$port" --verbosity 1 "$@" playground.asgi:application
