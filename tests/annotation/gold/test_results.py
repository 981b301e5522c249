"""Results on what is known, against a count by hand over every stored answer."""

import json
import random
from collections import Counter
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.digests import Notice, lines_for
from annotation.assignment.annotators import add_members
from annotation.gold.api import GoldResultsSerializer
from annotation.gold.results import gold_results, practice_sentences
from annotation.labelling.answers import AnswerInput
from annotation.labelling.submissions import submit
from annotation.models import Assignment, Campaign, KnownAnswer
from tests.annotation.assignment.test_assignments import start
from tests.annotation.gold.known_worlds import items_of, known, make_practice
from tests.factories.annotation import AT, Material, annotator, give_labels, make_campaign, make_material, skip_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Material:
    return make_material()


def by_hand(campaign: Campaign) -> dict[str, tuple[int, int, dict[str, tuple[int, int]]]]:
    """{name: (right, answered, {Monday: (right, answered)})}, row by row in Python."""
    answers = {(row.item_id, row.criterion.key): row.value for row in KnownAnswer.objects.filter(campaign=campaign)}
    found: dict[str, tuple[int, int, dict[str, tuple[int, int]]]] = {}
    for one in Assignment.objects.filter(state="done", annotator__campaign=campaign).exclude(repeat=1):
        wanted = {key: value for (item, key), value in answers.items() if item == one.item_id}
        if not wanted:
            continue
        given = {row.criterion.key: row.value for row in one.judgments.all()}
        right = int(all(given[key] == value for key, value in wanted.items()))
        day = one.finished_at.date()
        monday = (day - timedelta(days=day.weekday())).isoformat()
        hits, n, weeks = found.get(one.annotator.name, (0, 0, {}))
        week = weeks.get(monday, (0, 0))
        weeks[monday] = (week[0] + right, week[1] + 1)
        found[one.annotator.name] = (hits + right, n + 1, weeks)
    return found


def test_shares_by_person_and_week_are_those_counted_by_hand(made: Material) -> None:
    campaign = make_campaign(made)
    start(campaign, repeat_percent=25, repeat_gap=2)
    for number, item in enumerate(items_of(campaign)[::2]):
        known(campaign, item, number % 3)
    rng = random.Random(5)
    for day in (0, 6, 13, 20):
        for name in ("ana", "ben"):
            give_labels(annotator(campaign, name), [rng.randrange(3) for _ in range(4)], at=AT + timedelta(days=day))
    skip_item(annotator(campaign, "cai"), "not my field")
    found = GoldResultsSerializer(gold_results(campaign)).data
    got = {
        one["name"]: (one["right"], one["n"], {week["begins"]: (week["right"], week["n"]) for week in one["weeks"]})
        for one in found["people"]
        if one["n"]
    }
    assert got == by_hand(campaign)
    assert len(got) == 2
    assert max(len(weeks) for *_, weeks in got.values()) > 1
    asked = Counter(Assignment.objects.filter(repeat=1, state="done").values_list("annotator__name", flat=True))
    assert asked, "a repeat was answered, and is no answer here"
    items = gold_results(campaign).items
    assert sum(share.n for share in items.values()) == sum(n for _, n, _ in got.values())


def test_who_answered_nothing_has_no_share_but_a_reason(made: Material) -> None:
    campaign = make_practice(made, "training")
    skip_item(annotator(campaign, "ana"), "not my field")
    ana = gold_results(campaign).people[0]
    assert (ana.share.value, ana.asked, ana.skipped, ana.left, ana.below) == (None, 1, 1, 3, None)
    assert ana.share.reason == "nothing was answered yet"


def test_a_qualification_is_decided_at_its_end_and_skipping_is_not_right(made: Material) -> None:
    campaign = make_practice(made, "qualification", mark=75)
    ana, ben, cai = (annotator(campaign, name) for name in ("ana", "ben", "cai"))
    give_labels(ana, [2, 2, 2, 0])
    give_labels(ben, [0, 0, 0])
    give_labels(cai, [2, 2])
    skip_item(cai, "not my field")
    skip_item(cai, "not my field")
    assert [one.below for one in gold_results(campaign).people] == [False, None, True]
    give_labels(ben, [2])
    assert [one.annotator.name for one in gold_results(campaign).below] == ["Ben", "Cai"]
    assert {one.state for one in campaign.annotators.all()} == {"active"}, "nobody is paused automatically"


