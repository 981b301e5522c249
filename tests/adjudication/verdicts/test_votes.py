"""The majority vote as a job: policies, hand over vote, late votes, running again."""

import json

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.actions import cancel_job
from accounts.models import JobState
from accounts.refusals import Conflict, Refused
from adjudication.agreement.method import verdict_sentence, weights_text
from adjudication.agreement.requests import request_vote
from adjudication.models import AgreementRun, Method, Verdict, VoteRun
from adjudication.verdicts.decisions import decide_verdict, withdraw_decision
from adjudication.verdicts.votes import share_equal
from annotation.models import Criterion, Judgment, Level
from tests.factories.adjudication import AT, Built, build_campaign
from tests.factories.rubrics import build_rubric, rate

pytestmark = pytest.mark.django_db

LABELS = [[0, 0, 0], [1, 1, 2], [0, 1, 2], [2, 1, None], [2, None, None], [None, None, None]]


def vote(built: Built, **options: object) -> VoteRun:
    run = request_vote(campaign=built.campaign, by=None, at=timezone.now(), send=False, **options)  # type: ignore[arg-type]
    jobs.carry_out(run)
    run.refresh_from_db()
    assert run.state == JobState.DONE, run.reason
    return run


def verdicts(built: Built) -> list[tuple[int | None, str]]:
    rows = Verdict.objects.filter(item__campaign=built.campaign).order_by("item_id")
    return list(rows.values_list("value", "method"))


def test_majority_leaves_ties_and_too_few_votes_open() -> None:
    built = build_campaign(LABELS, overlap=2)
    run = vote(built)
    assert verdicts(built) == [
        (0, "unanimous"),
        (1, "majority"),
        (None, "unresolved"),
        (None, "unresolved"),
        (None, "unresolved"),
    ]
    assert run.counts == {
        "unanimous": 1,
        "single": 0,
        "majority": 1,
        "tie_resolved": 0,
        "by_hand": 0,
        "unresolved": 3,
        "excluded": 0,
        "reopened": 0,
    }


@pytest.mark.parametrize(
    ("ties", "expected"), [("median", [1, 1]), ("lowest", [0, 1]), ("highest", [2, 2]), ("exclude", [None, None])]
)
def test_policies_for_ties(ties: str, expected: list[int | None], client: Client) -> None:
    built = build_campaign(LABELS, overlap=2)
    run = vote(built, ties=ties)
    assert [value for value, _ in verdicts(built)] == [0, 1, *expected, None]
    assert run.counts["tie_resolved"] == (0 if ties == "exclude" else 2)
    assert run.counts["excluded"] == (2 if ties == "exclude" else 0)
    tied = "left out by the rule for ties" if ties == "exclude" else "by the rule for ties"
    assert run.outcomes == f"1 unanimous, 1 by majority, 2 {tied}, 1 undecided"
    client.force_login(built.people["adjudicator"])
    page = client.get("/c/tea/campaigns/main/adjudication/").text
    assert f"{run.outcomes} when the votes were counted" in page
    assert f"when counted {run.outcomes}." in verdict_sentence(
        AgreementRun(campaign=built.campaign, finished_at=timezone.now()), "relevance"
    )
    assert run.counts["unresolved"] == 1
    assert sum(run.counts.values()) == 5, "each item with a label counts once"


def test_a_table_says_what_was_decided_by_hand_since_the_count() -> None:
    built = build_campaign(LABELS, overlap=2)
    run = vote(built)
    before, by = timezone.now(), built.people["adjudicator"]
    tie = Verdict.objects.filter(method="unresolved", n_votes=3).get()
    decide_verdict(verdict=tie, value=1, by=by, at=AT)
    for at, since in ((before, ""), (timezone.now(), "; since then 1 decided by an adjudicator")):
        figures = AgreementRun(campaign=built.campaign, finished_at=at)
        assert f"when counted {run.outcomes}{since}. Who voted" in verdict_sentence(figures, "relevance")


