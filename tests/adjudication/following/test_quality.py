"""Quality of answers: six simulated people are distinguished, and each figure is the one counted by hand."""

import csv
import json
import random
import re
from collections import Counter
from datetime import timedelta
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from adjudication.following.figures import quality_sentence
from adjudication.following.measures import MEASURES
from adjudication.following.work import fetch_work
from annotation.assignment.assignments import assign_items
from annotation.campaigns.guidelines import write_guideline
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Assignment, Campaign, Judgment, KnownAnswer, Submission
from corpus.models import Collection
from engines.stats.proportions import proportion
from tests.adjudication.following.counting import counted
from tests.factories.annotation import AT, annotator, give_labels, make_campaign, make_material

SEED = 20
LATER = AT + timedelta(hours=1)
PEOPLE = ("cara", "fast", "same", "dora", "cole", "copy")


def simulate(name: str, items: list[int], truth: dict[int, int], rng: random.Random) -> dict[int, int]:
    """The levels of one person, by item in the order of their work."""
    if name == "same":
        return dict.fromkeys(items, 1)
    care = {"cara": 0.9, "fast": 0.3, "dora": 0.9, "cole": 0.55}[name]  # else they guess
    cares = [0.0 if name == "dora" and at >= 90 else care for at in range(len(items))]
    return {
        item: truth[item] if rng.random() < care else rng.choice([0, 1, 2])
        for item, care in zip(items, cares, strict=True)
    }


@pytest.fixture(scope="module")
def simulated(module_db: None) -> SimpleNamespace:
    """Cara reads 90% of the items and guesses the others, Fast reads 30% and is quick, Same says 1 always, Dora stops
    reading in her last quarter, Cole reads 55%, and Copy copies him. 12 topics of ten documents,
    each judged by all six."""
    made = make_material(topics=12, aspects=1, documents=10, annotators=PEOPLE)
    campaign = make_campaign(made, overlap=6)
    assign_items(campaign=campaign, by=None, at=AT)
    campaign = open_campaign(campaign=campaign, by=None, at=AT)
    rng = random.Random(SEED)
    truth = {item: rng.choice([0, 1, 2]) for item in campaign.items.order_by("pk").values_list("pk", flat=True)}
    said: dict[str, dict[int, int]] = {}
    for name in PEOPLE:
        judge = annotator(campaign, name)
        items = list(judge.assignments.order_by("position", "pk").values_list("item", flat=True))
        said[name] = dict(said["cole"]) if name == "copy" else simulate(name, items, truth, rng)
        ms = 800 if name == "fast" else 5000
        first = items[:90] if name == "dora" else items
        give_labels(judge, [said[name][item] for item in first], active_ms=ms, guideline=1)
    write_guideline(campaign=campaign, body="Read to the end.", by=None, at=AT)
    give_labels(annotator(campaign, "dora"), list(said["dora"].values())[90:], at=LATER, active_ms=5000, guideline=2)
    return SimpleNamespace(campaign=campaign, truth=truth, said=said, page=page_of(campaign))


def page_of(campaign: Campaign):
    manager = campaign.collection.memberships.get(role="manager").user
    return fetch_work(counted(campaign), manager, criterion=campaign.criteria.get(), person=None, today=AT.date())


def figures(page, name: str):
    one = next(each for each in page.people if each.annotator.user.email == f"{name}@example.org")
    return {each.measure.name: each.figure for each in one.figures}


