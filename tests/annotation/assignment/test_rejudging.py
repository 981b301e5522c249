"""Judging again what a changed guideline touches: who is asked, what counts when, and what stays on record."""

import csv
import io
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.refusals import NotAllowed, Refused
from adjudication.exporting.options import options_of
from adjudication.exporting.registry import EXPORTERS
from adjudication.following.pay import current_sheet, set_pay_rate
from adjudication.labels.labels import newest_submission, read_labels, read_repeats
from adjudication.labels.staleness import count_newer
from adjudication.releases.explaining import explain
from annotation.assignment.annotators import pause_annotator, remove_annotator
from annotation.assignment.rejudging import (
    Rejudged,
    rejudged_by_person,
    rejudged_sentence,
    request_rejudging,
    withdraw_rejudging,
)
from annotation.campaigns.guidelines import write_guideline
from annotation.campaigns.lifecycle import open_campaign
from annotation.campaigns.own_counts import own_counts
from annotation.campaigns.progress import fetch_progress
from annotation.consent.pseudonyms import leave_out_labels
from annotation.gold.results import gold_results
from annotation.labelling.answers import AnswerInput
from annotation.labelling.submissions import submit
from annotation.models import Annotator, Assignment, Campaign, Item, Judgment, VotesSeen
from tests.adjudication.following.counting import counted
from tests.annotation.assignment.test_assignments import assign
from tests.annotation.gold.known_worlds import known
from tests.factories.annotation import AT, annotator, make_campaign, make_material

pytestmark = pytest.mark.django_db
LATER = AT + timedelta(days=1)
LAST = AT + timedelta(days=2)


def judged(strategy: str = "planned", **plan: Any) -> Campaign:
    """Ana and Ben have judged four items by version 1, Ana with 0, 1, 2, 2 and Ben with 1 throughout; version 2 is
    newer than these."""
    made = make_material(topics=2, aspects=1, documents=2, annotators=("ana", "ben"))
    campaign = make_campaign(made, strategy=strategy)
    write_guideline(campaign=campaign, body="Be strict.", by=None, at=AT)
    assign(campaign, **plan)
    open_campaign(campaign=campaign, by=None, at=AT)
    if strategy == "planned":
        answer_all(campaign, guideline=campaign.guidelines.first().version)
    return campaign


def answer_all(campaign: Campaign, guideline: int) -> None:
    for name, values in {"ana": {0: 0, 1: 1, 2: 2, 3: 2}, "ben": dict.fromkeys(range(4), 1)}.items():
        for number, item in enumerate(campaign.items.order_by("pk")):
            answer(campaign, name, item, values[number], guideline)


def answer(
    campaign: Campaign, name: str, item: Item, value: int | None, guideline: int = 2, kind: str = "answer", **more: Any
) -> Any:
    """The person answers what they have of the item, what is pending first; the result."""
    mine = annotator(campaign, name).assignments.filter(item=item).exclude(repeat__gte=10)
    assignment = more.pop("of", None) or mine.filter(state="pending").order_by("repeat").first()
    assignment = assignment or mine.get(repeat=0)
    last = assignment.submissions.filter(outcome="counted").order_by("-pk").first()
    given = AnswerInput(
        uuid=uuid.uuid4(),
        assignment=assignment.pk,
        kind=kind,
        base=last.uuid if last else None,
        answers={"relevance": value} if kind == "answer" else {},
        reason="unclear" if kind == "skip" else "",
        guideline=guideline,
        active_ms=4000,
    )
    user = annotator(campaign, name).user
    return submit(collection="teas", campaign=campaign.slug, inputs=[given], by=user, at=more.get("at", LATER)).results[
        0
    ]


def change(campaign: Campaign) -> int:
    """The next version of the guideline; its number."""
    return write_guideline(campaign=campaign, body=f"Be kind. {campaign.guidelines.count()}", by=None, at=LATER).version


def ask(campaign: Campaign, **narrowed: Any) -> Any:
    return request_rejudging(campaign=campaign, by=None, at=LATER, **narrowed)


