from datetime import timedelta

import pytest
from celery import current_app
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from config.tasks import clear_sessions
from tests.processes import wait_for


@pytest.mark.services
def test_worker_does_a_job_and_acknowledges_it(celery_worker, queue):
    Session.objects.create(session_key="old", session_data="", expire_date=timezone.now() - timedelta(days=1))
    Session.objects.create(session_key="new", session_data="", expire_date=timezone.now() + timedelta(days=1))
    clear_sessions.delay()
    wait_for(lambda: not Session.objects.filter(session_key="old").exists(), what="the job")
    assert Session.objects.filter(session_key="new").exists()
    wait_for(lambda: not queue.hlen("unacked"), what="the acknowledgement")


def test_jobs_of_tests_never_reach_the_queue_of_the_product(queue):
    with current_app.connection_for_write() as connection, connection.channel() as channel:
        database = channel._connparams()["db"]
    assert database == queue.get_connection_kwargs()["db"] >= 2


def test_every_periodic_task_exists():
    current_app.loader.import_default_modules()
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert entry["task"] in current_app.tasks


def test_a_message_is_only_given_away_after_its_job_must_have_ended():
    options = current_app.conf.broker_transport_options
    assert options["visibility_timeout"] > current_app.conf.task_time_limit > current_app.conf.task_soft_time_limit


def test_nothing_but_json_is_read():
    assert current_app.conf.accept_content == ["json"]
    assert current_app.conf.task_serializer == "json"
