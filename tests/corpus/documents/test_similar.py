"""Documents like a text: BM25 over any of its words, held against the formula written out."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.documents import similar
from corpus.documents.similar import K1, B, similar_documents
from corpus.models import Collection
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import DocumentFactory

pytestmark = pytest.mark.django_db

SHELF = {
    "d1": "sound insects sound sound",
    "d2": "insects walk far away meadow grass",
    "d3": "sound travels water",
    "d4": "water water water boils",
    "d5": "grass",
}


@pytest.fixture
def shelf() -> Collection:
    collection = CollectionFactory()
    for docno, text in SHELF.items():
        DocumentFactory(collection=collection, docno=docno, title=text, abstract="")
    DocumentFactory(docno="elsewhere", title="insects make sound")
    return collection


def bm25(query: str) -> list[str]:
    """Docnos by Lucene's BM25, as Kamphuis et al. (ECIR 2020) print it; words of SHELF are their own stems or not."""
    texts = {docno: text.split() for docno, text in SHELF.items()}
    mean = sum(map(len, texts.values())) / len(texts)

    def score(words: list[str]) -> float:
        together = 0.0
        for word in query.split():
            having = sum(word in other for other in texts.values())
            times = words.count(word)
            idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            together += idf * times / (times + K1 * (1 - B + B * len(words) / mean))
        return together

    scores = {docno: score(words) for docno, words in texts.items()}
    return sorted((docno for docno, value in scores.items() if value), key=lambda docno: (-scores[docno], docno))


def docnos(collection: Collection, text: str, **more: int) -> list[str]:
    return [hit.docno for hit in similar_documents(collection, text, **more).hits]


@pytest.mark.parametrize(
    "text",
    ["sound insects", "water", "grass meadow water insects", "sound sound water", "insects in the grass of sound"],
)
def test_any_of_the_words_finds_and_bm25_orders(shelf: Collection, text: str) -> None:
    assert docnos(shelf, text) == bm25(" ".join(word for word in text.split() if word not in ("in", "the", "of")))


def test_two_words_find_more_than_the_documents_that_have_both(shelf: Collection) -> None:
    page = similar_documents(shelf, "sound insects")
    assert {hit.docno for hit in page.hits} == {"d1", "d2", "d3"}
    assert (page.hits[0].docno, page.matches, page.is_cut) == ("d1", 3, False)


@pytest.mark.parametrize("text", ["", "of the", "zebra", "''", "!|&", "\\", "\\'a\\"])
def test_nothing_is_found_by_no_word(shelf: Collection, text: str) -> None:
    page = similar_documents(shelf, text)
    assert (page.hits, page.matches, page.has_next) == ([], 0, False)


@pytest.mark.slow
@given(st.text(max_size=80))
def test_any_text_is_only_words(db: None, text: str) -> None:
    assert similar_documents(Collection(pk=1), text.replace("\0", "")).hits == []


def test_pages_follow_each_other_and_end(shelf: Collection) -> None:
    whole = docnos(shelf, "sound insects grass")
    pages = [docnos(shelf, "sound insects grass", number=number, size=2) for number in (1, 2, 3)]
    assert [docno for page in pages for docno in page] == whole
    assert not similar_documents(shelf, "sound insects grass", number=2, size=2).has_next


def test_common_words_bring_no_candidates_where_rare_ones_do(
    shelf: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(docnos(shelf, "meadow water sound")) == {"d1", "d2", "d3", "d4"}
    monkeypatch.setattr(similar, "MOST_CANDIDATES", 3)  # meadow is in one document, sound and water in two each
    assert set(docnos(shelf, "meadow water sound")) == {"d1", "d2", "d3"}


def test_only_so_many_are_ranked_and_the_page_knows(shelf: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similar, "MOST_SCORED", 2)
    page = similar_documents(shelf, "sound insects water", size=1)
    assert (len(page.hits), page.matches, page.is_cut, page.has_next) == (1, 2, True, True)


def test_it_takes_three_statements_and_the_counts_are_kept(shelf: Collection, django_assert_max_num_queries) -> None:
    similar_documents(shelf, "sound")
    with django_assert_max_num_queries(2):
        similar_documents(shelf, "water")
