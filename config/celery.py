"""The Celery application: background jobs over Redis. Options are the CELERY_… settings."""

import contextlib
import gc
import os
import signal
import threading
import time
import warnings
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import beat_embedded_init, worker_init, worker_process_init, worker_shutting_down
from django.conf import settings

from accounts import leaving
from config.leash import follow_parent

LAST_SECONDS = 5  # that a job may take to be given back

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Django's system checks load all pages, which was half of a worker's start and a third of its memory, and Celery throws
# away what they find.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
# Meant for workers that unpickle; ours read JSON alone, and `make run` works as root.
warnings.filterwarnings("ignore", message=".*superuser privileges", category=SecurityWarning)

app = Celery("litmus")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_process_init.connect
@beat_embedded_init.connect
def end_with_the_worker(**_: object) -> None:
    """No pool process and no beat stays behind when the worker itself is killed."""
    follow_parent(signal.SIGKILL)


@worker_init.connect
def give_jobs_back_at_the_end(sender: Any, **_: object) -> None:
    """A worker that is asked to end takes no more jobs, and gives those back that do not end in time."""

    def leave(**_: object) -> None:
        leaving.announce()
        threading.Thread(target=end_processes, args=(sender,), daemon=True).start()

    worker_shutting_down.connect(leave, weak=False)


def end_processes(worker: Any) -> None:
    """Interrupt the jobs that are still running after LITMUS_DRAIN_SECONDS; at last kill what does not notice."""
    for seconds, how in ((settings.DRAIN_SECONDS, signal.SIGTERM), (LAST_SECONDS, signal.SIGKILL)):
        time.sleep(seconds)
        pool = worker.pool._pool  # None once all have ended
        for process in list(pool._pool) if pool else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, how)


@worker_init.connect
def clear_the_disk(**_: object) -> None:
    """A worker that starts removes what killed processes left."""
    from config.uploads import remove_left_over  # it needs Django's setup

    remove_left_over()


@worker_init.connect
def load_jobs(**_: object) -> None:
    """Load the work of all jobs before the pool forks, so that its processes share it."""
    from accounts.job_kinds import job_kinds

    job_kinds()
    gc.freeze()  # all that is loaded stays, and a job makes many objects: as in the web server
    gc.set_threshold(10_000)