def test_six_simulated_people_are_distinguished_by_intervals(simulated):
    of = {name: figures(simulated.page, name) for name in PEOPLE}
    # Careful: by the model well above every other single person; nothing is flagged.
    cara = of["cara"]["right"]
    assert all(of[name]["right"].high < cara.low for name in ("fast", "same"))
    assert not [name for name, each in of["cara"].items() if each.is_flagged]
    # Fast: the interval of the median is far below that of the others, and the model sees the guesses.
    assert of["fast"]["speed"].high < of["cara"]["speed"].low / 3
    assert "0.16 times the median of the others" in of["fast"]["speed"].note
    # One level: one run over all items, which the others' answers make impossible.
    run = of["same"]["run"]
    assert (run.value, run.is_flagged) == (120, True)
    assert "of 120 answers; chance 1.000 by their own shares of levels, below 0.001 by the others'" in run.note
    assert of["same"]["others"].high < of["cara"]["others"].low
    # Drifting: agreement falls in the last quarter, and for nobody else.
    assert of["dora"]["drift"].high < 0
    assert all(of[name]["drift"].high > 0 for name in PEOPLE if name != "dora")
    # Colluding: the pair agrees far above what their answers allow, and no other pair does.
    for name, other in (("cole", "Copy"), ("copy", "Cole")):
        pair = of[name]["pair"]
        assert (pair.low > 0.2, pair.is_flagged) == (True, True)
        assert f"with {other}" in pair.note
    assert not any(of[name]["pair"].is_flagged for name in PEOPLE[:4])


def test_the_model_finds_what_was_simulated(simulated):
    """The true share of right answers of everybody who works alone is inside the interval."""
    for name in ("cara", "fast"):
        said, truth = simulated.said[name], simulated.truth
        share = sum(said[item] == truth[item] for item in truth) / len(truth)
        right = figures(simulated.page, name)["right"]
        assert right.low - 0.05 <= share <= right.high + 0.05
    same = figures(simulated.page, "same")["right"]
    assert same.note.startswith("“0 No help” 0% (0% to 0%), said instead: “1 Partly” 100%; “1 Partly” 100%")


def test_agreement_with_the_others_is_that_of_a_count_by_hand(simulated):
    said = simulated.said
    topic = dict(simulated.campaign.items.values_list("pk", "topic"))
    for name in PEOPLE:
        shares = {
            item: sum(said[other][item] == value for other in PEOPLE if other != name) / 5
            for item, value in said[name].items()
        }
        figure = figures(simulated.page, name)["others"]
        assert figure.value == pytest.approx(np.mean(list(shares.values())))
        left_out = [
            np.mean([share for item, share in shares.items() if topic[item] != one]) for one in set(topic.values())
        ]
        half = 2.20098516 * np.sqrt(11 / 12 * sum((each - np.mean(left_out)) ** 2 for each in left_out))  # t(11)
        assert (figure.low, figure.high) == pytest.approx((figure.value - half, figure.value + half), abs=1e-6)


def test_a_pair_is_compared_within_the_level_of_the_others(simulated):
    said = simulated.said
    rows = []
    for item, value in said["cole"].items():
        rest = Counter(said[name][item] for name in PEOPLE if name not in ("cole", "copy")).most_common()
        if len(rest) == 1 or rest[0][1] > rest[1][1]:
            rows.append((rest[0][0], value, said["copy"][item]))
    expected = 0.0
    for level in range(3):
        inside = [row for row in rows if row[0] == level]
        one, other = (Counter(row[place] for row in inside) for place in (1, 2))
        expected += sum(one[each] * other[each] for each in range(3)) / max(len(inside), 1)
    pair = figures(simulated.page, "cole")["pair"]
    assert (pair.n, pair.value) == (len(rows), pytest.approx(1 - expected / len(rows)))


