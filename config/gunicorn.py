"""How gunicorn serves Litmus: processes with a few threads each, in numbers that are settings."""

import gc
import os
import shutil
import signal
import sys
import threading
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
from config.watching import count_folders, logs

# Where the processes add up what they count (config/watching/request_figures.py); empty at each start.
os.environ["PROMETHEUS_MULTIPROC_DIR"] = counts = count_folders.new_folder()

from django.conf import settings

from accounts import leaving

gc.disable()  # nearly all that is loaded now stays: looking for garbage in it was an eighth of a start

wsgi_app = "config.wsgi"
worker_class = "config.web.Worker"
workers = settings.WEB_PROCESSES
threads = settings.WEB_THREADS
timeout = settings.WEB_TIMEOUT
graceful_timeout = settings.DRAIN_SECONDS
keepalive = 75  # longer than proxies keep theirs, which avoids answers lost between two requests
# Of nobody, a proxy on this machine included, which may hand on what strangers send: where Litmus lies is a setting.
forwarder_headers = ""
preload_app = True  # the processes share the memory of the code
accesslog = "-" if settings.ACCESS_LOG else None
errorlog = "-"
loglevel = settings.LOG_LEVEL.lower()
access_log_format = '%(h)s %(t)s "%(r)s" %(s)s %(b)s %(M)sms %({x-request-id}o)s'
if settings.LOG_FORMAT == "json":  # else gunicorn's lines look as people know them
    logconfig_dict = logs.for_gunicorn(settings.LOGGING)
control_socket_disable = True


def child_exit(_: Any, worker: Any) -> None:
    """Connections and processes that are gone count no longer; requests that were answered do."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)


def on_exit(_: Any) -> None:
    shutil.rmtree(counts, ignore_errors=True)


def end_with_notice() -> None:
    """At SIGTERM /readyz says so to a balancer first, and all is answered as before. A second one ends it at once."""
    is_second = leaving.is_announced()
    leaving.announce()
    if is_second or not settings.WEB_NOTICE:
        raise StopIteration  # as gunicorn's own
    notice = threading.Timer(settings.WEB_NOTICE, os.kill, (os.getpid(), signal.SIGTERM))
    notice.daemon = True
    notice.start()


def when_ready(server: Any) -> None:
    """Before the first fork: all that is loaded stays, so the processes share it and the garbage collector skips it."""
    from config.uploads import remove_left_over  # it needs Django's setup

    server.handle_term = end_with_notice
    remove_left_over()
    gc.freeze()
    gc.set_threshold(10_000)  # objects more than before: at 700, each page looked several times, a tenth of its time
    gc.enable()
    if "LITMUS_GATE" not in os.environ:  # else `up` says it, once the database is there
        print(_announcement(), end="", file=sys.stderr, flush=True)  # noqa: T201 - in the terminal, and nowhere else


def _announcement() -> str:
    """How to create the first account, where there is none. The database may not answer yet: then nothing."""
    from django.db import Error

    from accounts.first_account import announce_first_code
    from config.apps import close_pools

    try:
        words = announce_first_code()
    except Error:
        return ""
    finally:
        close_pools()  # before the first fork
    return words and f"{words}\n"
