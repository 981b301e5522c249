"""Judge first (ADR 11): no answer to somebody who still has to judge depends on what others said, one by one or whole.

Two worlds differ in labels and in all that was computed from them: figures of agreement, counts of votes, verdicts,
the table of an Anno-GPT test. A manager who judges as well asks every address in both, and the answers must be equal.
"""

from typing import Any

import pytest

from adjudication.models import AgreementResult, AgreementRun, Method, Verdict, VoteRun
from annotation.models import (
    AnnoCycle,
    Annotator,
    AnnotatorKind,
    Assignment,
    AssignmentState,
    Campaign,
    Item,
    Judgment,
    MachineSource,
    Outcome,
    Submission,
    SubmissionKind,
)
from corpus.models import Document
from tests.access_walk import path_of
from tests.access_world import World, make_world
from tests.factories.accounts import AT
from tests.test_sealed_labels_are_unseen import LINES, answers_given

pytestmark = pytest.mark.django_db

FIGURES = ("accuracy", "cohen_kappa", "alpha_ordinal", "macro_f1")


@pytest.fixture
def world() -> World:
    """In the main round and in the development set of a cycle that is decided, two people and a machine have judged an
    item; the manager has another one left in each."""
    world = make_world()
    left = Document.objects.create(collection=world.collection, docno="D2", title="On coffee")
    for campaign in (world.campaign, world.cycle.dev):
        item = Item.objects.get_or_create(
            campaign=campaign, split=campaign.split, topic=world.topic, aspect=world.aspect, document=world.document
        )[0]
        other = Item.objects.create(
            campaign=campaign, split=campaign.split, topic=world.topic, aspect=world.aspect, document=left
        )
        manager = Annotator.objects.create(campaign=campaign, name="manager", user=world.user("manager"), created_at=AT)
        Assignment.objects.create(item=other, annotator=manager, state=AssignmentState.PENDING, slot=1)
        for name, kind in (("one", AnnotatorKind.HUMAN), ("two", AnnotatorKind.HUMAN), ("bot", AnnotatorKind.MACHINE)):
            annotator = Annotator.objects.create(
                campaign=campaign, name=name, kind=kind, model=name * (kind == "machine"), created_at=AT
            )
            Assignment.objects.create(item=item, annotator=annotator, state=AssignmentState.DONE, finished_at=AT)
    for line in LINES:
        path_of(line, world)  # what it makes first is of both worlds
    return world


def tell_apart(world: World, value: int) -> None:
    """What the second person says, and every figure and verdict that stands on it."""
    for campaign in (world.campaign, world.cycle.dev):
        _label(campaign, value)
        _compute(campaign, value)
    _decide(world.cycle, value)


def _label(campaign: Campaign, value: int) -> None:
    given = {"one": 0, "two": value, "bot": 2 - value}
    for place, (name, said) in enumerate(given.items()):
        assignment = Assignment.objects.get(annotator__campaign=campaign, annotator__name=name)
        pk = 900_000 + 10 * campaign.pk + place
        submission = Submission.objects.create(
            pk=pk,
            uuid=f"00000000-0000-4000-8000-{pk:012d}",
            assignment=assignment,
            kind=SubmissionKind.ANSWER,
            answers={"relevance": said},
            received_at=AT,
        )
        Judgment.objects.create(
            pk=pk, assignment=assignment, criterion=campaign.criteria.get(), value=said, submission=submission
        )