def test_each_figure_leads_to_its_items(simulated, client):
    page = simulated.page
    client.force_login(simulated.campaign.collection.memberships.get(role="manager").user)
    address = reverse("judgment_list", args=[simulated.campaign.collection.slug, simulated.campaign.slug])
    shown = {
        each.measure.name: each for each in next(one for one in page.people if one.annotator.name == "Cole").figures
    }
    assert shown["gold"].query == "", "nothing is known here"
    said = simulated.said
    unlike = {item for item in said["cole"] if any(said[one][item] != said["cole"][item] for one in PEOPLE)}
    alone = {item for item in unlike if said["copy"][item] == said["cole"][item]}
    assert len(unlike) < 120
    assert shown["right"].query == "", "the model believes the pair: none of their answers is wrong"
    wanted = {"others": unlike, "pair": alone}
    for name, items in wanted.items():
        answer = client.get(f"{address}?{shown[name].query}")
        assert answer.context["page"].count == len(items), name
    assert "120 items" in client.get(f"{address}?{shown['run'].query}").text, "all were answered at one moment"
    dora, fast = ({each.measure.name: each for each in page.people[place].figures} for place in (3, 4))
    last = list(said["dora"])[90:]
    fell = [item for item in last if any(said[one][item] != said["dora"][item] for one in PEOPLE)]
    for name in ("drift", "guideline"):
        assert client.get(f"{address}?{dora[name].query}").context["page"].count == len(fell), name
    listed = client.get(f"{address}?{fast['speed'].query}")
    assert "within 0.8 seconds" in listed.text
    assert listed.context["page"].count == 120
    work = client.get(reverse("work_detail", args=[simulated.campaign.collection.slug, simulated.campaign.slug])).text
    assert shown["pair"].query.replace("&", "&amp;") in work
    for measure in MEASURES:
        assert measure.label in work
    assert re.search(r"Closest pair\s*<div[^>]*>% points</div>", work), "a figure without a sign of its unit"


def test_before_and_after_a_new_guideline(simulated):
    """Dora's last quarter was judged by version 2; who judged all by version 1 has nothing to compare."""
    change, drift = (figures(simulated.page, "dora")[name] for name in ("guideline", "drift"))
    assert change.value == pytest.approx(drift.value)
    assert (change.high < 0, change.is_flagged, change.n) == (True, True, 120)
    reason = figures(simulated.page, "cara")["guideline"].reason
    assert reason == "0 shared items judged by version 2 and 120 by earlier ones: 20 of each are needed"


def test_repeats_have_exact_intervals_and_lead_to_those_that_differ(simulated, db, client):
    campaign = Campaign.objects.get(pk=simulated.campaign.pk)
    assert figures(simulated.page, "cara")["repeats"].reason == "nothing was asked again"
    first = list(annotator(campaign, "cara").assignments.order_by("pk")[:6])
    for place, one in enumerate(first):
        again = Assignment.objects.create(
            item=one.item, annotator=one.annotator, state="done", repeat=1, finished_at=AT + timedelta(hours=1)
        )
        given = one.submissions.get()
        answer = Submission.objects.create(
            uuid=f"00000000-0000-0000-0000-{place:012}",
            assignment=again,
            kind="answer",
            received_at=AT,
            answers=given.answers,
        )
        value = one.judgments.get().value
        changed = value if place else (value + 1) % 3
        Judgment.objects.create(assignment=again, criterion=campaign.criteria.get(), value=changed, submission=answer)
    figure = figures(page_of(campaign), "cara")["repeats"]
    exact = proportion(5, 6)
    assert (figure.value, figure.low, figure.high) == (exact.value, exact.low, exact.high)
    assert figure.note == "5 of 6 the same; few, 20 say more"
    cara = next(one for one in page_of(campaign).people if one.annotator.name == "Cara")
    query = next(each for each in cara.figures if each.measure.name == "repeats").query
    client.force_login(campaign.collection.memberships.get(role="manager").user)
    listed = client.get(f"{reverse('judgment_list', args=[campaign.collection.slug, campaign.slug])}?{query}")
    assert [item.pk for item in listed.context["page"].object_list] == [first[0].item_id]


def test_without_answers_every_figure_says_why(simulated, db):
    campaign = Campaign.objects.get(pk=simulated.campaign.pk)
    Assignment.objects.filter(annotator=annotator(campaign, "copy")).update(state="pending", finished_at=None)
    found = figures(page_of(campaign), "copy")
    assert found.pop("speed").value == 5, "the time was spent nevertheless"
    assert all(each.value is None and each.reason for each in found.values())
    assert all(each.is_flagged is None for each in found.values())


def test_few_topics_and_few_people_have_reasons(db):
    made = make_material(slug="few", topics=3, aspects=1, documents=10, annotators=("ana", "ben"))
    campaign = make_campaign(made, overlap=2)
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    for name in ("ana", "ben"):
        give_labels(annotator(campaign, name), [0, 1, 2] * 10)
    found = {each.measure.name: each for each in page_of(campaign).people[0].figures}
    assert found["others"].reason == "fewer than 8 topics are too few for an interval over topics"
    assert found["right"].figure.reason == "fewer than three people have judged"
    assert "a third one judged too" in found["pair"].figure.reason
    assert Collection.objects.filter(slug="few").exists()


