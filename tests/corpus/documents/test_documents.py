"""Search, lists and pages of documents: bounded, escaped, without hints for annotators."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from corpus.documents import finding as queries
from corpus.documents.finding import (
    HIT_END,
    HIT_START,
    Filters,
    browse_documents,
    count_documents,
    has_searchable_words,
    search_documents,
)
from corpus.models import Collection, Document, Membership, PoolEntry, Role, Target
from corpus.templatetags.documents import as_text, doi_address, hits, names, web_address
from tests.factories.corpus import DocumentFactory, TopicFactory


@pytest.fixture
def shelf(collection: Collection) -> Collection:
    """Four documents about tea and coffee."""
    rows = (
        ("d1", "Brewing green tea", "Water of eighty degrees steeps the leaves.", 1999, "Journal of Tea"),
        ("d2", "Coffee without tea", "Roasted beans and hot water.", 2005, "Coffee Letters"),
        ("d3", "A history of pots", "Clay pots were brewed in, with tea and water.", 2010, "Journal of Tea"),
        ("10.1/a(b)", "", "An abstract about kettles only.", None, ""),
    )
    for docno, title, abstract, year, venue in rows:
        DocumentFactory(collection=collection, docno=docno, title=title, abstract=abstract, year=year, venue=venue)
    DocumentFactory(docno="d1", title="Tea in another collection")
    return collection


def found(collection: Collection, text: str, **filters: Any) -> list[str]:
    return [hit.docno for hit in search_documents(collection, text, Filters(**filters)).hits]


class TestSearch:
    @pytest.mark.parametrize(
        ("text", "wanted"),
        [
            ("tea", {"d1", "d2", "d3"}),
            ("brew", {"d1", "d3"}),
            ("tea -coffee", {"d1", "d3"}),
            ('"green tea"', {"d1"}),
            ('"tea green"', set()),
            ("kettle OR beans", {"10.1/a(b)", "d2"}),
            ("tea water pots", {"d3"}),
            ("zzz", set()),
            ("' ) & | ! <-> :* \\ \"", set()),
        ],
    )
    def test_websearch_syntax(self, shelf: Collection, text: str, wanted: set[str]) -> None:
        assert set(found(shelf, text)) == wanted

    def test_titles_count_more_than_abstracts(self, shelf: Collection) -> None:
        assert found(shelf, "tea")[-1] == "d3"

    def test_filters(self, shelf: Collection) -> None:
        assert found(shelf, "tea", year_from=2005) == ["d2", "d3"]
        assert found(shelf, "tea", year_to=2005, venue="journal") == ["d1"]
        assert found(shelf, "tea", venue="50% off_") == []

    def test_hits_are_marked_in_both_texts(self, shelf: Collection) -> None:
        hit = search_documents(shelf, "brewed water -coffee").hits[0]
        assert hit.title == f"{HIT_START}Brewing{HIT_END} green tea"
        assert hit.extract == f"{HIT_START}Water{HIT_END} of eighty degrees steeps the leaves"

    def test_marks_in_the_texts_themselves_are_taken_out(self, collection: Collection) -> None:
        DocumentFactory(collection=collection, title=f"Tea {HIT_END}pots{HIT_START}", abstract="")
        assert search_documents(collection, "tea").hits[0].title == f"{HIT_START}Tea{HIT_END} pots"

    def test_ranking_stops_at_a_limit(self, shelf: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(queries, "MOST_RANKED", 2)
        page = search_documents(shelf, "tea", size=2)
        assert (len(page.hits), page.matches, page.is_cut, page.has_next) == (2, 2, True, False)

    def test_pages(self, shelf: Collection) -> None:
        first, second = (search_documents(shelf, "tea", number=number, size=2) for number in (1, 2))
        assert (first.first, first.last, first.has_next) == (1, 2, True)
        assert (second.first, second.last, second.has_next) == (3, 3, False)
        assert len({hit.pk for hit in [*first.hits, *second.hits]}) == 3

    def test_words_that_mean_nothing(self, shelf: Collection) -> None:
        assert not has_searchable_words(shelf, "the and of")
        assert not has_searchable_words(shelf, "!!! --")
        assert has_searchable_words(shelf, "the tea")


class TestBrowsing:
    def test_from_docno_to_docno_and_back(self, shelf: Collection) -> None:
        first = browse_documents(shelf, size=2)
        assert [document.docno for document in first.documents] == ["10.1/a(b)", "d1"]
        assert (first.has_previous, first.has_next) == (False, True)
        second = browse_documents(shelf, after="d1", size=2)
        assert [document.docno for document in second.documents] == ["d2", "d3"]
        assert (second.has_previous, second.has_next) == (True, False)
        back = browse_documents(shelf, before="d2", size=2)
        assert [document.docno for document in back.documents] == ["10.1/a(b)", "d1"]
        assert back.has_previous is False

    def test_filters(self, shelf: Collection) -> None:
        rows = browse_documents(shelf, Filters(year_from=2000, venue="tea")).documents
        assert [document.docno for document in rows] == ["d3"]

    def test_counting_stops_at_a_limit(self, shelf: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
        assert count_documents(shelf) == (4, False)
        monkeypatch.setattr(queries, "COUNT_LIMIT", 3)
        assert count_documents(shelf) == (3, True)


class TestFilters:
    def test_hits_are_lit_and_the_rest_is_escaped(self) -> None:
        assert hits(f"<b>{HIT_START}tea & co{HIT_END}</b>") == "&lt;b&gt;<mark>tea &amp; co</mark>&lt;/b&gt;"

    def test_names(self) -> None:
        assert names([]) == ""
        assert names(["A", "B", "C"]) == "A; B; C"
        assert names(["A", "B", "C", "D", "E"]) == "A; B; C and 2 more"

    @pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//x", "ftp://x", "http://[bad"])
    def test_only_the_web_is_linked(self, url: str) -> None:
        assert web_address(url) == ""

    def test_addresses(self) -> None:
        assert web_address("https://example.org/a?b") == "https://example.org/a?b"
        assert doi_address('10.1/a"b<c>') == "https://doi.org/10.1/a%22b%3Cc%3E"

    def test_values(self) -> None:
        assert as_text("plain") == "plain"
        assert as_text({"a": ["ü"]}) == '{\n "a": [\n  "ü"\n ]\n}'


class TestPages:
    @pytest.fixture
    def client(self, members: dict[Role, Membership]) -> Client:
        client = Client()
        client.force_login(members[Role.ANNOTATOR].user)
        return client

    def test_search_and_exact_docno(self, shelf: Collection, client: Client) -> None:
        address = reverse("document_list", args=["tea"])
        page = client.get(address, {"q": "tea"})
        assert "<mark>tea</mark>" in page.content.decode()
        exact = client.get(address, {"q": "10.1/a(b)"})
        assert exact.context["exact"].docno == "10.1/a(b)"
        link = reverse("document_detail", args=["tea", "10.1/a(b)"])
        assert link in exact.content.decode()
        assert client.get(link).status_code == 200

    @pytest.mark.parametrize(
        ("query", "shown"),
        [
            ({"q": "zzz"}, "No document matches"),
            ({"q": "the of"}, "Nothing to search for"),
            ({"venue": "nowhere"}, "No document here"),
            ({"after": "zzzz"}, "No document here"),
            ({"q": "tea", "page": "9999999"}, "No document matches"),
            ({"q": "tea", "page": "x"}, "3 documents"),
            ({}, "4 documents in the collection"),
        ],
    )
    def test_every_state_says_what_it_is(
        self, shelf: Collection, client: Client, query: dict[str, str], shown: str
    ) -> None:
        page = client.get(reverse("document_list", args=["tea"]), query)
        assert (page.status_code, shown in page.content.decode()) == (200, True)

    def test_a_document_without_title_is_listed_by_its_first_words(self, shelf: Collection, client: Client) -> None:
        text = client.get(reverse("document_list", args=["tea"])).content.decode()
        assert ">An abstract about kettles only.</a>" in text
        assert "Water of eighty degrees" not in text

    def test_an_empty_collection_says_what_to_do(self, members: dict[Role, Membership]) -> None:
        client = Client()
        client.force_login(members[Role.MANAGER].user)
        text = client.get(reverse("document_list", args=["tea"])).content.decode()
        assert "No documents yet" in text
        assert reverse("import_create", args=["tea", "documents"]) in text

    @pytest.mark.parametrize("query", [{"year_from": "x"}, {"year_to": "-4"}, {"q": "x" * 1001}])
    def test_bad_queries_are_reported(self, shelf: Collection, client: Client, query: dict[str, str]) -> None:
        assert client.get(reverse("document_list", args=["tea"]), query).status_code == 422

    def test_htmx_gets_the_results_alone(self, shelf: Collection, client: Client) -> None:
        page = client.get(reverse("document_list", args=["tea"]), {"q": "tea"}, headers={"HX-Request": "true"})
        assert page.templates[0].name == "corpus/documents/_document_results.html"
        assert page.content.decode().strip().startswith('<section id="results"')

    def test_texts_are_escaped(self, collection: Collection, client: Client) -> None:
        evil = '<img src=x onerror="alert(1)">'
        document = DocumentFactory(
            collection=collection,
            docno="<evil>&\"'",
            title=f"Tea {evil}",
            abstract=evil,
            keywords=[evil],
            authors=[evil],
            venue=evil,
            doi=evil,
            url="javascript:alert(1)",
            extra={evil: [evil]},
        )
        for address in (
            reverse("document_list", args=["tea"]),
            reverse("document_list", args=["tea"]) + "?q=tea",
            reverse("document_detail", args=["tea", document.docno]),
        ):
            text = client.get(address).content.decode()
            assert evil not in text
            assert "<evil>" not in text
            assert 'href="javascript' not in text

    def test_annotators_do_not_see_what_a_document_answers(
        self, shelf: Collection, client: Client, members: dict[Role, Membership]
    ) -> None:
        topic = TopicFactory(collection=shelf, title="Known to fit")
        Target.objects.create(topic=topic, document=Document.objects.get(collection=shelf, docno="d1"))
        PoolEntry.objects.create(topic=topic, document=Document.objects.get(collection=shelf, docno="d1"))
        address = reverse("document_detail", args=["tea", "d1"])
        for name in ("Known to", "In pools of"):
            assert name not in client.get(address).content.decode()
        overseer = Client()
        overseer.force_login(members[Role.VIEWER].user)
        for name in ("Known to fit", reverse("pool_detail", args=["tea", topic.pk])):
            assert name in overseer.get(address).content.decode()

    def test_managers_are_led_to_the_topics_that_it_may_become_a_target_of(
        self, shelf: Collection, members: dict[Role, Membership]
    ) -> None:
        document = Document.objects.get(collection=shelf, docno="d1")
        answered, near, far = (TopicFactory(collection=shelf) for _ in range(3))
        for topic in (answered, near):
            PoolEntry.objects.create(topic=topic, document=document)
        Target.objects.create(topic=answered, document=document)
        address, shown = reverse("document_detail", args=["tea", "d1"]), {}
        for role in (Role.MANAGER, Role.VIEWER):
            person = Client()
            person.force_login(members[role].user)
            text = person.get(address).content.decode()
            edits = [reverse("topic_edit", args=["tea", topic.pk]) in text for topic in (answered, near, far)]
            shown[role] = edits, "another topic that it answers" in text
        assert shown == {Role.MANAGER: ([False, True, False], True), Role.VIEWER: ([False, False, False], False)}

    def test_annotators_do_not_see_the_fields_that_nobody_named(
        self, shelf: Collection, client: Client, members: dict[Role, Membership]
    ) -> None:
        Document.objects.filter(collection=shelf, docno="d1").update(extra={"relevant_to": "question 7"})
        addresses = [reverse("document_detail", args=["tea", "d1"])]
        addresses += [reverse("api_document", args=["tea", "d1"]), reverse("api_documents", args=["tea"])]
        overseer = Client()
        overseer.force_login(members[Role.VIEWER].user)
        for address in addresses:
            assert "question 7" not in client.get(address).content.decode()
            assert "question 7" in overseer.get(address).content.decode()

    def test_documents_of_other_collections_are_not_there(self, shelf: Collection, client: Client) -> None:
        DocumentFactory(docno="elsewhere")
        assert client.get(reverse("document_detail", args=["tea", "elsewhere"])).status_code == 404

    def test_a_search_costs_the_same_for_many_documents(
        self, collection: Collection, client: Client, django_assert_max_num_queries: Any
    ) -> None:
        for _ in range(25):
            DocumentFactory(collection=collection)
        with django_assert_max_num_queries(7):
            page = client.get(reverse("document_list", args=["tea"]), {"q": "tea"})
        assert len(page.context["found"].hits) == 20
        with django_assert_max_num_queries(6):
            assert len(client.get(reverse("document_list", args=["tea"])).context["browsed"].documents) == 25
