"""The full-text search in the language of a collection: vectors, queries, hits, similar documents, beginnings."""

import pytest
from django.db import connection

from accounts import jobs
from corpus.collections.collections import update_collection
from corpus.documents.finding import (
    HIT_END,
    HIT_START,
    find_by_beginnings,
    has_searchable_words,
    search_documents,
    titled_alike,
)
from corpus.documents.similar import similar_documents
from corpus.migrations import _languages
from corpus.models import Collection, Document, SearchEntry
from engines.text import scripts
from engines.text.languages import LANGUAGES
from tests.factories.accounts import AT, CollectionFactory

TITLES = {
    "ar": "هل تسمع البومة في الظلام؟",
    "he": "שׁמיעת «ינשופים» בחושך, עד 3.5 kHz.",
    "fa": "شنوایی جغدها: می‌شنوند؟",
    "zh": "BERT猫头鹰。夜间听觉",
    "ja": "フクロウは夜に聞く",
    "th": "การได้ยินของนกฮูก",
    "hi": "उल्लू किताबें सुनते हैं।",
    "vi": "Cú nghe rất tốt",
    "ko": "올빼미는 어둠에서 듣는다",
    "de": "Über das Gehör der Eulen",
    "en": "Owls hear 🦉 in the dark",
}


@pytest.fixture
def made(db: None) -> dict[str, Collection]:
    found = {}
    for language, title in TITLES.items():
        found[language] = CollectionFactory(slug=f"owls-{language}", language=language)
        Document.objects.create(collection=found[language], docno="D1", title=title, abstract="Ein Kauz. " * 60 + title)
        Document.objects.create(collection=found[language], docno="D2", title="🦉", abstract="BERT")
    return found


def docnos(collection: Collection, text: str) -> list[str]:
    return [hit.docno for hit in search_documents(collection, text).hits]


@pytest.mark.parametrize(
    ("language", "text", "lit"),
    [
        ("ar", "البوم", "البومة"),  # another ending, and no question mark in the way
        ("he", "שמיעת ינשופים", "ינשופים"),  # with points and without
        ("fa", "میشنوند", "می‌شنوند"),
        ("zh", "猫头鹰", "猫头鹰"),
        ("zh", "听", "听"),
        ("zh", "bert", "BERT"),
        ("zh", '"夜间听觉" 猫头', "夜间听觉"),
        ("ja", "フクロウ", "フクロウ"),
        ("th", "นกฮูก", "นกฮูก"),
        ("hi", "किताब", "किताबें"),
        ("vi", "CÚ", "Cú"),
        ("ko", "올빼미", "올빼미"),
        ("de", "Eule", "Eulen"),
        ("en", "owl", "Owls"),
    ],
)
def test_what_is_written_is_found_and_lit(made: dict[str, Collection], language: str, text: str, lit: str) -> None:
    (hit,) = (hit for hit in search_documents(made[language], text).hits if hit.docno == "D1")
    assert f"{HIT_START}{lit}{HIT_END}" in hit.title
    assert f"{HIT_START}{lit}{HIT_END}" in hit.extract
    assert len(hit.extract) < 500
    if len(text) > 1:  # a whole word, or a pair of characters
        assert "D1" in [each.docno for each in similar_documents(made[language], text).hits]


def test_what_must_be_absent_and_what_is_no_word(made: dict[str, Collection]) -> None:
    assert docnos(made["zh"], "bert -猫头鹰") == ["D2"]
    assert docnos(made["zh"], "鹰头") == docnos(made["zh"], '"猫头 夜间"') == []
    assert docnos(made["zh"], "🦉") == ["D2"]
    assert not has_searchable_words(made["de"], "und der die")
    assert has_searchable_words(made["zh"], "听")
    assert not has_searchable_words(made["zh"], "。！")


@pytest.mark.parametrize(
    ("language", "typed"), [("ar", "البوم"), ("zh", "猫"), ("zh", "猫头"), ("hi", "कित"), ("en", "ow"), ("th", "นกฮ")]
)
def test_beginnings_are_found_in_all_collections_at_once(
    made: dict[str, Collection], language: str, typed: str
) -> None:
    everywhere = [each.pk for each in made.values()]
    assert made[language].pk in {each.collection_id for each in find_by_beginnings(everywhere, typed, most=20)}


def test_equal_titles_are_looked_up_in_the_language(made: dict[str, Collection]) -> None:
    for language, collection in made.items():
        wanted = titled_alike(collection, [TITLES[language], "nothing"], most=5)
        assert [each.docno for each in Document.objects.filter(pk__in=wanted)] == ["D1"], language


def test_another_language_enters_all_documents_again(made: dict[str, Collection]) -> None:
    collection = made["en"]
    Document.objects.filter(collection=collection, docno="D1").update(title="البومة في الظلام؟")
    assert docnos(collection, "البوم") == []
    update_collection(by=None, at=AT, collection=collection, language="ar")
    collection.refresh_from_db()
    assert set(SearchEntry.objects.filter(collection=collection).values_list("language", flat=True)) == {"en"}
    jobs.complete(collection.indexings.get())
    assert set(SearchEntry.objects.filter(collection=collection).values_list("language", flat=True)) == {"ar"}
    assert docnos(collection, "البوم") == ["D1"]


def test_english_vectors_and_queries_are_those_of_before(db: None) -> None:
    texts = ["The Owls' hearing: naïve “tests” of 3.5 kHz, état-of-the-art 猫头鹰", "owls -dark", '"barn owl" or x']
    with connection.cursor() as cursor:
        for text in texts:
            cursor.execute(
                "SELECT corpus_search_vector('en', %(t)s, %(t)s) = setweight(to_tsvector('english', %(t)s), 'A') ||"
                " setweight(to_tsvector('english', %(t)s), 'B'),"
                " corpus_search_query('en', %(t)s) = websearch_to_tsquery('english', %(t)s)",
                {"t": text},
            )
            assert cursor.fetchone() == (True, True)


def test_the_database_knows_the_languages_and_scripts_of_the_engines(db: None) -> None:
    for name in ("SPACELESS", "ACCENTS", "PICTURES", "JOINERS"):
        assert getattr(_languages, name) == getattr(scripts, name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT code, corpus_search_config(code)::text FROM unnest(%s::text[]) code", [list(LANGUAGES)])
        assert dict(cursor.fetchall()) == {each.code: each.search for each in LANGUAGES.values()}
