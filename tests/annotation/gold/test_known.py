"""Known answers: what is stored of them, what is refused, and that the database holds it."""

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from lxml import html

from accounts.models import AuditEvent
from accounts.refusals import NotAllowed, Refused
from annotation.campaigns.criteria import replace_criteria
from annotation.campaigns.lifecycle import close_campaign, delete_campaign, open_campaign
from annotation.gold.known import remove_known_answer, set_known_answer, set_purpose
from annotation.models import Campaign, Item, KnownAnswer, Strategy
from corpus.loading.constraints import checked_at_once
from engines.definitions.drafts import CriterionDraft, LevelDraft
from tests.annotation.gold.known_worlds import items_of, known, make_practice
from tests.factories.annotation import AT, Material, annotator, give_labels, make_campaign, make_material

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Material:
    return make_material()


@pytest.fixture
def campaign(made: Material) -> Campaign:
    return make_campaign(made, items=False)


def say(campaign: Campaign, **fields: object) -> KnownAnswer:
    given = {"topic": "1", "aspect": "Does thing 1.1.", "docno": "d0000", "value": 2} | fields
    return set_known_answer(campaign=campaign, by=None, at=AT, **given)  # type: ignore[arg-type]


def test_an_item_that_is_not_there_is_added_and_the_answer_said_again_replaces_it(campaign: Campaign) -> None:
    first = say(campaign, explanation=" Because. ")
    again = say(campaign, value=1)
    assert (first.pk, first.explanation) == (again.pk, "Because.")
    stored = KnownAnswer.objects.get()
    assert (stored.value, stored.explanation, Item.objects.count()) == (1, "", 1)
    assert "value" not in AuditEvent.objects.filter(verb="set_known_answer").latest("pk").data


def test_the_page_offers_the_levels_and_asks_for_what_is_judged(campaign: Campaign, made: Material) -> None:
    client = Client()
    client.force_login(made.manager)
    address = reverse("known_answer_set", args=[campaign.collection.slug, campaign.slug])
    form = html.fromstring(client.get(address).text).xpath("//main//form")[0]
    levels = campaign.criteria.get().levels.all()
    assert form.xpath(".//select[@name='value']/option/@value") == ["", *(str(each.value) for each in levels)]
    assert form.xpath(".//input[@name='criterion']/@type") == ["hidden"]
    assert form.xpath(".//input[@name='docno']/@type") == ["text"]
    fields = {"topic": "1", "aspect": "Does thing 1.1.", "docno": "d0000", "value": levels[0].value}
    assert client.post(address, fields).status_code == 302
    assert KnownAnswer.objects.get().value == levels[0].value


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"topic": "99"}, "Topic 99 is not in the collection"),
        ({"docno": ""}, "Name the document"),
        ({"docno": "d9"}, "Document d9 is not in the collection"),
        ({"aspect": "Does nothing."}, "has no aspect “Does nothing.”"),
        ({"aspect": ""}, "judged aspect by aspect"),
        ({"value": 7}, "7 is not on the scale of relevance"),
        ({"criterion": "beauty"}, "no criterion “beauty”"),
    ],
)
def test_what_is_not_there_is_refused_and_nothing_is_stored(
    campaign: Campaign, fields: dict[str, object], reason: str
) -> None:
    with pytest.raises(Refused, match=reason):
        say(campaign, **fields)
    assert not Item.objects.exists()


def test_questions_have_no_document_and_extractions_nothing_to_know(made: Material) -> None:
    rubric = make_campaign(made, name="Rubric", kind="rubric", items=False)
    where = {"topic": "1", "criterion": "quality", "value": 1, "by": None, "at": AT}
    assert set_known_answer(campaign=rubric, **where).item.document is None  # type: ignore[arg-type]
    with pytest.raises(Refused, match="without documents"):
        set_known_answer(campaign=rubric, docno="d0000", **where)  # type: ignore[arg-type]
    with pytest.raises(Refused, match="Name the criterion"):
        set_known_answer(campaign=rubric, **where | {"criterion": ""})  # type: ignore[arg-type]
    papers = make_campaign(made, name="Papers", kind="extraction", items=False, annotators=False, overlap=1)
    for attempt in (
        lambda: set_known_answer(campaign=papers, topic="1", value=1, by=None, at=AT),
        lambda: set_purpose(campaign=papers, purpose="training", by=None, at=AT),
    ):
        with pytest.raises(Refused, match="no known answers"):
            attempt()


