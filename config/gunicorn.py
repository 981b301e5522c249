"""How gunicorn serves Litmus: processes with a few threads each, in numbers that are settings."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings

wsgi_app = "config.wsgi"
worker_class = "gthread"
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