def test_known_answers_count_with_their_exact_interval_and_lead_to_their_items(simulated, db, client):
    campaign = Campaign.objects.get(pk=simulated.campaign.pk)
    campaign.collection = simulated.campaign.collection
    items = list(campaign.items.order_by("pk")[:8])
    for item in items:
        KnownAnswer.objects.create(
            campaign=campaign,
            item=item,
            criterion=campaign.criteria.get(),
            value=simulated.truth[item.pk],
            changed_at=AT,
        )
    page = page_of(campaign)
    hits = sum(simulated.said["fast"][item.pk] == simulated.truth[item.pk] for item in items)
    figure, exact = figures(page, "fast")["gold"], proportion(hits, 8)
    assert (figure.value, figure.low, figure.high, figure.n) == (exact.value, exact.low, exact.high, 8)
    client.force_login(campaign.collection.memberships.get(role="manager").user)
    query = next(each for each in page.people[4].figures if each.measure.name == "gold").query
    answer = client.get(f"{reverse('judgment_list', args=[campaign.collection.slug, campaign.slug])}?{query}")
    wrong = [item for item in items if simulated.said["fast"][item.pk] != simulated.truth[item.pk]]
    assert answer.context["page"].count == len(wrong) > 0
    every = client.get(answer.request["PATH_INFO"] + "?" + query.replace("&differs=1", ""))
    assert every.context["page"].count == 8


def test_file_rest_and_command_say_the_same_and_the_release_names_nobody(simulated, db, client, capsys):
    campaign = simulated.campaign
    where = [campaign.collection.slug, campaign.slug]
    client.force_login(campaign.collection.memberships.get(role="manager").user)
    sent = client.get(reverse("api_quality", args=where)).json()
    rows = list(csv.DictReader(StringIO(client.get(reverse("quality_file", args=where)).getvalue().decode())))
    call_command("quality", *where, "--json")
    printed = json.loads(capsys.readouterr().out)
    assert printed["figures"] == sent["figures"]
    assert [each["name"] for each in sent["measures"]] == [each.name for each in MEASURES]
    assert len(rows) == len(sent["figures"]) == len(PEOPLE) * len(MEASURES)
    for row, figure in zip(rows, sent["figures"], strict=True):
        assert (row["name"], row["measure"], row["reason"]) == (figure["name"], figure["measure"], figure["reason"])
        assert row["value"] == ("" if figure["value"] is None else row["value"])
        assert not row["value"] or float(row["value"]) == pytest.approx(figure["value"])
    call_command("quality", *where)
    assert "Copy (relevance), Closest pair: +" in capsys.readouterr().out
    shares = [figures(simulated.page, name)["others"].value for name in PEOPLE]
    sentence = quality_sentence(campaign)
    assert f"agreement with the others (Relevance) {min(shares):.0%} to {max(shares):.0%} over 6 people" in sentence
    assert not [name for name in PEOPLE if name in sentence.lower().split()]


def test_a_manager_who_still_judges_gets_no_figure_by_any_door(simulated, db, client):
    campaign = Campaign.objects.get(pk=simulated.campaign.pk)
    manager = campaign.collection.memberships.get(role="manager").user
    client.force_login(manager)
    Assignment.objects.filter(annotator=annotator(campaign, "copy")).update(state="pending", finished_at=None)
    campaign.annotators.filter(pk=annotator(campaign, "copy").pk).update(user=manager)
    for name in ("api_quality", "quality_file"):
        assert client.get(reverse(name, args=[campaign.collection.slug, campaign.slug])).status_code == 403
    page = fetch_work(counted(campaign), manager, criterion=campaign.criteria.get(), person=None, today=AT.date())
    assert all([each.measure.name for each in one.figures] == ["speed"] for one in page.people)
