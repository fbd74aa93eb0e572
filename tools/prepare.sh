#!/usr/bin/env bash
# Prepare what a server needs, once: the database, the translations, the scenarios and the static files.
# PYTHON names the interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
umask 077 # the database, the key and the files of sessions are nobody else's business

mkdir -p "${WATERLINE_VAR:-var}"
echo "Preparing the database ..."
"$python" manage.py migrate --no-input --verbosity 0
"$python" tools/compile_messages.py
echo "Loading the scenarios ..."
"$python" manage.py load_scenarios
echo "Collecting static files ..."
"$python" manage.py collectstatic --no-input --verbosity 0
