"""Long lists: numbered pages while the rows can be counted, pages by key beyond, and each row exactly once."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db.models import F, QuerySet
from django.template.loader import render_to_string
from django.test import RequestFactory

from corpus import long_lists
from corpus.long_lists import KeyedPage, NumberedPage, Span, search_page, take_page
from corpus.models import Document
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import DocumentFactory

pytestmark = pytest.mark.django_db

YEARS = (2003, 2001, 2002, 2001, 2003, 2001, 2002)
PER_PAGE = 2


@pytest.fixture
def rows() -> QuerySet[Document]:
    collection = CollectionFactory()
    for year in YEARS:
        DocumentFactory(collection=collection, year=year)
    return Document.objects.filter(collection=collection).order_by("pk")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_lists, "MOST_COUNTED", 5)


def walk(rows: QuerySet[Any, Any], key: Sequence[str], way: str, start: KeyedPage) -> list[list[Any]]:
    pages, page = [list(start)], start
    while page.has_next if way == "after" else page.has_previous:
        asked = {way: page.last_key if way == "after" else page.first_key}
        page = take_page(rows, asked, PER_PAGE, key)
        pages.append(list(page))
    return pages


@pytest.mark.parametrize(("key", "order"), [(["pk"], ["pk"]), (["era", "pk"], ["year", "pk"])])
def test_a_long_list_is_walked_whole_both_ways(rows, few, key, order) -> None:
    rows = rows.annotate(era=F("year") + 0.5).order_by(*order)
    first = take_page(rows, {}, PER_PAGE, key)
    assert (first.is_keyed, first.count_text, first.has_previous) == (True, "more than 5", False)
    assert first.count_of_all is None
    there = walk(rows, key, "after", first)
    assert there == [list(rows)[at : at + PER_PAGE] for at in range(0, len(YEARS), PER_PAGE)]
    last = take_page(rows, {"after": long_lists._key_of(there[-2][-1], key)}, PER_PAGE, key)
    assert (list(last), last.has_next, last.has_previous) == (there[-1], False, True)
    assert walk(rows, key, "before", last)[::-1] == there[0:1] + there[1:]


def test_before_the_second_page_stands_the_first_one_whole(rows, few) -> None:
    second = list(rows)[1]
    page = take_page(rows, {"before": str(second.pk)}, PER_PAGE)
    assert (list(page), page.has_previous) == (list(rows)[:PER_PAGE], False)


@pytest.mark.parametrize("key", ["", "x", "-1", "1_2", "9" * 19, "nan_1", "²", "1.5"])
def test_what_is_no_key_is_the_first_page(rows, few, key) -> None:
    assert list(take_page(rows, {"after": key}, PER_PAGE)) == list(rows)[:PER_PAGE]


@pytest.mark.parametrize("key", ["nan_1", "inf_1", "x_1", "1"])
def test_what_is_no_key_of_two_parts_is_the_first_page(rows, few, key) -> None:
    ordered = rows.order_by("year", "pk")
    assert list(take_page(ordered, {"before": key}, PER_PAGE, ("year", "pk"))) == list(ordered)[:PER_PAGE]


def test_lists_of_ids_have_keys_too(rows, few) -> None:
    ids = rows.values_list("pk", flat=True)
    page = take_page(ids, {"after": str(list(ids)[3])}, PER_PAGE)
    assert list(page) == list(ids)[4:6]


def test_a_short_list_has_numbers_and_any_order(rows, monkeypatch, django_assert_num_queries) -> None:
    monkeypatch.setattr(long_lists, "MOST_COUNTED", len(YEARS))
    with django_assert_num_queries(2):
        page = take_page(rows, {"page": "2", "after": "1"}, PER_PAGE, ordered=rows.order_by("year", "pk"))
        found = list(page)
    assert isinstance(page, NumberedPage)
    assert found == list(rows.order_by("year", "pk"))[2:4]
    assert (page.count, page.count_text, page.paginator.num_pages) == (7, "7", 4)


def test_a_long_list_is_neither_counted_nor_sorted(rows, few, django_assert_num_queries) -> None:
    with django_assert_num_queries(2) as captured:
        found = list(take_page(rows, {}, PER_PAGE, ordered=rows.order_by("year")))
    assert found == list(rows[:PER_PAGE])
    assert "LIMIT 6" in captured.captured_queries[0]["sql"]
    assert "year" not in captured.captured_queries[1]["sql"].split("ORDER BY")[1]


class TestSearch:
    """Rows that each have to be asked for are looked for among so many at a time."""

    @pytest.fixture
    def many(self, monkeypatch: pytest.MonkeyPatch) -> QuerySet[Document]:
        """Forty documents, of which those of 2001 are sought: the 3rd, 4th, 5th and 39th."""
        monkeypatch.setattr(long_lists, "LOOKED_AT", 8)
        monkeypatch.setattr(long_lists, "STEPS", (2, 3, 8))
        collection = CollectionFactory()
        for place in range(40):
            DocumentFactory(collection=collection, year=2001 if place in (2, 3, 4, 38) else 2000)
        DocumentFactory(year=2001)
        return Document.objects.filter(collection=collection).order_by("pk")

    @staticmethod
    def look(rows: QuerySet[Document], **asked: str) -> KeyedPage | NumberedPage:
        def find(span: Span | None) -> QuerySet[Document]:
            found = rows.filter(year=2001)
            return found if span is None else found.filter(pk__gt=span[0], pk__lte=span[1])

        return search_page(find, rows, asked, PER_PAGE)

    def test_all_are_found_on_the_way_there_and_back(self, many) -> None:
        sought = list(many.filter(year=2001))
        page = self.look(many)
        assert (list(page), page.has_previous, page.has_next) == (sought[:2], False, True)
        assert (page.count_text, page.looked_at, page.count_of_all) == ("at least 2", 5, None)
        there = [list(page)]
        while page.has_next:
            page = self.look(many, after=page.last_key)
            there.append(list(page))
        assert [row for part in there for row in part] == sought
        assert [] in there, "a page may find nothing and still lead on"
        back = [list(page)]
        while page.has_previous:
            page = self.look(many, before=page.first_key)
            back.append(list(page))
        assert [row for part in reversed(back) for row in part] == sought

    def test_a_page_with_nothing_left_to_look_at_says_that_it_found_none(self, many) -> None:
        """Not that there are more than so many: the last row may be the last that the page before looked at."""
        page = self.look(many, after=str(many.last().pk))
        assert isinstance(page, KeyedPage)
        assert (list(page), page.looked_at, page.count, page.has_next) == ([], 0, 0, False)
        text = render_to_string("_pagination.html", {"page": page}, RequestFactory().get("/"))
        assert "0 found among 0 checked" in text
        assert "more than" not in page.count_text + text

    def test_no_page_looks_at_more_than_the_steps(self, many, django_assert_max_num_queries) -> None:
        start = str(many[5].pk)
        with django_assert_max_num_queries(7) as captured:
            self.look(many, after=start)
        spans = [query["sql"] for query in captured.captured_queries if "2001" in query["sql"]]
        assert len(spans) == 3

    def test_what_is_asked_of_few_rows_is_counted(self, many) -> None:
        page = self.look(many[:8].model.objects.filter(pk__in=[row.pk for row in many[:8]]).order_by("pk"))
        assert isinstance(page, NumberedPage)
        assert (page.count, page.paginator.num_pages) == (3, 2)

    def test_a_search_of_all_says_how_many(self, many) -> None:
        some = many.filter(pk__in=[row.pk for row in many[5:15]])
        page = self.look(some)
        assert (list(page), page.count_text, page.has_next) == ([], "0", False)
        assert (page.looked_at, page.count_of_all) == (10, 0)
