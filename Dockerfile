# The app in a container: everything that `make run` installs, and nothing of the tests or of Spark.
# docker build --tag waterline . && docker run --publish 127.0.0.1:8000:8000 --volume waterline:/var/lib/waterline waterline
FROM python:3.11-slim-bookworm AS packages
WORKDIR /build
COPY requirements.txt constraints.txt ./
RUN python -m venv /opt/waterline \
    && /opt/waterline/bin/pip install --no-cache-dir --disable-pip-version-check -r requirements.txt

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/waterline --shell /usr/sbin/nologin waterline
COPY --from=packages /opt/waterline /opt/waterline
WORKDIR /srv/waterline
COPY . .
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
