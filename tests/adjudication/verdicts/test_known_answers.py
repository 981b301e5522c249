"""Known answers drawn from verdicts: which items, how often, and what is refused."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.refusals import Refused
from adjudication.models import Verdict
from adjudication.verdicts.corrections import correct_machine_label
from adjudication.verdicts.known_answers import draw_known_answers
from annotation.campaigns.campaigns import drafts_of
from annotation.campaigns.lifecycle import create_campaign
from annotation.gold.known import set_purpose
from annotation.models import Campaign, Judgment, KnownAnswer
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def built() -> Built:
    """Four items: one tied, the others decided as 1, 2 and 0."""
    found = build_campaign([[0, 1], [1, 1], [2, 2], [0, 0]], people=("ana", "ben"))
    vote(found)
    return found


def make_training(built: Built, **fields: object) -> Campaign:
    wanted = {"name": "Training", "criteria": drafts_of(built.campaign), **fields}
    return create_campaign(collection=built.collection, by=None, at=AT, **wanted)  # type: ignore[arg-type]


def test_decided_items_are_drawn_by_seed_with_comments_as_explanations(built: Built) -> None:
    Verdict.objects.filter(item=built.items[1]).update(comment="See the abstract.")
    training = make_training(built)
    draws = [
        draw_known_answers(campaign=training, source="main", sample=2, seed=seed, by=None, at=AT) for seed in (3, 3)
    ]
    assert [(done.drawn, done.decided) for done in draws] == [(2, 3), (1, 1)], "nothing is drawn twice"
    with pytest.raises(Refused, match="no decided item"):
        draw_known_answers(campaign=training, source="main", sample=2, seed=3, by=None, at=AT)
    found = KnownAnswer.objects.values_list("item__document__docno", "value", "explanation")
    assert sorted(found) == [("doc00001", 1, "See the abstract."), ("doc00002", 2, ""), ("doc00003", 0, "")]
    assert training.items.count() == 3
    again = make_training(built, name="Again")
    drawn = KnownAnswer.objects.filter(campaign=training).order_by("pk").values_list("item__document", flat=True)
    first = set(drawn[:2])
    draw_known_answers(campaign=again, source="main", sample=2, seed=3, by=None, at=AT)
    assert set(again.known_answers.values_list("item__document", flat=True)) == first


def test_what_a_machine_said_is_no_explanation() -> None:
    built = build_campaign([[None, 0]], people=("ana",), machines=[("gpt", "gpt", 1)])
    label = Judgment.objects.get()
    correct_machine_label(campaign=built.campaign, label=label.pk, value=2, by=built.people["manager"], at=AT)
    draw_known_answers(campaign=make_training(built), source="main", sample=1, by=None, at=AT)
    assert KnownAnswer.objects.values_list("value", "explanation").get() == (2, "")


def test_what_a_training_shows_is_not_drawn_as_gold(built: Built) -> None:
    training, other = make_training(built), make_training(built, name="Second round")
    draw_known_answers(campaign=training, source="main", sample=2, seed=3, by=None, at=AT)
    set_purpose(campaign=training, purpose="training", by=None, at=AT)
    done = draw_known_answers(campaign=other, source="main", sample=3, seed=3, by=None, at=AT)
    assert (done.drawn, done.decided) == (1, 1)


def test_other_criteria_and_the_campaign_itself_are_refused(built: Built) -> None:
    training = make_training(built)
    rubric = create_campaign(collection=built.collection, by=None, at=AT, name="Rubric", kind="rubric")
    for target, source, reason in (
        (training, "training", "Choose another campaign"),
        (training, "nowhere", "no campaign “nowhere”"),
        (rubric, "main", "asks something else"),
    ):
        with pytest.raises(Refused, match=reason):
            draw_known_answers(campaign=target, source=source, sample=1, by=None, at=AT)


def test_the_page_offers_campaigns_that_ask_the_same_with_their_decided_items(built: Built, client: Client) -> None:
    training = make_training(built)
    create_campaign(collection=built.collection, by=None, at=AT, name="Rubric", kind="rubric")
    client.force_login(built.people["manager"])
    address = reverse("known_answers_draw", args=[built.collection.slug, training.slug])
    page = client.get(address).text
    assert re.findall(r"<option[^>]*>([^<]+)", page) == ["Choose…", "Main round (3 decided items)"]
    assert client.post(address, {"source": "main", "sample": "3"}).status_code == 302
    assert training.known_answers.count() == 3
    Verdict.objects.update(reopened_at=AT)
    assert "Nothing to draw from yet" in client.get(address).text
