#!/usr/bin/env bash
# Prepare what a server needs, once: the translations, the database, the scenarios and the static files (tools/prepare.py).
# PYTHON names the interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
umask 077 # the database, the key and the files of sessions are nobody else's business

exec "$python" -m tools.prepare