def counts(campaign: Campaign) -> list[int]:
    """The labels that count, by annotator and item."""
    table = read_labels(campaign)
    return table.values[table.annotators.argsort(kind="stable")].tolist()


def items(campaign: Campaign) -> list[Item]:
    return list(campaign.items.order_by("pk"))


def person(campaign: Campaign, name: str = "ana") -> Rejudged:
    return next(one for one in rejudged_by_person(campaign) if one.annotator == annotator(campaign, name).pk)


# --- what is asked ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("narrowed", "asked"),
    [
        ({}, (4, 8, 2)),
        ({"grades": [1]}, (4, 5, 2)),
        ({"grades": [0, 2], "criterion": "relevance"}, (3, 3, 1)),
        ({"topics": ["1"]}, (2, 4, 2)),
        ({"disagreeing": True}, (3, 6, 2)),
        ({"disagreeing": True, "topics": ["2"], "grades": [2]}, (2, 2, 1)),
        ({"before": 2}, None),
        ({"before": 99}, (4, 8, 2)),
    ],
)
def test_what_a_change_touches_is_what_the_manager_says(narrowed: dict[str, Any], asked: Any) -> None:
    campaign = judged()
    change(campaign)
    if asked is None:  # all was judged by the second version, the first one after it is the third
        with pytest.raises(Refused, match="No judgment by an earlier version"):
            ask(campaign, **narrowed)
        return
    done = ask(campaign, **narrowed)
    assert (done.items, done.judgments, done.people, done.kept) == (*asked, 0)
    assert Assignment.objects.filter(repeat=3, state="pending", slot=None).count() == done.judgments
    assert counts(campaign) == [0, 1, 2, 2, 1, 1, 1, 1], "the former judgments count until then"
    with pytest.raises(Refused, match="No judgment"):
        ask(campaign, **narrowed)  # nobody is asked twice


def test_only_earlier_or_unknown_versions_are_asked_and_only_people_who_can_be(client: Client) -> None:
    campaign = judged()
    first, *_ = items(campaign)
    newest = change(campaign)
    answer(campaign, "ana", first, 0, newest)  # corrected since, by the newest version
    VotesSeen.objects.create(item=items(campaign)[1], user=annotator(campaign, "ana").user, at=AT)  # type: ignore[misc]
    pause_annotator(annotator=annotator(campaign, "ben"), by=None, at=AT)
    done = ask(campaign)
    assert (done.judgments, done.people, done.kept) == (2, 1, 5)
    assert not annotator(campaign, "ben").assignments.filter(repeat=3).exists()


def test_it_is_refused_where_nothing_has_changed_and_to_whom_the_labels_are_hidden() -> None:
    campaign = judged()
    version = campaign.guidelines.first().version
    campaign.guidelines.filter(version__lt=version).delete() if version > 1 else None
    with pytest.raises(Refused):
        ask(campaign)
    change(campaign)
    with pytest.raises(Refused, match="no criterion “beauty”; it has relevance"):
        ask(campaign, criterion="beauty")
    with pytest.raises(Refused, match="no topic 99"):
        ask(campaign, topics=["99"])
    mia = campaign.collection.memberships.get(role="manager").user
    own = Annotator.objects.create(campaign=campaign, name="Mia", user=mia, created_at=AT)
    Assignment.objects.create(item=items(campaign)[0], annotator=own, state="pending", slot=None, position=1)
    with pytest.raises(NotAllowed, match="Finish judging here first"):
        request_rejudging(campaign=campaign, grades=[1], by=mia, at=LATER)
    assert request_rejudging(campaign=campaign, by=mia, at=LATER).judgments == 8
    assert withdraw_rejudging(campaign=campaign, by=mia, at=LATER).judgments == 8


# --- what counts -----------------------------------------------------------------------------------------------------