def test_a_count_is_said_of_the_criterion_that_is_shown(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two questions the specificity is tied on one, the quality on none."""
    rubric = build_rubric(people=("ana", "ben"), overlap=2)
    for person, specificity in (("ana", 0), ("ben", 1)):
        rate(rubric, person, "q1", 1, 2)
        rate(rubric, person, "q2", specificity, 1)
    slugs = ("signs", rubric.campaign.slug)
    call_command("adjudicate", *slugs, "--policy", "majority", "--min-votes", "2")
    printed = capsys.readouterr().err
    of_specificity = "1 unanimous, 1 undecided"
    assert f"at least 2 votes an item:\n  specificity: {of_specificity}\n  quality: 2 unanimous" in printed
    run = VoteRun.objects.get()
    assert run.outcomes == "3 unanimous, 1 undecided"
    client.force_login(rubric.people["ada"])
    page = reverse("adjudication_screen", args=slugs)
    assert f"<bdi>Specificity</bdi>: {of_specificity} when the votes" in " ".join(
        client.get(page, {"criterion": "specificity"}).text.split()
    )
    assert "2 unanimous when the votes" in " ".join(client.get(page, {"criterion": "quality"}).text.split())
    for opinions in run.detail.values():
        del opinions["counts"]  # as counts before these were noted
    run.save()
    assert "1 undecided, over all criteria when the votes" in " ".join(client.get(page).text.split())


def test_a_single_label_is_no_unanimous_vote() -> None:
    built = build_campaign(LABELS, overlap=2)
    run = vote(built, min_votes=1)
    assert run.outcomes == "1 unanimous, 1 by a single label, 1 by majority, 2 undecided"
    assert verdicts(built)[-1] == (2, "single")
    assert (run.counts["single"], run.counts["unanimous"]) == (1, 1)
    assert sum(run.counts.values()) == 5
    with pytest.raises(IntegrityError, match="verdict_unanimous_has_two_votes"), transaction.atomic():
        Verdict.objects.filter(method="single").update(method="unanimous")


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_without_a_number_an_item_needs_as_many_votes_as_the_overlap(overlap: int) -> None:
    built = build_campaign([[1, 1, 1], [1, 1, None], [1, None, None]], overlap=overlap)
    built.items[1].extra_overlap = 1  # more places for a sample change nothing
    built.items[1].save()
    run = vote(built)
    assert run.min_votes == overlap
    assert [value for value, _ in verdicts(built)] == [1 if given >= overlap else None for given in (3, 2, 1)]


def test_a_machine_alone_has_judged_each_item_once_so_one_vote_is_enough_whatever_the_overlap_of_people() -> None:
    built = build_campaign([[1, 1, 0], [None, None, 2]], people=("ana", "ben"), machines=[("gpt", "gpt", 1)], overlap=2)
    run = vote(built, voters="machines")
    assert (run.min_votes, verdicts(built)) == (1, [(0, "single"), (2, "single")])
    run = vote(built, voters="all")
    assert (run.min_votes, verdicts(built)) == (2, [(1, "majority"), (None, "unresolved")])


def test_weights_break_a_tie() -> None:
    built = build_campaign([[2, 0, None]], overlap=2)
    built.campaign.annotators.filter(name="ana").update(weight=2.0)
    vote(built)
    assert verdicts(built) == [(None, "unresolved")]
    vote(built, weighted=True)
    assert verdicts(built) == [(2, "majority")]


@pytest.mark.slow
def test_weights_are_those_the_count_was_made_with() -> None:
    built = build_campaign([[2, 0, None], [1, 1, 0]], overlap=2)
    judge, ana = built.people["adjudicator"], built.annotators["ana"]
    built.campaign.annotators.filter(pk=ana.pk).update(weight=2.0)
    run = vote(built, weighted=True)
    assert run.parameters["weights"][str(ana.pk)] == 2.0
    assert weights_text(run) == ", weighted by annotator (ana 2; the others 1)"
    built.campaign.annotators.filter(pk=ana.pk).update(weight=0.5)
    tied = Verdict.objects.get(item=built.items[0])
    decide_verdict(verdict=tied, value=0, by=judge, at=timezone.now())
    assert withdraw_decision(verdict=tied, by=judge, at=timezone.now()).value == 2, "as when it was counted"

    newer = vote(built, weighted=True)
    assert verdicts(built) == [(0, "majority"), (1, "majority")]
    assert set(Verdict.objects.values_list("vote_run", flat=True)) == {newer.pk}, "other weights are other rules"
    vote(built, weighted=True)
    assert set(Verdict.objects.values_list("vote_run", flat=True)) == {newer.pk}, "the same weights are the same"


def test_machines_have_no_vote_unless_asked() -> None:
    built = build_campaign([[0, 0, 2, 2, 2]], machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    vote(built)
    verdict = Verdict.objects.get()
    assert (verdict.value, verdict.machine_differs, verdict.n_votes) == (0, True, 3)
    vote(built, voters="all")
    verdict.refresh_from_db()
    assert (verdict.value, verdict.n_votes) == (2, 5)
    vote(built, voters="machines", min_votes=2)
    verdict.refresh_from_db()
    assert (verdict.value, verdict.method, verdict.machine_differs) == (2, "unanimous", False)


def test_votes_are_stored_by_annotator() -> None:
    built = build_campaign([[1, 1, 2]])
    run = vote(built)
    verdict = Verdict.objects.get()
    ids = [built.annotators[name].pk for name in ("ana", "ben", "cai")]
    assert verdict.votes == [[ids[0], 1], [ids[1], 1], [ids[2], 2]]
    assert verdict.agreement == pytest.approx(1 / 3)
    assert verdict.vote_run == run


def test_running_again_changes_nothing() -> None:
    built = build_campaign(LABELS, overlap=2)
    first = vote(built)
    before = list(Verdict.objects.order_by("pk").values())
    second = vote(built)
    assert list(Verdict.objects.order_by("pk").values()) == before
    assert second.counts == first.counts
    assert second.inputs_hash == first.inputs_hash


def test_new_labels_update_votes() -> None:
    built = build_campaign([[2, 1, None]], overlap=2)
    vote(built)
    built.label(built.items[0], "cai", 1)
    vote(built)
    assert verdicts(built) == [(1, "majority")]


def test_labels_taken_back_take_the_vote_with_them() -> None:
    built = build_campaign([[2, 2, 2], [1, 1, 1]])
    vote(built)
    Judgment.objects.filter(assignment__item=built.items[0]).delete()
    vote(built)
    assert Verdict.objects.get().item == built.items[1]


def test_refusals() -> None:
    built = build_campaign([])
    with pytest.raises(Refused, match="no judgments"):
        request_vote(campaign=built.campaign, by=None, at=AT, send=False)
    built = build_campaign([[1, 1, 1]], slug="other")
    with pytest.raises(Refused, match="policy"):
        request_vote(campaign=built.campaign, by=None, at=AT, ties="coin", send=False)
    with pytest.raises(Refused, match="No machine has judged"):  # it would reopen whatever was accepted
        request_vote(campaign=built.campaign, by=None, at=AT, voters="machines", send=False)
    with pytest.raises(Refused, match="from 1 to 100"):
        request_vote(campaign=built.campaign, by=None, at=AT, min_votes=0, send=False)


def test_one_job_at_a_time_and_cancelling() -> None:
    built = build_campaign([[1, 1, 1]])
    run = request_vote(campaign=built.campaign, by=built.people["manager"], at=AT)
    with pytest.raises(Conflict, match="already"):
        request_vote(campaign=built.campaign, by=built.people["manager"], at=AT)
    cancel_job(job=run, by=built.people["adjudicator"], at=AT)
    assert run.state == JobState.CANCELLED
    jobs.carry_out(run)
    assert not Verdict.objects.exists()
    with pytest.raises(Conflict, match="already ended"):
        cancel_job(job=run, by=built.people["adjudicator"], at=AT)


@pytest.mark.slow
def test_each_door_says_how_many_items_have_too_few_votes_and_what_helps(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """Labels that were brought in, of fewer people than the overlap; a second criterion makes them no more items."""
    built = build_campaign([[2, 2, 2], [1, 1, None], [0, None, None]])
    client.force_login(built.people["manager"])
    other = Criterion.objects.create(campaign=built.campaign, key="clear", label="Clear", position=1)
    Level.objects.bulk_create([Level(criterion=other, value=value, label=str(value)) for value in range(3)])
    for one in list(Judgment.objects.all()):
        Judgment.objects.create(assignment=one.assignment, criterion=other, value=one.value, submission=one.submission)
    usual = "Left empty: 3, the overlap of the campaign, or 1 where machines vote alone."
    assert usual in client.get("/c/tea/campaigns/main/adjudication/").text
    said = "2 items have fewer than 3 votes and stay undecided. Collect more judgments, or count with fewer votes"
    call_command("adjudicate", "tea", "main", "--json")
    printed = capsys.readouterr()
    assert "Majority vote, at least 3 votes an item:\n  relevance: 1 unanimous, 2 undecided\n" in printed.err
    assert f"{said} (manage.py adjudicate tea main --min-votes 2)." in printed.err
    assert json.loads(printed.out)["too_few_votes"] == 2
    page = client.get("/c/tea/campaigns/main/adjudication/").text
    assert f"{said} (under “Rules of the vote”, set “Fewest votes” to 2)." in page
    assert "No tie is open, but 2 items have too few votes (see above) and no value." in page
    assert "export the collection" not in page, "it would be refused"
    assert usual in page
    (row,) = client.get("/api/collections/tea/campaigns/main/votes/").json()["results"]
    assert row["too_few_votes"] == 2
    assert row["advice"] == f"{said} (POST /api/collections/tea/campaigns/main/votes/ with min_votes 2)."

    call_command("adjudicate", "tea", "main", "--min-votes", "2")
    assert "1 item has fewer than 2 votes and stays undecided." in (printed := capsys.readouterr().err)
    assert "--min-votes 1)." in printed
    call_command("adjudicate", "tea", "main", "--min-votes", "1")
    printed = capsys.readouterr().err
    assert "Majority vote, at least 1 vote an item:\n" in printed
    assert "fewer than" not in printed
    assert "fewer than" not in client.get("/c/tea/campaigns/main/adjudication/").text
    rows = client.get("/api/collections/tea/campaigns/main/votes/").json()["results"]
    found = sorted(rows, key=lambda each: int(each["id"]), reverse=True)
    assert [(each["too_few_votes"], each["advice"]) for each in found] == [(0, ""), (None, ""), (None, "")]


def test_pages_say_what_single_labels_cannot_say(client: Client) -> None:
    built = build_campaign([[1, None], [None, 2]], people=("ana", "ben"), overlap=1)
    client.force_login(built.people["adjudicator"])
    accept = "/c/tea/campaigns/main/adjudication/acceptance/"
    assert "The votes have not been counted yet." in client.get(accept).text
    assert vote(built).detail["relevance"]["dawid_skene"] == {}
    assert "No vote of this kind is left to review." in client.get(accept).text, "none is unanimous"
    report = client.get("/c/tea/campaigns/main/agreement/report/").text
    assert "No item has two votes, so the model of Dawid and Skene (1979)" in report
    assert "has another value for" not in report
    assert "Every item whose votes differ is decided." in client.get("/c/tea/campaigns/main/disagreements/").text
    Verdict.objects.update(n_votes=0, method=Method.UNRESOLVED, value=None)
    unjudged = client.get("/c/tea/campaigns/main/disagreements/").text
    assert "Nobody has judged yet" in unjudged
    assert "is decided." not in unjudged


OUTCOMES = ("unanimous", "single", "majority", "tie_resolved", "excluded", "by_hand", "unresolved")


def test_command_prints_the_counts(capsys: pytest.CaptureFixture[str]) -> None:
    build_campaign(LABELS, overlap=2)
    call_command("adjudicate", "tea", "main", "--policy", "majority", "--ties", "median", "--json")
    printed = capsys.readouterr()
    counts = json.loads(printed.out)
    assert {name: counts[name] for name in OUTCOMES} == dict(zip(OUTCOMES, (1, 0, 1, 2, 0, 0, 1), strict=True))
    assert "2 by the rule for ties" in printed.err
    policies = {one["policy"]: one for one in counts["criteria"]["relevance"]["sensitivity"]}
    assert (policies["median"]["changed"], policies["adjudicate"]["lost"]) == (0, 2)
    assert policies["weighted"]["lost"] == 2, "weights are a policy that is always compared"
    assert "differs" in counts["criteria"]["relevance"]["dawid_skene"]


def test_share_equal() -> None:
    import numpy as np

    assert share_equal(np.array([], dtype=np.int64)) == 1
    assert share_equal(np.array([1])) == 1
    assert share_equal(np.array([1, 2])) == 0
    assert share_equal(np.array([1, 1, 2])) == pytest.approx(1 / 3)
