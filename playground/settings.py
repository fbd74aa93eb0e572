"""Django's settings. Safe by default; the environment may change what is read through `environment`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from playground import environment
from playground.limits import rate_limits

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = environment.writable(Path(environment.text("WATERLINE_VAR", str(BASE_DIR / "var"))).resolve())

DEBUG = environment.flag("WATERLINE_DEBUG")
SECRET_KEY = environment.secret_key(VAR_DIR)
ALLOWED_HOSTS = environment.listed("WATERLINE_HOSTS", "localhost,.localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = environment.listed("WATERLINE_ORIGINS")

# --- what it is made of ---

INSTALLED_APPS = [
    "playground.server.static_assets.StaticFiles",
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.messages",
    "django_htmx",
    "csp",
    "playground",
    "playground.exercises.ExercisesConfig",
    "playground.classroom.ClassroomConfig",
    "lti_tool",
    "playground.lti.LtiConfig",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "playground.web.page_delivery.TextCompression",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "playground.classroom.accounts.LoginsInForce",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "playground.limits.request_callers.CallerMiddleware",
    "playground.web.errors.BusyMiddleware",
    "playground.sessions.live_hosts.ElsewhereMiddleware",
]

ROOT_URLCONF = "playground.urls"
ASGI_APPLICATION = "playground.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "playground.web.page_delivery.KeptTextLoader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.template.context_processors.i18n",
                "django.contrib.messages.context_processors.messages",
                "playground.classroom.services.student",
            ],
        },
    }
]

# --- the database: SQLite in one file, or what DATABASE_URL names ---

CONNECTION_WAIT_S = 20
"""A page that finds no connection free for so long is answered with 503."""
RECONNECTS_S = 4
"""A new connection is tried at growing distances up to this; then the next page that wants one begins again."""
DATABASES = {
    "default": dj_database_url.parse(
        environment.text("DATABASE_URL", f"sqlite:///{VAR_DIR / 'waterline.sqlite3'}"),
        conn_health_checks=True,
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Threads stay, and so do their connections: opening one costs a fifth of a page.
    DATABASES["default"] |= {"ENGINE": "playground.records.sqlite3", "CONN_MAX_AGE": None}
    DATABASES["default"]["OPTIONS"] = {
        # Readers go on while one writes; a writer takes its lock at once instead of failing halfway.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        "transaction_mode": "IMMEDIATE",
        "timeout": 10,
    }
    # Sockets are tested with several threads, for which a database in memory locks whole tables.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / f"test-{os.getpid()}.sqlite3")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    # PostgreSQL takes a hundred connections: threads share them, and who finds none free waits.
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = {
        "min_size": 1,
        "max_size": environment.integer("WATERLINE_CONNECTIONS", 20) or 1,
        "timeout": CONNECTION_WAIT_S,
        "reconnect_timeout": RECONNECTS_S,
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# A queue's directory has a file for each segment; what is read of them is bounded where they are read.
DATA_UPLOAD_MAX_NUMBER_FILES = 8_000

# --- static files: hashed names, ES modules rewritten to import each other by them ---

STATIC_URL = "static/"
STATIC_ROOT = Path(environment.text("WATERLINE_STATIC", str(VAR_DIR / "static"))).resolve()
WASM_DIR = Path(environment.text("WATERLINE_WASM", str(BASE_DIR / "dist" / "wasm"))).resolve()
"""Where `make wasm` writes the engine for browsers."""
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # whitenoise reads it when the app starts
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [  # the first that has a file wins
    "playground.server.static_assets.BundleFinder",
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "playground.server.static_assets.HashedStorage"},
}
WHITENOISE_ALLOW_ALL_ORIGINS = False

# --- languages ---

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", _("English")),
    ("zh-hans", _("Simplified Chinese")),
    ("zh-hant", _("Traditional Chinese")),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_SAMESITE = "Lax"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- security ---

# A browser remembers in a signed cookie which sessions it started; the server keeps nothing about people.
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
SESSION_COOKIE_AGE = 180 * 24 * 3600
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Accounts are for teachers only; learners have personal codes.
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "classes"
LOGOUT_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
CSRF_FAILURE_VIEW = "playground.web.errors.csrf_failure"
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_000
"""The builder's form for an order is the longest: each of up to forty kinds of event names all that come before it."""
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
if environment.flag("WATERLINE_HTTPS"):  # behind a proxy that speaks HTTPS and sets X-Forwarded-Proto
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = environment.integer("WATERLINE_HSTS_SECONDS", 3600)

# --- limits: what one visitor may take of the machine; `playground.limits.session_limits` gives them their meaning ---