def test_the_newer_judgment_counts_and_the_former_one_stays_with_its_version() -> None:
    campaign = judged()
    old, newest = campaign.guidelines.first().version, change(campaign)
    ask(campaign)
    first = items(campaign)[0]
    before = newest_submission()
    assert answer(campaign, "ana", first, 2, newest).state == "done"
    assert counts(campaign) == [2, 1, 2, 2, 1, 1, 1, 1]
    assert count_newer(campaign, before) == 1
    assert (person(campaign).pending, person(campaign).again, person(campaign).changed) == (3, 1, 1)
    slots = first.assignments.filter(slot__isnull=False)
    assert set(slots.values_list("repeat", "slot", "state")) == {(0, 1, "done"), (0, 2, "done")}
    options = options_of(EXPORTERS["former-judgments"], campaign.collection, {"campaign": campaign.slug})
    rows = list(csv.DictReader(io.StringIO("".join(EXPORTERS["former-judgments"].lines(options)))))
    assert [(row["annotator"], row["value"], row["guideline"]) for row in rows] == [("Ana", "0", str(old))]
    current = options_of(EXPORTERS["judgments"], campaign.collection, {"campaign": campaign.slug})
    rows = list(csv.DictReader(io.StringIO("".join(EXPORTERS["judgments"].lines(current)))))
    assert len(rows) == 8
    assert (rows[0]["annotator"], rows[0]["value"], rows[0]["guideline"]) == ("Ana", "2", str(newest))
    line = explain(campaign.collection, "1", first.document.docno)["lines"][0]  # type: ignore[union-attr]
    assert sorted((one["value"], one["guideline"]) for one in line["labels"]) == [(1, old), (2, newest)]
    assert [(one["value"], one["guideline"]) for one in line["former_labels"]] == [(0, old)]
    assert rejudged_sentence(campaign) == (
        "1 judgment by 1 person was made again after the guideline changed, 1 with another grade; the newer ones count,"
        " the former ones are in lines.jsonl."
    )


def test_round_after_round_each_former_judgment_is_compared_with_the_next() -> None:
    campaign = judged()
    first = items(campaign)[0]
    for value in (2, 2, 1):
        version = change(campaign)
        ask(campaign, topics=["1"])
        answer(campaign, "ana", first, value, version)
    mine = annotator(campaign, "ana").assignments.filter(item=first)
    values = Judgment.objects.filter(assignment__in=mine).values_list("assignment__repeat", "value")
    assert sorted(values) == [(0, 1), (10, 0), (20, 2), (30, 2)]
    assert (person(campaign).again, person(campaign).changed) == (3, 2)
    answer(campaign, "ana", first, None, kind="undo")
    assert counts(campaign)[0] == 2
    assert sorted(mine.values_list("repeat", "state")) == [(0, "done"), (3, "pending"), (10, "done"), (20, "done")]


@pytest.mark.parametrize("kind", ["undo", "skip"])
@pytest.mark.parametrize("strategy", ["planned", "queue"])
def test_what_is_undone_or_skipped_gives_the_place_back(kind: str, strategy: str) -> None:
    campaign = judged(strategy)
    first = items(campaign)[0]
    if strategy == "queue":
        for slot, name in enumerate(("ana", "ben"), start=1):
            queue = Assignment.objects.filter(item=first, state="open", slot=slot)
            queue.update(annotator=annotator(campaign, name), state="pending", lease_expires_at=LAST)
            answer(campaign, name, first, slot - 1, 1)
    former = Assignment.objects.get(item=first, annotator=annotator(campaign, "ana"), repeat=0)
    newest = change(campaign)
    ask(campaign)
    answer(campaign, "ana", first, 2, newest)
    now = Assignment.objects.get(item=first, annotator=annotator(campaign, "ana"), repeat=0)
    assert (now.slot, now.queue_id, now.position) == (former.slot, former.queue_id, former.position)
    before = newest_submission()
    answer(campaign, "ana", first, None, kind=kind)
    former.refresh_from_db()
    assert (former.repeat, former.state, former.slot, former.queue_id) == (0, "done", now.slot, now.queue_id)
    assert counts(campaign)[0] == 0
    assert count_newer(campaign, before) == 1, "what was made of the newer judgment is out of date"
    assert not Assignment.objects.filter(item=first, state="open").exists()
    answer(campaign, "ana", first, 1, newest, of=Assignment.objects.get(pk=now.pk))
    assert counts(campaign)[0] == 1
    assert Assignment.objects.filter(item=first, slot__isnull=False).count() == 2


