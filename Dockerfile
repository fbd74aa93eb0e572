# The app in a container: everything that `make run` installs, and nothing of the tests or of Spark.
# docker build --tag waterline . && docker run --publish 127.0.0.1:8000:8000 --volume waterline:/var/lib/waterline waterline
#
# Which releases are built on, and how long each has support: tools/support.toml, `make supported DATE=...`. Tags are no
# digests: whoever wants the very same image twice names it by digest (docs/operations.md).

# What the cluster has from the distribution, as on a machine: `docker build --target proxy`, `--target redis`.
FROM debian:trixie-slim AS proxy
RUN apt-get update \
    && apt-get install --yes --no-install-recommends nginx-light=1.26.* \
    && rm -rf /var/lib/apt/lists/*
USER 65534:65534

FROM debian:trixie-slim AS redis
RUN apt-get update \
    && apt-get install --yes --no-install-recommends redis-server=5:8.0.* \
    && rm -rf /var/lib/apt/lists/*
USER 65534:65534

FROM python:3.13-slim-trixie AS packages
WORKDIR /build
COPY locked/app.txt ./
RUN python -m venv /opt/waterline \
    && /opt/waterline/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --require-hashes -r app.txt

# What puts the pages' scripts together when the container starts.
FROM debian:trixie-slim AS scripts
RUN apt-get update \
    && apt-get install --yes --no-install-recommends npm=9.2.* \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts

FROM python:3.13-slim-trixie AS app
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/waterline --shell /usr/sbin/nologin waterline
COPY --from=packages /opt/waterline /opt/waterline
WORKDIR /srv/waterline
COPY . .
COPY --from=scripts /build/node_modules/@esbuild node_modules/@esbuild
# The translations are compiled here, so that the program's own directory can stay read-only.
RUN /opt/waterline/bin/python tools/compile_messages.py
ENV PYTHON=/opt/waterline/bin/python \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    WATERLINE_VAR=/var/lib/waterline
# Where processes that share one database share the static files too.
RUN mkdir /srv/static && chown 10001 /srv/static
USER 10001
VOLUME /var/lib/waterline
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["/opt/waterline/bin/python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/privacy/', timeout=4)"]
CMD ["tools/start.sh", "0.0.0.0", "8000"]
