"""The Celery application: background jobs over Redis. Options are the CELERY_… settings."""

import gc
import os
import signal
import warnings

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import beat_embedded_init, worker_init, worker_process_init

from config.leash import follow_parent

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
def load_jobs(**_: object) -> None:
    """Load the work of all jobs before the pool forks, so that its processes share it."""
    from accounts.job_kinds import job_kinds

    job_kinds()
    gc.freeze()  # all that is loaded stays, and a job makes many objects: as in the web server
    gc.set_threshold(10_000)
