"""Agreement that nobody has to ask for: after a pause, where it is cheap, and never where somebody has to decide."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from accounts import jobs
from accounts.models import JobState
from adjudication.agreement import due
from adjudication.agreement.due import start_due
from adjudication.agreement.standing import fetch_standing
from adjudication.labels import due as labels_due
from adjudication.models import AgreementRun, Release
from annotation.models import AnnoCycle, Campaign, Split
from corpus.models import Collection, ImportRun
from tests.adjudication.agreement.test_agreement import agree
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db

LATER = AT + timedelta(minutes=2)
LABELS = [[i % 3, (i + i % 4) % 3, i % 2] for i in range(12)]


def asked(now: datetime = LATER) -> list[AgreementRun]:
    """The runs that a look at this moment queues."""
    before = list(AgreementRun.objects.values_list("pk", flat=True))
    start_due(now)
    return list(AgreementRun.objects.exclude(pk__in=before).order_by("pk"))


def computed(now: datetime = LATER) -> list[AgreementRun]:
    """The same, carried out."""
    runs = asked(now)
    for run in runs:
        jobs.carry_out(run)
        run.refresh_from_db()
        assert run.state == JobState.DONE, run.reason
    return runs


def judge_one_more(built: Built, value: int, *, at: datetime) -> None:
    built.label(built.items[-1], "ana", value, at=at)


def test_figures_come_once_people_pause() -> None:
    built = build_campaign(LABELS)
    assert asked(AT + timedelta(seconds=30)) == [], "somebody is judging"
    [run] = computed()
    assert fetch_standing(built.campaign).run == run
    assert run.parameters == {"automatic": True, "resamples": 10_000} | {
        "interval": "auto",
        "cluster": "auto",
        "margin": None,
    }
    assert run.results.filter(statistic="cohen_kappa", scope="pair").count() == 3
    assert asked() == [], "nothing has changed"


def test_parameters_of_another_version_are_not_taken_over() -> None:
    """A worker of it, which still runs during an update, stores what this one no longer knows."""
    built = build_campaign([*LABELS, [None, 1, 0]])
    run = agree(built)
    run.parameters |= {"figures": True, "resamples": 1_000}
    run.save()
    judge_one_more(built, 1, at=AT + timedelta(minutes=5))
    [newest] = asked(AT + timedelta(hours=1))
    assert newest.parameters["resamples"] == 1_000
    assert "figures" not in newest.parameters


def test_they_follow_what_somebody_chose_and_keep_it() -> None:
    built = build_campaign([*LABELS, [None, 1, 1]])
    chosen = agree(built, resamples=2000, seed=5, interval="percentile")
    judge_one_more(built, 2, at=AT + timedelta(minutes=1))
    [run] = computed(AT + timedelta(minutes=3))
    assert (run.seed, run.parameters["resamples"], run.parameters["interval"]) == (5, 2000, "percentile")
    assert not fetch_standing(built.campaign).is_stale
    assert AgreementRun.objects.filter(pk=chosen.pk).exists(), "figures that somebody asked for stay"


def test_under_constant_judging_they_are_at_most_a_quarter_of_an_hour_old() -> None:
    built = build_campaign([*LABELS, [None, 1, 1]])
    agree(built)
    now = timezone.now()
    judge_one_more(built, 2, at=now)
    assert asked(now) == []
    assert len(asked(now + timedelta(minutes=16) - due.QUIET)) == 1


def test_of_those_that_nobody_asked_for_the_newest_two_are_kept_and_what_a_release_stands_on() -> None:
    built = build_campaign([*LABELS, *([None, 1, 1] for _ in range(4))])
    chosen, runs = agree(built), []
    for minute, item in enumerate(built.items[-4:], 10):
        built.label(item, "ana", 1, at=AT + timedelta(minutes=minute))
        runs += computed(AT + timedelta(minutes=minute + 2))
        if minute == 10:
            freeze_after(runs[0])
    assert len(runs) == 4
    assert list(AgreementRun.objects.order_by("pk")) == [chosen, runs[0], *runs[-2:]]


def freeze_after(run: AgreementRun) -> None:
    Release.objects.create(
        collection=run.campaign.collection,
        name="v1",
        version=1,
        requested_at=AT,
        last_ids={"adjudication.agreementrun": run.pk},
        summary={"campaigns": [run.campaign.slug]},
        frozen_at=AT,
        place="releases/1.1",
        manifest_sha256="0" * 64,
        anonymous_sha256="0" * 64,
    )


def test_what_failed_or_was_cancelled_waits_for_somebody() -> None:
    built = build_campaign(LABELS)
    run = AgreementRun.objects.create(campaign=built.campaign, requested_at=AT, state=JobState.CANCELLED)
    assert asked() == []
    AgreementRun.objects.filter(pk=run.pk).update(state=JobState.FAILED)
    assert asked() == []


@pytest.mark.parametrize(
    ("labels", "why"),
    [([[1, None, None], [None, 1, None]], "no two people have judged one item"), ([], "nobody has judged")],
)
def test_before_there_is_anything_to_compare_nothing_is_computed(labels: list[list[int | None]], why: str) -> None:
    build_campaign(labels)
    assert asked() == [], why


def test_what_takes_long_waits_for_somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    built = build_campaign([*LABELS, [None, 1, 1]])
    monkeypatch.setattr(due, "MOST_ASSIGNMENTS", 20)
    assert asked() == [], "nobody knows how long it takes"
    AgreementRun.objects.filter(pk=agree(built).pk).update(seconds=due.MOST_SECONDS + 1)
    judge_one_more(built, 2, at=AT)
    assert asked() == []


def test_archived_and_sealed_campaigns_are_left_alone() -> None:
    built = build_campaign(LABELS)
    Collection.objects.update(archived_at=AT)
    assert asked() == []
    Collection.objects.update(archived_at=None)
    built.campaign.items.update(split=Split.TEST)
    Campaign.objects.filter(pk=built.campaign.pk).update(split=Split.TEST)
    dev = Campaign.objects.create(
        collection=built.collection, slug="dev", name="Dev", kind="relevance", split="dev", seed=1, created_at=AT
    )
    AnnoCycle.objects.create(
        collection=built.collection, number=1, criterion="relevance", dev=dev, margin=0.05, created_at=AT
    )
    assert asked() == []
    AnnoCycle.objects.all().delete()
    assert len(asked()) == 1


def test_imported_judgments_wait_so_that_their_import_can_be_undone() -> None:
    built = build_campaign(LABELS)
    brought = ImportRun.objects.create(
        collection=built.collection,
        kind="judgments",
        parameters={"campaign": built.campaign.pk},
        requested_at=AT,
        finished_at=AT,
        state=JobState.DONE,
    )
    assert asked() == []
    ImportRun.objects.filter(pk=brought.pk).update(undone_at=AT)
    assert len(asked()) == 1


def test_a_look_reads_the_newest_answers_alone(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Callable[[int], AbstractContextManager[object]]
) -> None:
    first = build_campaign(LABELS)
    build_campaign(LABELS, slug="coffee")
    monkeypatch.setattr(labels_due, "LOOKED_AT", 36)
    assert [run.campaign.collection.slug for run in asked()] == ["coffee"], "the other's answers are older"
    agree(first)
    with django_assert_num_queries(1):
        start_due(LATER)
