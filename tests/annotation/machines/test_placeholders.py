"""What stands behind the placeholders of a prompt: topics, citation contexts, known documents, and nothing."""

import pytest
from django.test import Client

from annotation.machines.machine_items import PER_ITEM, count_empty, show_items
from annotation.machines.prompts import preview_of
from annotation.models import Campaign
from corpus.models import Document, Target, Topic
from engines.prompting.prompts import PLACEHOLDERS
from tests.factories.annotation import Material

pytestmark = pytest.mark.django_db


def test_a_prompt_knows_title_and_narrative_of_the_topic(made: Material, campaign: Campaign) -> None:
    topic = campaign.items.order_by("pk").first().topic
    Topic.objects.filter(pk=topic.pk).update(title="Teas", narrative="Only green tea counts.")
    found = preview_of(campaign, "{topic_title} | {narrative} | {query}")
    assert found["message"] == f"Teas | Only green tea counts. | {topic.text}"
    assert found["empty"] == {"topic_title": 4, "narrative": 4}  # of the other topic


def test_a_sentence_of_a_citation_context_comes_with_its_paragraph(made: Material, campaign: Campaign) -> None:
    whole, part = made.topics
    Topic.objects.filter(pk=whole.pk).update(kind="context-paragraph")
    Topic.objects.filter(pk=part.pk).update(kind="context-sentence", parent=whole)
    body = "{paragraph} / {sentence} / {aspect}"
    of_whole, of_part = (
        preview_of(campaign, body, campaign.items.filter(topic=each).first().pk) for each in (whole, part)
    )
    assert of_whole["message"].startswith(f"{whole.text} /  / ")
    assert of_part["message"].startswith(f"{whole.text} / {part.text} / ")
    assert of_part["empty"] == {"sentence": 4}


def test_known_documents_are_described_without_the_one_that_is_judged(made: Material, campaign: Campaign) -> None:
    item = campaign.items.order_by("pk").first()
    other = campaign.items.filter(topic=item.topic).exclude(document=item.document).first().document
    for document in (item.document, other):
        Target.objects.create(topic=item.topic, document=document)
    [shown] = show_items(campaign, [item.pk])
    assert shown.targets == f"{other.title}\n{other.abstract}"
    assert shown.title == item.document.title


def test_what_is_counted_as_empty_is_what_is_filled_in_as_empty(made: Material, campaign: Campaign) -> None:
    whole, part = made.topics
    Topic.objects.filter(pk=whole.pk).update(kind="context-paragraph", title="Teas")
    Topic.objects.filter(pk=part.pk).update(kind="context-sentence", parent=whole, narrative="Only green tea counts.")
    Target.objects.create(topic=whole, document=campaign.items.filter(topic=whole).first().document)
    Document.objects.filter(pk=campaign.items.first().document_id).update(abstract="")
    campaign.items.filter(topic=part, document=campaign.items.filter(topic=part).first().document).update(document=None)
    shown = show_items(campaign, list(campaign.items.values_list("pk", flat=True)))
    counted = {name: sum(not getattr(one, name) for one in shown) for name in PER_ITEM}
    assert count_empty(campaign) == counted
    assert len(set(counted.values())) > 3


def test_every_placeholder_is_counted_and_listed_with_what_it_is_here(
    made: Material, campaign: Campaign, client: Client
) -> None:
    assert set(count_empty(campaign)) | {"levels", "criteria"} == set(PLACEHOLDERS)
    client.force_login(made.manager)
    page = f"/c/{made.collection.slug}/campaigns/{campaign.slug}/machines/prompts/new/"
    text = client.get(page).text
    assert all(f"<code>{{{name}}}</code>" in text for name in PLACEHOLDERS)
    assert 'aria-label="title of this item" dir="auto">On tea 0' in " ".join(text.split())
    sent = client.post(page.replace("new", "preview"), {"body": "{aspect} {narrative}"}).text
    assert "<code>{narrative}</code> is empty for 8 items of the campaign." in sent
    refused = client.post(
        page.replace("new", "preview"), {"body": "answer YES = 1\nanswer NO = 0\n---\n{aspect}\n\n{titel}"}
    ).text
    assert "Line 6: there is no place {titel}." in refused
