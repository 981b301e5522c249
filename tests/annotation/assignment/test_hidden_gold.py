"""Hidden gold: items with a known answer, mixed in, dealt, answered and given back like any other, counted apart."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.refusals import Refused
from adjudication.labels.labels import counted_judgments, read_labels, read_repeats, repeated_judgments
from annotation.assignment.annotators import remove_annotator
from annotation.campaigns.lifecycle import open_campaign
from annotation.campaigns.progress import fetch_progress
from annotation.gold.results import gold_results
from annotation.labelling.answers import AnswerInput
from annotation.labelling.submissions import submit
from annotation.models import Asked, Assignment, Campaign
from tests.annotation.assignment.test_assignments import assign, confirmed, previewed
from tests.annotation.gold.known_worlds import items_of, known
from tests.factories.annotation import AT, Material, annotator, give_labels, make_campaign, make_material, skip_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Material:
    return make_material()


def gold_campaign(made: Material, step: int = 2, **fields: Any) -> Campaign:
    """Every `step`-th item has a known answer."""
    campaign = make_campaign(made, **fields)
    for item in items_of(campaign)[::step]:
        known(campaign, item, 1)
    return campaign


def checks_of(campaign: Campaign) -> Any:
    return Assignment.objects.filter(item__campaign=campaign, repeat=Asked.CHECK)


# --- plans -----------------------------------------------------------------------------------------------------------


def test_a_share_is_mixed_in_apart_and_within_the_run_of_its_aspect_as_previewed(made: Material) -> None:
    campaign = gold_campaign(made, overlap=1)
    preview = previewed(campaign, gold_percent=25, gold_gap=2)
    assert preview.summary["gold"] == {"Ana": 2, "Ben": 2, "Cai": 2}
    assert (preview.summary["judgments"], preview.summary["loads"]["Ana"]) == (24, 8), "checks are no judges"
    assert not Assignment.objects.exists()
    assert confirmed(preview).summary == preview.summary
    assert set(checks_of(campaign).values_list("slot", "state")) == {(None, "pending")}
    for one in campaign.annotators.all():
        order = list(one.assignments.order_by("position").values_list("item", "repeat", "item__aspect", "position"))
        assert [place for *_, place in order] == list(range(1, 11))
        assert len({item for item, *_ in order}) == 10, "nobody is asked the same twice"
        at = [place for place, (_, asked, *_) in enumerate(order) if asked]
        assert at[1] - at[0] > 2
        aspects = {aspect for _, asked, aspect, _ in order if not asked}
        for place in at:
            if order[place][2] in aspects:
                near = {order[at][2] for at in (place - 1, place + 1) if 0 <= at < len(order)}
                assert order[place][2] in near


def test_ids_and_what_is_dealt_are_like_those_of_any_item(made: Material, client: Client) -> None:
    campaign = gold_campaign(made, overlap=1)
    assign(campaign, gold_percent=50, gold_gap=1, repeat_percent=25, repeat_gap=2)
    open_campaign(campaign=campaign, by=None, at=AT)
    ana = annotator(campaign, "ana")
    ids = ana.assignments.values_list("pk", flat=True)
    assert max(ids.filter(repeat=0)) > min(ids.filter(repeat=2))
    assert min(ids.filter(repeat=0)) < max(ids.filter(repeat=2))
    client.force_login(ana.user)  # type: ignore[arg-type]
    dealt = client.get(reverse("api_next", args=["teas", campaign.slug])).json()["units"]
    assert len(dealt) == ana.assignments.count() > 8
    assert len({frozenset(unit) for unit in dealt}) == len({frozenset(unit["cells"][0]) for unit in dealt}) == 1


def test_by_document_a_check_is_a_whole_abstract(made: Material) -> None:
    campaign = gold_campaign(made, step=5, overlap=1, order="by-document")
    assign(campaign, gold_percent=50, gold_gap=1)
    checks = checks_of(campaign)
    units = set(checks.values_list("annotator", "item__topic", "item__document"))
    assert units
    for judge, topic, document in units:
        unit = checks.filter(annotator=judge, item__topic=topic, item__document=document).order_by("position")
        places = list(unit.values_list("position", flat=True))
        assert len(places) == 2 == places[-1] - places[0] + 1


def test_without_known_answers_it_is_refused_and_said_why(made: Material) -> None:
    for strategy in ("planned", "queue"):
        with pytest.raises(Refused, match="no known answers"):
            assign(make_campaign(made, name=strategy), strategy=strategy, gold_percent=10)
    with pytest.raises(Refused, match="share of hidden gold"):
        assign(make_campaign(made, name="Wrong"), gold_percent=51)


def test_who_has_an_item_as_a_check_never_gets_it_as_a_judge() -> None:
    made = make_material(slug="many", annotators=("ana", "ben", "cai", "dee", "eli"))
    campaign = gold_campaign(made, step=4, overlap=1)
    assign(campaign, gold_percent=20, gold_gap=1)
    checks = set(checks_of(campaign).values_list("annotator", "item"))
    assert checks
    assign(campaign, overlap=2)
    judges = set(Assignment.objects.filter(repeat=0).values_list("annotator", "item"))
    assert not judges & checks


# --- the open queue --------------------------------------------------------------------------------------------------


def queue_campaign(made: Material, **fields: Any) -> Campaign:
    campaign = gold_campaign(made, strategy="queue", overlap=1, **fields)
    assign(campaign, gold_percent=50, gold_gap=1)
    open_campaign(campaign=campaign, by=None, at=AT)
    return campaign


def deal(campaign: Campaign, name: str) -> list[Assignment]:
    """Everything that is dealt to the person until nothing comes, each answered."""
    client, judge = Client(), annotator(campaign, name)
    client.force_login(judge.user)  # type: ignore[arg-type]
    found: list[Assignment] = []
    while units := client.get(reverse("api_next", args=["teas", campaign.slug])).json()["units"]:
        for cell in units[0]["cells"]:
            found.append(Assignment.objects.get(pk=cell["assignment"]))
            sent = AnswerInput(uuid=uuid4(), assignment=cell["assignment"], answers={"relevance": 1})
            submit(collection="teas", campaign=campaign.slug, inputs=[sent], by=judge.user, at=AT)  # type: ignore[arg-type]
        if len(found) > 60:
            break
    return found


def test_in_a_queue_checks_come_after_the_item_has_its_judge(made: Material) -> None:
    campaign = queue_campaign(made)
    rows = Assignment.objects.filter(queue=campaign)
    assert rows.filter(repeat=0).count() == 24
    assert 8 <= rows.filter(repeat=2).count() <= 12
    for check in rows.filter(repeat=2):
        assert check.position > rows.get(item=check.item_id, repeat=0).position
    ids = rows.values_list("pk", flat=True)
    assert min(ids.filter(repeat=2)) < max(ids.filter(repeat=0)), "ids give nothing away"
    first = deal(campaign, "ana")
    assert [one.repeat for one in first] == [0] * 24, "who judges everything needs no check"
    later = deal(campaign, "ben")
    assert {one.repeat for one in later} == {2}
    assert len({one.item_id for one in later}) == len(later)
    progress = fetch_progress(campaign, AT)
    assert (progress.judgments, progress.left, progress.unassigned) == (24, 0, 0)


def test_a_check_that_is_given_back_is_free_for_others_and_comes_back_as_a_check(made: Material) -> None:
    campaign = queue_campaign(made)
    deal(campaign, "ana")
    ben = annotator(campaign, "ben")
    client = Client()
    client.force_login(ben.user)  # type: ignore[arg-type]
    free = Assignment.objects.filter(queue=campaign, state="open", repeat=2)
    many = free.count()
    client.get(reverse("api_next", args=["teas", campaign.slug]))
    assert free.count() < many
    held = ben.assignments.filter(state="pending")
    skipped = skip_item(ben, "not my field")
    again = ben.assignments.get(item=skipped)
    newest = again.submissions.get()
    sent = AnswerInput(uuid=uuid4(), assignment=again.pk, base=newest.uuid, answers={"relevance": 1})
    answer = submit(collection="teas", campaign=campaign.slug, inputs=[sent], by=ben.user, at=AT)  # type: ignore[arg-type]
    assert answer.results[0].outcome == "counted"  # type: ignore[union-attr]
    again.refresh_from_db()
    assert (again.state, again.repeat, again.slot) == ("done", 2, None)
    assert held.exists()
    remove_annotator(annotator=ben, by=None, at=AT)
    assert not held.exists()
    assert free.count() == many - 1
    assert not checks_of(campaign).filter(slot__isnull=False).exists()


def test_by_document_a_queue_keeps_checks_and_judging_apart(made: Material) -> None:
    campaign = queue_campaign(made, order="by-document")
    deal(campaign, "ana")
    later = deal(campaign, "ben")
    assert {one.repeat for one in later} == {2}
    assert len(later) % 2 == 0


# --- answered and counted --------------------------------------------------------------------------------------------


def test_answers_to_checks_count_as_known_and_nowhere_else(made: Material) -> None:
    campaign = gold_campaign(made, overlap=1)
    assign(campaign, gold_percent=50, gold_gap=1, repeat_percent=25, repeat_gap=2)
    open_campaign(campaign=campaign, by=None, at=AT)
    ana = annotator(campaign, "ana")
    give_labels(ana, [1] * ana.assignments.count())
    done = {asked: ana.assignments.filter(state="done", repeat=asked).count() for asked in (0, 1, 2)}
    assert all(done.values())
    assert (read_labels(campaign).n_labels, read_repeats(campaign).n_labels) == (done[0], done[1])
    assert counted_judgments(campaign).count() == done[0]
    assert repeated_judgments(campaign).count() == done[0] + done[1]
    assert fetch_progress(campaign, AT).judgments == done[0]
    result = gold_results(campaign).people[0]
    gold = {item.pk for item in items_of(campaign)[::2]}
    votes = ana.assignments.filter(repeat=0, item__in=gold).count()
    assert (result.share.hits, result.share.n) == (done[2] + votes, done[2] + votes)
    listed = client_of(made.manager).get(reverse("api_judgments", args=["teas", campaign.slug])).json()["results"]
    assert len(listed) == done[0] + done[1]


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("asked", [Asked.AGAIN, Asked.CHECK])
def test_what_was_skipped_can_be_answered_after_all_like_any_item(made: Material, asked: Asked) -> None:
    """A repeat or a check without a slot must not say “too late”: an item of one's own would not."""
    campaign = gold_campaign(made, overlap=1)
    assign(campaign, gold_percent=50, gold_gap=1, repeat_percent=25, repeat_gap=2)
    open_campaign(campaign=campaign, by=None, at=AT)
    ana = annotator(campaign, "ana")
    one = ana.assignments.filter(repeat=asked)[0]
    ana.assignments.filter(pk=one.pk).update(position=0)
    skip_item(ana, "not my field")
    newest = one.submissions.get()
    sent = AnswerInput(uuid=uuid4(), assignment=one.pk, base=newest.uuid, answers={"relevance": 1})
    answer = submit(collection="teas", campaign=campaign.slug, inputs=[sent], by=ana.user, at=AT)  # type: ignore[arg-type]
    one.refresh_from_db()
    assert (answer.results[0].outcome, one.state, one.slot) == ("counted", "done", None)  # type: ignore[union-attr]
