"""Django's settings for tests: the app's own, with a directory that nothing has written to.

What `make run` leaves under var/ (a database, collected static files, a key) must not decide how a test ends, nor may a
test change it. The environment says so, because programs that tests start read it as well; those that need a directory
of their own name one.
"""

import atexit
import os
import shutil
import tempfile

GIVEN = "WATERLINE_TESTS_VAR"
"""Variable with the directory of this run of tests: its workers, and the programs that it starts, take the same."""

if GIVEN not in os.environ:
    os.environ[GIVEN] = os.environ["WATERLINE_VAR"] = tempfile.mkdtemp(prefix="waterline-tests-")
    os.environ.pop("WATERLINE_STATIC", None)
    atexit.register(shutil.rmtree, os.environ[GIVEN], ignore_errors=True)

from playground.settings import *  # noqa: E402, F403 - only now does the environment name the directory

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""These passwords guard nothing, and a good hash of each takes a third of a second."""
