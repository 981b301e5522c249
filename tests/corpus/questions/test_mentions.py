"""The page of citation mentions, and what people do to them."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from corpus.models import CitationMention, Collection, DiscardReason, Role
from corpus.questions.mentions import cited_in, count_mentions, discard_mention, relink_mentions, restore_mention
from tests.factories.accounts import AT
from tests.factories.corpus import DocumentFactory
from tests.factories.mentions import MentionFactory, make_mention, make_question


@pytest.fixture
def manager(members):
    return members[Role.MANAGER].user


@pytest.fixture
def client(manager):
    client = Client()
    client.force_login(manager)
    return client


@pytest.fixture
def mention(collection):
    document = DocumentFactory(collection=collection, docno="12", title="Green tea and its water")
    return make_mention({"b0": document, "b1": None}, collection=collection)


def discard(mention, by, reason=DiscardReason.UNCLEAR, note=""):
    discard_mention(by=by, at=AT, mention=mention, reason=reason, note=note)


def test_discarding_and_taking_back(mention, manager):
    discard(mention, manager, note="  too   vague ")
    mention.refresh_from_db()
    assert (mention.discarded_at, mention.discarded_by, mention.discard_note) == (AT, manager, "too vague")
    with pytest.raises(Conflict):
        discard(mention, manager)
    restore_mention(by=manager, at=AT, mention=mention)
    mention.refresh_from_db()
    assert (mention.discarded_at, mention.discarded_by, mention.discard_reason) == (None, None, "")
    with pytest.raises(Conflict):
        restore_mention(by=manager, at=AT, mention=mention)
    verbs = AuditEvent.objects.order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["discard_mention", "restore_mention"]


@pytest.mark.parametrize(("reason", "note"), [("nonsense", ""), ("", ""), ("other", " "), ("unclear", "x" * 501)])
def test_a_discard_needs_its_reason(mention, manager, reason, note):
    with pytest.raises(Refused):
        discard(mention, manager, reason, note)
    mention.refresh_from_db()
    assert mention.discarded_at is None


@pytest.mark.parametrize("role", [Role.ADJUDICATOR, Role.VIEWER, Role.ANNOTATOR])
def test_only_managers_change_mentions(mention, members, role):
    with pytest.raises(NotAllowed):
        discard(mention, members[role].user)
    with pytest.raises(NotAllowed):
        relink_mentions(by=members[role].user, at=AT, collection=mention.collection)


@pytest.mark.slow
def test_the_page_shows_paragraph_markers_and_links(client, collection, mention, django_assert_max_num_queries):
    for _ in range(24):
        MentionFactory(collection=collection, source_title="<b>Kettles</b>", text="<i>bold</i> claim [1]", markers=[])
    with django_assert_max_num_queries(14):
        html = client.get(reverse("mention_list", args=["tea"])).content.decode()
    assert '<mark class="cite">[1]</mark>' in html
    assert "/c/tea/documents/12/" in html
    assert "A paper elsewhere, b1" in html
    assert "&lt;b&gt;Kettles" in html
    assert "<i>bold" not in html


def test_filter_and_sample_by_address(client, collection, mention):
    MentionFactory.create_batch(9, collection=collection)
    page = client.get(reverse("mention_list", args=["tea"]), {"target": "yes"}).context["page"]
    assert list(page) == [mention]
    sampled = client.get(reverse("mention_list", args=["tea"]), {"sample": "4", "seed": "7"})
    assert sampled.context["page"].paginator.count == 4
    assert "4 mentions at random (seed 7)" in sampled.content.decode()
    bad = client.get(reverse("mention_list", args=["tea"]), {"sample": "many"})
    assert bad.status_code == 422
    assert bad.context["page"].paginator.count == 10


def test_asking_is_the_main_button_while_a_mention_is_left_to_ask_about(client, collection, mention):
    address = reverse("mention_list", args=["tea"])
    button = r'class="([^"]*)"\s+href="[^"]*">Ask a language model about these<'
    assert re.findall(button, client.get(address).text) == ["button primary"]
    make_question(mention)
    assert re.findall(button, client.get(address).text) == ["button"]
    MentionFactory(collection=collection)
    assert re.findall(button, client.get(address).text) == ["button primary"]
    assert re.findall(button, client.get(address, {"used": "yes"}).text) == ["button"]


def test_discard_by_page_comes_back_to_the_same_list_with_an_undo(client, mention):
    url = reverse("mention_discard", args=["tea", mention.pk])
    answer = client.post(url, {"reason": "trivial", "back": "source=outside"}, follow=True)
    assert answer.redirect_chain == [(f"/c/tea/mentions/?source=outside&discarded={mention.pk}", 302)]
    assert "Undo" in answer.content.decode()
    assert answer.context["page"].paginator.count == 0
    client.post(reverse("mention_restore", args=["tea", mention.pk]), {"back": "source=outside"})
    assert CitationMention.objects.usable().get() == mention
    assert "Choose a reason." in client.post(url, {}, follow=True).content.decode()


def test_links_can_be_looked_up_again(client, collection, mention):
    DocumentFactory(collection=collection, docno="77", title="A paper elsewhere, b1")
    answer = client.post(reverse("mention_link", args=["tea"]), follow=True)
    assert "1 links changed" in answer.content.decode() or "2 links changed" in answer.content.decode()
    assert mention.references.get(key="b1").document.docno == "77"


def test_counts(collection, mention, manager):
    other = MentionFactory(collection=collection)
    make_question(other)
    discard(mention, manager)
    found = count_mentions(collection)
    assert (found.mentions, found.sources, found.inside, found.with_target) == (2, 2, 0, 1)
    assert (found.discarded, found.used) == (1, 1)


def test_an_empty_page_says_what_to_do(client, collection):
    html = client.get(reverse("mention_list", args=["tea"])).content.decode()
    assert "No mentions yet" in html
    assert reverse("import_create", args=["tea", "mentions"]) in html


def test_what_is_cited_stands_with_the_marker_that_the_text_has(collection: Collection) -> None:
    mention = make_mention({"b0": None, "b2": None, "b7": None}, collection=collection)
    assert [(marker, reference.key) for marker, reference in cited_in(mention)] == [
        ("[1]", "b0"),
        ("[2, 3]", "b2"),
        ("", "b7"),
    ]