def test_only_managers_say_what_is_right_and_not_in_a_closed_campaign(made: Material, campaign: Campaign) -> None:
    where = {"topic": "1", "aspect": "Does thing 1.1.", "docno": "d0000", "value": 2, "at": AT}
    for who in ("ada", "ana", "vic"):
        with pytest.raises(NotAllowed):
            set_known_answer(campaign=campaign, by=made.people[who], **where)  # type: ignore[arg-type]
    practice = make_practice(made, "training")
    close_campaign(campaign=practice, by=None, at=AT)
    with pytest.raises(Refused, match="closed"):
        say(practice)


def test_the_database_refuses_values_off_the_scale_and_items_of_other_campaigns(
    made: Material, campaign: Campaign
) -> None:
    stored = say(campaign)
    other = make_campaign(made, name="Other", items=False)
    for wrong in ({"value": 77}, {"campaign_id": other.pk}):
        with pytest.raises(IntegrityError), transaction.atomic(), checked_at_once():
            KnownAnswer.objects.filter(pk=stored.pk).update(**wrong)


def test_removing_one_leaves_the_item_and_levels_can_change_only_without_any(campaign: Campaign) -> None:
    stored = say(campaign)
    levels = (LevelDraft(0, "no"), LevelDraft(1, "yes"))
    drafts = [CriterionDraft("relevance", "Relevance", levels)]
    with pytest.raises(Refused, match="Known answers use these levels"):
        replace_criteria(campaign=campaign, criteria=drafts, by=None, at=AT)
    remove_known_answer(known_answer=stored, by=None, at=AT)
    assert Item.objects.exists()
    assert replace_criteria(campaign=campaign, criteria=drafts, by=None, at=AT)


def test_a_campaign_with_known_answers_can_be_deleted_while_nobody_answered(campaign: Campaign) -> None:
    say(campaign)
    delete_campaign(campaign=campaign, by=None, at=AT)
    assert not KnownAnswer.objects.exists()


# --- what a campaign is for ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("purpose", "mark", "reason"),
    [
        ("qualification", None, "needs a pass mark"),
        ("training", 80, "no pass mark"),
        ("qualification", 101, "from 1 to 100"),
    ],
)
def test_marks_that_mean_nothing_are_refused(campaign: Campaign, purpose: str, mark: int | None, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        set_purpose(campaign=campaign, purpose=purpose, pass_mark=mark, by=None, at=AT)
    campaign.refresh_from_db()
    assert campaign.purpose == "judging"


def test_the_purpose_is_set_before_opening_and_the_mark_before_the_first_answer(made: Material) -> None:
    campaign = make_practice(made, "qualification", mark=60)
    assert campaign.strategy == Strategy.PLANNED
    with pytest.raises(Refused, match="can no longer be changed"):
        set_purpose(campaign=campaign, purpose="judging", by=None, at=AT)
    set_purpose(campaign=campaign, purpose="qualification", pass_mark=70, by=None, at=AT)
    give_labels(annotator(campaign, "ana"), [2])
    with pytest.raises(Refused, match="Somebody has already answered"):
        set_purpose(campaign=campaign, purpose="qualification", pass_mark=10, by=None, at=AT)
    with pytest.raises(IntegrityError), transaction.atomic():
        Campaign.objects.filter(pk=campaign.pk).update(pass_mark=None)


def test_practice_opens_only_when_every_answer_is_known(made: Material) -> None:
    campaign = make_campaign(made)
    set_purpose(campaign=campaign, purpose="training", by=None, at=AT)
    known(campaign, items_of(campaign)[0])
    with pytest.raises(Refused, match="The answer to 23 items is not known"):
        open_campaign(campaign=campaign, by=None, at=AT)


def test_what_a_training_shows_is_not_hidden_gold_too(made: Material) -> None:
    """People who did the training would know it again."""
    campaign, training = make_campaign(made), make_practice(made, "training", items=1)
    shown = items_of(training)[0]
    same = campaign.items.get(topic=shown.topic, aspect=shown.aspect, document=shown.document)
    with pytest.raises(Refused, match="known answer of the training “Training”, which shows it"):
        known(campaign, same, 1)
    other = items_of(campaign)[-1]
    known(campaign, other, 1)
    second = make_campaign(made, name="Second")
    again = items_of(second)[-1]
    known(second, again, 1)
    set_purpose(campaign=second, purpose="qualification", pass_mark=80, by=None, at=AT)
    with pytest.raises(Refused, match="hidden gold in “Main round”"):
        set_purpose(campaign=second, purpose="training", by=None, at=AT)
    KnownAnswer.objects.filter(campaign=campaign).delete()
    set_purpose(campaign=second, purpose="training", by=None, at=AT)
    with pytest.raises(Refused, match="which shows it"):
        known(campaign, other, 1)