def test_who_skips_is_asked_again_only_after_the_next_change() -> None:
    campaign = judged()
    change(campaign)
    ask(campaign, topics=["1"])
    answer(campaign, "ana", items(campaign)[0], None, kind="skip", at=LAST)
    assert (person(campaign).pending, person(campaign).skipped) == (1, 1)
    with pytest.raises(Refused, match="No judgment"):
        ask(campaign, topics=["1"])
    write_guideline(campaign=campaign, body="Be fair.", by=None, at=LAST + timedelta(days=1))
    assert ask(campaign, topics=["1"]).judgments == 1
    assert (person(campaign).pending, person(campaign).skipped) == (2, 0)


def test_hidden_repeats_known_answers_progress_and_pay_after_judging_again() -> None:
    campaign = judged(repeat_percent=50, repeat_gap=1)
    ana = annotator(campaign, "ana")
    for one in ana.assignments.filter(repeat=1, state="pending"):
        answer(campaign, "ana", one.item, 2, 2, of=one)
    again = ana.assignments.filter(repeat=1).order_by("pk")[0]
    known(campaign, again.item, 2)
    Judgment.objects.filter(assignment__annotator=ana, assignment__item=again.item, assignment__repeat=0).update(
        value=0
    )
    set_pay_rate(campaign=campaign, per="item", rate=1, currency="EUR", by=None, at=AT)
    progress = fetch_progress(campaign, LATER)
    n_repeats = len(read_repeats(campaign).items)
    done = own_counts([ana.pk])[ana.pk].done
    newest = change(campaign)
    ask(campaign)
    answer(campaign, "ana", again.item, 2, newest)
    assert len(read_repeats(campaign).items) == n_repeats - 1, "its pair was by the former guideline"
    assert own_counts([ana.pk])[ana.pk].done == done + 1
    assert fetch_progress(campaign, LATER).judgments == progress.judgments
    assert fetch_progress(campaign, LATER).needed == progress.needed
    [result] = [one for one in gold_results(campaign).people if one.annotator == ana]
    assert (result.share.hits, result.share.n) == (1, 1)
    counted(campaign)
    [line] = [line for line in current_sheet(campaign).lines if line.annotator == ana]
    assert line.judged == done + 1, "both judgments were work"
    answer(campaign, "ana", again.item, None, kind="undo")
    assert len(read_repeats(campaign).items) == n_repeats


def test_stopping_keeps_what_was_judged_again_and_a_late_answer_counts() -> None:
    campaign = judged()
    newest = change(campaign)
    ask(campaign)
    first, second, *_ = items(campaign)
    answer(campaign, "ana", first, 2, newest)
    late = annotator(campaign, "ana").assignments.get(item=second, repeat=3)
    assert withdraw_rejudging(campaign=campaign, by=None, at=LATER).judgments == 7
    with pytest.raises(Refused, match="Nobody is judging anything again"):
        withdraw_rejudging(campaign=campaign, by=None, at=LATER)
    assert counts(campaign)[:2] == [2, 1]
    assert answer(campaign, "ana", second, 0, newest, of=late).outcome == "counted"
    assert counts(campaign)[:2] == [2, 0]
    assert ask(campaign).judgments == 6


def test_who_leaves_is_asked_no_more_and_labels_left_out_take_former_ones_with_them() -> None:
    campaign = judged()
    newest = change(campaign)
    ask(campaign)
    answer(campaign, "ana", items(campaign)[0], 2, newest)
    ana = annotator(campaign, "ana")
    remove_annotator(annotator=ana, by=None, at=LATER)
    assert not ana.assignments.filter(state="pending").exists()
    assert counts(campaign)[0] == 2
    assert leave_out_labels(Annotator.objects.filter(pk=ana.pk), LATER) == 5
    assert not Judgment.objects.filter(assignment__annotator=ana).exists()
    assert [one.again for one in rejudged_by_person(campaign)] == [0]