WATERLINE = {
    "max_disk_bytes": environment.integer("WATERLINE_MAX_DISK_BYTES", 256 * 1024 * 1024),
    "max_messages": environment.integer("WATERLINE_MAX_MESSAGES", 2_000_000),
    "max_unequal": environment.integer("WATERLINE_MAX_UNEQUAL", 50_000),
    "max_size_bytes": environment.integer("WATERLINE_MAX_SIZE_BYTES", 16 * 1024 * 1024),
    "max_rate_per_s": environment.integer("WATERLINE_MAX_RATE_PER_S", 100_000),
    "max_actors": environment.integer("WATERLINE_MAX_ACTORS", 128),
    "max_transitions": environment.integer("WATERLINE_MAX_TRANSITIONS", 2_000_000),
    "max_commands": environment.integer("WATERLINE_MAX_COMMANDS", 5_000),
    "max_virtual_s": environment.integer("WATERLINE_MAX_VIRTUAL_S", 24 * 3600),  # the engine's own bound
    "commands_per_s": environment.integer("WATERLINE_COMMANDS_PER_S", 20),
    "command_bytes": environment.integer("WATERLINE_COMMAND_BYTES", 16 * 1024),
    "scenario_bytes": rate_limits.SCENARIO_BYTES,
    "sessions_per_process": environment.integer("WATERLINE_SESSIONS", 96),
    "sessions_per_address": environment.integer("WATERLINE_SESSIONS_PER_ADDRESS", 64),  # a class behind one
    "sockets_per_visitor": environment.integer("WATERLINE_SOCKETS_PER_VISITOR", 16),
    "sockets_per_address": environment.integer("WATERLINE_SOCKETS_PER_ADDRESS", 512),
    "sockets_per_session": environment.integer("WATERLINE_SOCKETS", 32),
    "new_per_minute": environment.integer("WATERLINE_NEW_PER_MINUTE", 120),  # a class behind one address
    "reads_per_minute": environment.integer("WATERLINE_READS_PER_MINUTE", 1200),
    "launches_per_minute": environment.integer("WATERLINE_LAUNCHES_PER_MINUTE", 600),
    "past_per_minute": environment.integer("WATERLINE_PAST_PER_MINUTE", 60),
    "past_s": environment.integer("WATERLINE_PAST_S", 10),
    "wake_s": environment.integer("WATERLINE_WAKE_S", 300),
    "idle_s": environment.integer("WATERLINE_IDLE_S", 1800),
    "hidden_s": environment.integer("WATERLINE_HIDDEN_S", 300),
    "unwatched_s": environment.integer("WATERLINE_UNWATCHED_S", 60),
    "keep_days": environment.integer("WATERLINE_KEEP_DAYS", 30),
    "links_days": environment.integer("WATERLINE_LINKS_DAYS", 365),
    "kept_bytes": environment.integer("WATERLINE_KEPT_BYTES", 2 * 1024 * 1024 * 1024),
    "kept_per_visitor": environment.integer("WATERLINE_KEPT_PER_VISITOR", 32 * 1024 * 1024),
    "kept_per_address": environment.integer("WATERLINE_KEPT_PER_ADDRESS", 128 * 1024 * 1024),
    "sweep_cells": environment.integer("WATERLINE_SWEEP_CELLS", 100),
    "sweep_s": environment.integer("WATERLINE_SWEEP_S", 90),
    "large_sweep_cells": environment.integer("WATERLINE_LARGE_SWEEP_CELLS", 5_000),
    "large_sweep_s": environment.integer("WATERLINE_LARGE_SWEEP_S", 3600),
    "sweeps_waiting": environment.integer("WATERLINE_SWEEPS_WAITING", 8),
    "sweeps_per_visitor": environment.integer("WATERLINE_SWEEPS_PER_VISITOR", 10),
    "workers": environment.integer("WATERLINE_WORKERS", os.cpu_count() or 1),
}
SESSIONS_DIR = VAR_DIR / "sessions"
SPARK_SWEEPS = environment.flag("WATERLINE_SPARK_SWEEPS")
SPARK_MASTER = environment.text("WATERLINE_SPARK_MASTER", "local[*]")

# --- several processes on one database: see docs/operations.md ---

WATERLINE_NODE = environment.name("WATERLINE_NODE")
"""By which the proxy finds this process; empty where it is the only one."""
WATERLINE_LEASE_S = environment.integer("WATERLINE_LEASE_S", 9)
"""How long a session stays the own of a process that has fallen silent; it is renewed at a third of it."""
WATERLINE_CLASS_SIZE = environment.integer("WATERLINE_CLASS_SIZE", 60)
"""Students of one class, 300 at most."""
WATERLINE_SIGN_UP = environment.text("WATERLINE_SIGN_UP", "invitation")
"""Who becomes a teacher: "invitation" (or the operator's approval), or "open" for everybody."""
WATERLINE_XAPI_URL = environment.text("WATERLINE_XAPI_URL")
WATERLINE_XAPI_AUTH = environment.text("WATERLINE_XAPI_AUTH")
WATERLINE_XAPI_HOME = environment.text("WATERLINE_XAPI_HOME", "https://waterline.invalid")
WATERLINE_CONTROLLER = environment.text("WATERLINE_CONTROLLER")
WATERLINE_CONTACT = environment.text("WATERLINE_CONTACT")
WATERLINE_LEGAL_BASIS = environment.text("WATERLINE_LEGAL_BASIS")

REDIS = environment.text("WATERLINE_REDIS")
"""Carries messages between the processes, and holds the counters of limits that they share."""
CHANNEL_LAYERS = {
    "default": {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS]}}
    if REDIS
    else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
}
if REDIS:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS}}
CHECKPOINT_BYTES = 512 * 1024 * 1024
WORKER_BYTES = environment.integer("WATERLINE_WORKER_BYTES", 1024 * 1024 * 1024)
DATA_UPLOAD_MAX_MEMORY_SIZE = rate_limits.FORM_BYTES
FILE_UPLOAD_MAX_MEMORY_SIZE = DATA_UPLOAD_MAX_MEMORY_SIZE

# --- logging: one line each, to standard error ---

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "stream": sys.stderr, "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "playground": {"level": environment.text("WATERLINE_LOG_LEVEL", "INFO")},
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
        "daphne": {"level": "WARNING"},
    },
}