def _compute(campaign: Campaign, value: int) -> None:
    """A finished run with its figures and tables, and a finished count of votes, both of other numbers."""
    ids = dict(campaign.annotators.values_list("name", "pk"))
    columns = [
        {"id": ids[name], "name": name, "kind": kind, "model": model, "run": 1, "n_items": 1}
        for name, kind, model in (("one", "human", ""), ("two", "human", ""), ("bot", "machine", "bot"))
    ]
    run = AgreementRun.objects.filter(campaign=campaign).first() or AgreementRun(campaign=campaign, requested_at=AT)
    run.state, run.started_at, run.finished_at, run.seconds, run.seed = "done", AT, AT, 1.0, 1
    run.detail = {"relevance": _detail(columns, value)}
    run.save()
    AgreementResult.objects.bulk_create([_result(run, name, scope, value) for name in FIGURES for scope in SCOPES])
    votes = VoteRun.objects.filter(campaign=campaign).first() or VoteRun(campaign=campaign, requested_at=AT)
    votes.state, votes.started_at, votes.finished_at = "done", AT, AT
    votes.counts = {"unanimous": 10 + value, "majority": 3, "tie_resolved": 2, "by_hand": 0, "unresolved": 7 - value}
    votes.save()
    Verdict.objects.update_or_create(
        item=campaign.items.get(document__docno="D1"),
        criterion=campaign.criteria.get(),
        defaults={
            "method": Method.UNANIMOUS if value else Method.UNRESOLVED,
            "value": value or None,
            "vote_run": votes,
            "n_votes": 2,
        },
    )


SCOPES = (("pair", None), ("mean", None), ("block", "HH"), ("block", "GH"))


def _result(run: AgreementRun, name: str, scope: tuple[str, str | None], value: int) -> AgreementResult:
    named = ["one", "two"] if scope[1] != "GH" else ["bot", "one", "two"]
    return AgreementResult(
        run=run,
        criterion="relevance",
        statistic=name,
        scope=scope[0],
        block=scope[1] or "",
        annotators=named,
        model="bot" if scope[1] == "GH" else "",
        value=0.125 + value / 4,
        n_items=20,
        n_pairs=1,
    )


def _detail(columns: list[dict[str, Any]], value: int) -> dict[str, Any]:
    counts = [[value, 0, 0], [0, 1, 0], [0, 0, 1]]
    topic = {"topic": 1, "number": "1", "n_items": 20, "values": {"accuracy": value / 4}, "reasons": {}}
    return {
        "scale": [[0, "no"], [1, "some"], [2, "yes"]],
        "annotators": columns,
        "voters": [columns[0]["id"], columns[1]["id"]],
        "tables": [{"pair": [0, 1], "counts": counts, "agreement": [None, 1.0, 1.0]}],
        "repeats": [],
        "topics": [topic],
        "comparisons": [],
        "n_items": 20,
        "n_topics": 1,
        "unit": "item",
        "resamples": 1000,
        "level": 0.95,
    }


def _decide(cycle: AnnoCycle, value: int) -> None:
    """The cycle has ended with a table; its machine annotates the main round although its test was not passed."""
    row = {"label": "Accuracy", "people": f"{60 + value}.0%", "machine": "51.0%", "outcome": "no equivalence"}
    AnnoCycle.objects.filter(pk=cycle.pk).update(
        test=Campaign.objects.get(collection=cycle.collection, slug="main"),
        test_chosen_at=AT,
        frozen_at=AT,
        frozen_hash="ab" * 32,
        frozen_name="bot",
        frozen_source=MachineSource.IMPORTED,
        outcome=Outcome.ANNOTATE,
        is_override=True,
        reason="There is no time.",
        decided_at=AT,
        test_passed=False,
        evidence=[{**row, "difference": f"{9 + value}.0", "low": "", "high": "", "p": "", "p_holm": "", "verdict": ""}],
    )


# What shows figures of the whole answers 403; the overview says why they are missing.
WHOLE = {
    *("agreement_detail", "agreement_report", "agreement_table", "agreement_figure", "agreement_download"),
    *("sample_size", "api_agreement", "api_votes", "cycle_detail", "api_cycle"),
}


@pytest.mark.slow
def test_no_answer_to_a_judge_depends_on_what_others_said(world: World) -> None:
    first, second = (answers_given(world, value, tell_apart) for value in (0, 2))
    assert len(first) > 150
    assert [place for place, text in first.items() if second[place] != text] == []
    shown = {place[0]: text[:3] for place, text in first.items() if place[0] in WHOLE and "/contexts/" not in place[2]}
    assert shown == dict.fromkeys(WHOLE, "403")
    overview = next(text for place, text in first.items() if place[0] == "collection_dashboard")
    assert overview.startswith("200")
    assert overview.count("You still have items to judge in Dev, Main round") == 2  # of each campaign
