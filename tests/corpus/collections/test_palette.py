"""The palette: what is found for whom, from where, and at what cost."""

import re
from copy import deepcopy

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from adjudication.exporting.registry import EXPORTERS
from adjudication.palette import export_anchor
from annotation.models import Annotator, AnnotatorState
from corpus.imports.registry import collection_importers
from corpus.models import Membership, Role
from engines.formats.registry import formats_for
from tests.factories.accounts import CollectionFactory, MembershipFactory, UserFactory
from tests.factories.annotation import Material, make_campaign, make_material
from tests.factories.corpus import DocumentFactory, TopicFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_material(module_db: None) -> Material:
    """A collection of teas with a campaign, and one of coffees that shares its words but no members."""
    made = make_material()
    make_campaign(made)
    DocumentFactory(collection=made.collection, docno="W-100", title="Steeping green leaves", abstract="On water.")
    coffee = CollectionFactory(slug="coffee", title="Coffee")
    DocumentFactory(collection=coffee, docno="W-101", title="Steeping green beans")
    TopicFactory(collection=coffee, number="77", text="steeping of beans")
    MembershipFactory(collection=coffee, user=UserFactory(name="Steeping Stranger"))
    return made


@pytest.fixture
def made(shared_material: Material, db: None) -> Material:
    """A copy for each test, which may change it."""
    return deepcopy(shared_material)