def test_in_judging_few_answers_accuse_nobody(made: Material) -> None:
    campaign = make_campaign(made, overlap=3)
    start(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(pass_mark=70)
    campaign.refresh_from_db()
    for item in items_of(campaign):
        known(campaign, item)
    give_labels(annotator(campaign, "ana"), [0])
    give_labels(annotator(campaign, "ben"), [0] * 10)
    assert [one.below for one in gold_results(campaign).people] == [False, True, None]


def test_in_training_the_first_answer_counts_because_the_known_one_was_shown(made: Material) -> None:
    campaign = make_practice(made, "training")
    ana = annotator(campaign, "ana")
    give_labels(ana, [0])
    done = ana.assignments.get(state="done")
    newest = done.submissions.get()
    sent = AnswerInput(
        uuid="7d1b3f7e-8b1c-4e2b-9a43-5f8f6f5f7a11",
        assignment=done.pk,
        base=newest.uuid,
        answers={"relevance": 2},  # type: ignore[arg-type]
    )
    submit(collection="teas", campaign=campaign.slug, inputs=[sent], by=ana.user, at=AT)  # type: ignore[arg-type]
    assert done.judgments.get().value == 2
    assert gold_results(campaign).people[0].share.hits == 0


def test_page_rest_and_command_say_the_same_and_who_judges_here_waits(made: Material) -> None:
    campaign = make_practice(made, "qualification", mark=100)
    give_labels(annotator(campaign, "ana"), [2, 2, 0, 2])
    mia = Client()
    mia.force_login(made.manager)
    page = mia.get(reverse("gold_detail", args=["teas", campaign.slug])).content.decode()
    assert "below the pass mark" in page
    assert "75%" in page
    shown = mia.get(reverse("api_gold", args=["teas", campaign.slug])).json()
    out = StringIO()
    call_command("gold_results", "teas", campaign.slug, "--json", stdout=out, stderr=StringIO())
    assert json.loads(out.getvalue()) == shown == GoldResultsSerializer(gold_results(campaign)).data
    ana = shown["people"][0]
    assert (ana["right"], ana["n"], ana["below"], ana["low"] < 0.75 < ana["high"]) == (3, 4, True, True)
    add_members(campaign=campaign, users=[made.manager], by=None, at=AT)
    mia.get(reverse("labelling_screen", args=["teas", campaign.slug]))
    for name in ("gold_detail", "api_gold", "api_known_answers"):
        assert mia.get(reverse(name, args=["teas", campaign.slug])).status_code == 403


# --- who is informed, and what a release says ------------------------------------------------------------------------


def below_lines(made: Material, name: str) -> list[str]:
    lines = lines_for(made.people[name], AT - timedelta(hours=1), AT + timedelta(hours=1))
    return [line.text for line in lines if line.notice == Notice.BELOW]


def test_managers_are_informed_by_mail_of_who_fails_while_there_is_news_and_nobody_else_is(made: Material) -> None:
    campaign = make_practice(made, "qualification", mark=75)
    give_labels(annotator(campaign, "ana"), [2, 2, 2, 2])
    assert below_lines(made, "mia") == []
    give_labels(annotator(campaign, "ben"), [0, 0, 0, 2])
    assert below_lines(made, "mia") == ["Qualification (Collection teas): 1 annotator is below the pass mark"]
    assert [below_lines(made, name) for name in ("ana", "ben", "ada", "vic")] == [[]] * 4
    later = lines_for(made.manager, AT + timedelta(days=1), AT + timedelta(days=2))
    assert [line for line in later if line.notice == Notice.BELOW] == []


def test_a_release_states_shares_without_names(made: Material) -> None:
    practice = make_practice(made, "qualification", mark=75)
    assert practice_sentences(made.collection) == ()
    give_labels(annotator(practice, "ana"), [2, 2, 2, 2])
    give_labels(annotator(practice, "ben"), [0, 0, 0, 2])
    assert practice_sentences(made.collection) == (
        "Qualification “Qualification”: 2 people took part, and 1 reached the pass mark of 75%, which was set"
        " beforehand.",
    )
    main = make_campaign(made, overlap=3)
    start(main)
    assert gold_results(main).sentence == ""
    for item in items_of(main)[:4]:
        known(main, item)
    for name, value in (("ana", 2), ("ben", 0)):
        give_labels(annotator(main, name), [value] * 24)
    assert gold_results(main).sentence == (
        "4 of 8 answers by 2 people to items with a known answer were right (50%; by person 0% to 100%). These items"
        " were not marked as such."
    )
