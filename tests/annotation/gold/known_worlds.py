"""Campaigns with known answers, and people who answer them."""

from typing import Any

from annotation.campaigns.lifecycle import open_campaign
from annotation.gold.known import set_known_answer, set_purpose
from annotation.models import Campaign, Item
from tests.factories.annotation import AT, Material, make_campaign


def known(campaign: Campaign, item: Item, value: int = 2, explanation: str = "") -> None:
    """The right answer of an item of documents."""
    assert item.topic
    assert item.document
    aspect = item.aspect.text if item.aspect else ""
    where = {"topic": item.topic.number, "aspect": aspect, "docno": item.document.docno}
    set_known_answer(campaign=campaign, **where, value=value, explanation=explanation, by=None, at=AT)


def items_of(campaign: Campaign) -> list[Item]:
    return list(campaign.items.select_related("topic", "aspect", "document").order_by("pk"))


def make_practice(made: Material, purpose: str, items: int = 4, mark: int | None = None, **fields: Any) -> Campaign:
    """An open practice campaign of so many items, all of which should get a 2, because of tea."""
    campaign = make_campaign(made, name=purpose.capitalize(), items=False, **fields)
    set_purpose(campaign=campaign, purpose=purpose, pass_mark=mark, by=None, at=AT)
    for aspect in made.aspects[:1]:
        for document in made.documents[:items]:
            given = {"topic": aspect.topic.number, "aspect": aspect.text, "docno": document.docno}
            set_known_answer(campaign=campaign, **given, value=2, explanation="It is on tea.", by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    campaign.refresh_from_db()
    return campaign
