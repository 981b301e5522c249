"""Attempts at computing agreement: what a second one keeps, when it begins again, and cancelling."""

from typing import Any

import pytest
import scipy

from accounts import jobs
from accounts.models import JobState
from adjudication.agreement.computing import compute_agreement
from adjudication.agreement.requests import request_agreement
from adjudication.models import AgreementRun
from annotation.models import Annotator, Item, Level
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.factories.adjudication import AT, build_campaign

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_a_second_attempt_keeps_what_is_finished_and_gives_the_same_figures() -> None:
    built = build_campaign(noisy_labels(60, 3))
    whole = agree(built)
    run = request_agreement(campaign=built.campaign, by=None, at=AT, resamples=1000, send=False)
    compute_agreement(run, jobs.Progress(run))
    kept = list(run.results.order_by("pk").values_list("pk", flat=True))
    compute_agreement(AgreementRun.objects.get(pk=run.pk), jobs.Progress(run))  # the worker died before it could finish
    assert list(run.results.order_by("pk").values_list("pk", flat=True)) == kept
    fields = ("statistic", "scope", "annotators", "value", "ci")
    assert list(run.results.order_by("pk").values(*fields)) == list(whole.results.order_by("pk").values(*fields))


@pytest.mark.slow
def test_a_second_attempt_begins_again_when_the_labels_have_changed() -> None:
    built = build_campaign([[0, 1, None]] * 12)
    run = request_agreement(campaign=built.campaign, by=None, at=AT, resamples=1000, send=False)
    compute_agreement(run, jobs.Progress(run))
    built.label(built.items[0], "cai", 1)
    run = AgreementRun.objects.get(pk=run.pk)
    compute_agreement(run, jobs.Progress(run))
    assert run.n_judgments == 25
    assert run.results.filter(annotators=["ana", "cai"], statistic="accuracy").count() == 1


def test_cancelling_keeps_nothing() -> None:
    built = build_campaign(noisy_labels(60, 3))
    run = request_agreement(campaign=built.campaign, by=None, at=AT, send=False)
    AgreementRun.objects.filter(pk=run.pk).update(cancel_requested_at=AT)
    jobs.carry_out(run)
    run.refresh_from_db()
    assert run.state == JobState.CANCELLED
    assert not run.results.exists()


@pytest.mark.slow
@pytest.mark.parametrize("change", ["topic", "level", "model", "library", "code"])
def test_a_second_attempt_begins_again_when_anything_else_has_changed(
    change: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build_campaign(noisy_labels(30, 3), people=("ana", "ben"), topics=30, machines=[("m-1", "m", 1)])
    run = request_agreement(campaign=built.campaign, by=None, at=AT, resamples=1000, send=False)
    compute_agreement(run, jobs.Progress(run))
    before, kept = run.inputs_hash, set(run.results.values_list("pk", flat=True))
    if change == "topic":
        Item.objects.filter(pk=built.items[0].pk).update(topic=built.items[1].topic)
    elif change == "level":
        Level.objects.create(criterion=built.criterion, value=3, label="perfectly relevant")
    elif change == "model":
        Annotator.objects.filter(pk=built.annotators["m-1"].pk).update(model="another")
    elif change == "library":
        monkeypatch.setattr("scipy.__version__", "0.0.1")
    else:
        settings.CODE_VERSION = "another"
    run = AgreementRun.objects.get(pk=run.pk)
    compute_agreement(run, jobs.Progress(run))
    assert not kept & set(run.results.values_list("pk", flat=True))
    assert (run.inputs_hash == before) == (change in ("library", "code"))
    assert run.library_versions["scipy"] == ("0.0.1" if change == "library" else scipy.__version__)
