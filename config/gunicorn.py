"""How gunicorn serves Litmus: processes with a few threads each, in numbers that are settings."""

import gc
import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings
from django.urls import get_resolver

wsgi_app = "config.wsgi"
worker_class = "config.web.Worker"
workers = settings.WEB_PROCESSES
threads = settings.WEB_THREADS
timeout = settings.WEB_TIMEOUT
graceful_timeout = 10
keepalive = 75  # longer than proxies keep theirs, which avoids answers lost between two requests
preload_app = True  # the processes share the memory of the code
accesslog = "-" if settings.ACCESS_LOG else None
errorlog = "-"
loglevel = settings.LOG_LEVEL.lower()
control_socket_disable = True


def when_ready(_: Any) -> None:
    """Before the first fork: load all views, so that no first request waits for them and all processes share them.

    `manage.py up` starts this while the database starts, and holds it back here until the tables are there.
    """
    _ = get_resolver().url_patterns
    if gate := os.environ.get("LITMUS_GATE"):
        os.read(int(gate), 1)  # returns when the other end is closed
    gc.collect()
    gc.freeze()
