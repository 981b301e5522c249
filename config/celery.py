"""The Celery application: background jobs over Redis. Options are the CELERY_… settings."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("litmus")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