def find(client: Client, text: str, at: str = "/") -> str:
    answer = client.get(reverse("palette"), {"q": text, "at": at}, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return answer.content.decode()


def test_documents_by_the_beginnings_of_words_or_docnos(client: Client, made: Material) -> None:
    client.force_login(made.manager)
    for text in ("steep gree", "W-1", "green ste", "water steeping"):
        page = find(client, text)
        assert "Steeping green leaves" in page, text
        assert "beans" not in page, text  # of a collection that one is not in
    assert "Nothing found for “steeping beans”" in find(client, "steeping beans")


def test_a_picture_is_a_word_also_in_an_english_collection(client: Client, made: Material) -> None:
    DocumentFactory(collection=made.collection, docno="W-102", title="Green 🍵 tea")
    client.force_login(made.manager)
    for text in ("🍵", "green 🍵"):
        assert "W-102" in find(client, text), text
    assert "Nothing found" in find(client, "🍵🦉")


def test_names_come_before_texts_with_the_same_letters(client: Client, made: Material) -> None:
    TopicFactory(collection=made.collection, number="c1", text="On teas of Canada")
    client.force_login(made.manager)
    page = find(client, "ada")
    assert page.index(">Ada</span>") < page.index("On teas of Canada")


def test_pages_of_the_collection_and_the_campaign_one_is_in(client: Client, made: Material) -> None:
    client.force_login(made.manager)
    inside = f"/c/{made.collection.slug}/"
    campaign = f"{inside}campaigns/{made.collection.campaigns.get().slug}/"
    assert f'href="{campaign}agreement/sample-size/"' in find(client, "sample", campaign)
    assert "sample-size" not in find(client, "sample", inside)
    assert f'href="{inside}anno-gpt/"' in find(client, "anno", inside)
    assert "anno-gpt" not in find(client, "anno")
    assert f'href="{inside}"' in find(client, "counts", inside)


def test_annotators_find_neither_people_nor_campaigns_they_do_not_judge_in(client: Client, made: Material) -> None:
    judge = Annotator.objects.filter(campaign__collection=made.collection, user__isnull=False).first()
    assert judge
    assert judge.user
    campaign, manager = judge.campaign, str(made.manager)
    client.force_login(made.manager)
    assert campaign.name in find(client, campaign.name)
    assert f"#member-{Membership.objects.get(user=made.manager).pk}" in find(client, manager)
    client.force_login(judge.user)
    assert campaign.name in find(client, campaign.name)
    assert "#member-" not in find(client, manager)
    Annotator.objects.filter(pk=judge.pk).update(state=AnnotatorState.REMOVED)
    assert f"/campaigns/{campaign.slug}/" not in find(client, campaign.name)


def test_staff_find_every_person_but_no_collection_of_others(client: Client, made: Material) -> None:
    client.force_login(UserFactory(is_staff=True))
    page = find(client, "steeping")
    assert "Steeping Stranger" in page
    assert "/c/" not in page


def test_whatever_is_typed_gets_an_answer(client: Client, made: Material) -> None:
    client.force_login(made.manager)
    texts = ("' & | ! :* <->", "<script>alert(1)</script>", "a" * 5000, "%", "_", "\\", "ﬁ İ 茶")
    for text, at in [*((text, "/c/coffee/") for text in texts), ("%", ""), ("%", "//elsewhere/"), ("%", "not a path")]:
        page = find(client, text, at)
        assert "<script>" not in page
        assert "Coffee" not in page


def test_the_number_of_queries_does_not_grow(
    client: Client, made: Material, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(5):
        membership = MembershipFactory(user=made.manager, role=Role.MANAGER)
        DocumentFactory.create_batch(5, collection=membership.collection, title="Steeping again")
        TopicFactory(collection=membership.collection, text="steeping")
    client.force_login(made.manager)
    with django_assert_max_num_queries(12):  # two of them are the session and its user
        find(client, "steeping")


def test_without_scripts_it_is_a_page(client: Client, made: Material) -> None:
    client.force_login(made.manager)
    page = client.get(reverse("palette"), {"q": "steeping"}).content.decode()
    assert "<h1>Find</h1>" in page
    assert "Steeping green leaves" in page


def links(page: str) -> list[str]:
    return re.findall(r'<a href="([^"]+)"', page)


WORDS = {  # what people type, and where it leads within the campaign `main-round` of the collection `teas`
    "invite": "/c/teas/people/#invite",
    "new topic": "/c/teas/topics/new/",
    "new campaign": "/c/teas/campaigns/new/",
    "assign": "/c/teas/campaigns/main-round/assignment/",
    "dataset statistics": "/c/teas/document-figures/",
    "table for a paper": "/c/teas/campaigns/main-round/agreement/report/",
    "agreement table": "/c/teas/campaigns/main-round/agreement/report/",
    "agreement": "/c/teas/campaigns/main-round/agreement/",
    "kappa": "/c/teas/campaigns/main-round/agreement/",
    "IAA": "/c/teas/campaigns/main-round/agreement/",
    "tie": "/c/teas/campaigns/main-round/adjudication/?filter=open",
    "majority": "/c/teas/campaigns/main-round/adjudication/",
    "upload": "/c/teas/imports/",
    "bibtex": "/c/teas/imports/new/documents/?format=bibtex",
    "qrels": "/c/teas/exports/#export-qrels",
    "import ratings": "/c/teas/campaigns/main-round/imports/new/",
    "export": "/c/teas/exports/",
    "ndcg": "/c/teas/evaluation/",
    "publish": "/c/teas/releases/new/",
    "back up": "/c/teas/backup/",
    "dark": "/accounts/profile/",
    "shortcuts": "/help/",
}


@pytest.mark.parametrize(("text", "address"), WORDS.items())
def test_verbs_and_other_words_lead_to_the_page_that_does_it(
    client: Client, made: Material, text: str, address: str
) -> None:
    client.force_login(made.manager)
    inside = f"/c/teas/campaigns/{made.collection.campaigns.get().slug}/"
    assert address in links(find(client, text, inside))
    assert address in links(find(client, text)), "from outside of the collection"


def test_every_format_leads_to_its_import_or_its_export(client: Client, made: Material) -> None:
    client.force_login(made.manager)
    for name, importer in collection_importers().items():
        for one in formats_for(name):
            address = f"/c/teas/imports/new/{name}/?format={one.name}"
            found = links(find(client, f"import {importer.label} {one.name}", "/c/teas/"))
            assert address in found or address.partition("?")[0] in found, (name, one.name)
    for exporter in EXPORTERS.values():
        found = links(find(client, f"export {exporter.label}", "/c/teas/"))
        assert f"/c/teas/exports/#{export_anchor(exporter.name)}" in found, exporter.name
    form = client.get("/c/teas/imports/new/documents/?format=bibtex").content.decode()
    assert '<option value="bibtex" selected>' in form


def test_nothing_to_do_is_found_in_an_archived_collection(client: Client, made: Material) -> None:
    made.collection.archived_at = timezone.now()
    made.collection.save()
    client.force_login(made.manager)
    for text in ("invite", "new topic", "assign", "bibtex", "count the votes"):
        found = links(find(client, text, "/c/teas/"))
        assert not {link for link in found if re.search(r"#invite|/new/|filter=open|adjudication/$", link)}, text


def test_where_nothing_is_found_it_says_what_can_be_typed(client: Client, made: Material) -> None:
    client.force_login(made.manager)
    assert "what you want to do: invite, import, assign, export" in find(client, "zzz")
