"""Indexes on disk: the terms of texts, and scores compared with those of independent libraries."""

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.ranking.analysis import Analysis, analysis_of, terms_of, tokenise
from engines.ranking.index import Index, Settings, ShardWriter, best_of, finish
from engines.ranking.porter import nltk_stem
from engines.ranking.scorers import BM25, OKAPI, SCORERS, TFIDF, in_a_byte

TEXTS = [
    "Dense retrieval of passages with dense vectors.",
    "Sparse retrieval: inverted indexes, and weights of terms.",
    "Vectors, vectors and more vectors",
    "",
    "A study of query logs in libraries",
    "Retrieval in libraries, with logs of queries and sparse weights",
]
QUERIES = ["dense vectors for retrieval", "logs of libraries", "vectors vectors weights", "nothing shared", ""]


def build(folder: Path, texts: list[str], chosen: Settings | None = None) -> Index:
    return written(folder / "index", chosen or Settings(), enumerated(texts))


def enumerated(texts: list[str]) -> list[tuple[int, str]]:
    return [(10 * number, text) for number, text in enumerate(texts)]


def written(folder: Path, chosen: Settings, documents: list[tuple[int, Any]], size: int = 1_000_000) -> Index:
    """An index of shards with `size` documents each."""
    shards = [documents[at : at + size] for at in range(0, len(documents), size)] or [[]]
    for number, shard in enumerate(shards):
        writer = ShardWriter(folder / str(number), chosen)
        writer.add(shard)
        writer.write()
    finish(folder, chosen, len(shards))
    return Index(folder)


@pytest.mark.parametrize(
    ("text", "tokens", "expected"),
    [
        ("It's Re-Ranking: BM25_x!", "words", ["it", "s", "re", "ranking", "bm25", "x"]),
        ("Größe naïve ﬁnd ①", "words", ["grosse", "naive", "find", "1"]),
        ("A to-do: x is BM25.", "pairs", ["to", "do", "is", "bm25"]),
        (
            "O'Neil's 1,000.5 e.g. U.S. a:b x_1 3.x",
            "lucene",
            ["o'neil's", "1,000.5", "e.g", "u.s", "a:b", "x_1", "3", "x"],
        ),
        ("Größe से BERT模型听 🦉!", "scripts", ["größe", "से", "bert", "模型", "型听", "🦉"]),
        ("", "words", []),
    ],
)
def test_tokens(text: str, tokens: str, expected: list[str]) -> None:
    assert tokenise(text, tokens) == expected


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("ar", "هل تسمع البومة؟ تسمعها البوم، كِتاب", ["تسمع", "بوم", "تسمع", "بوم", "کتاب"]),
        ("he", "הינשוף של שָׁלוֹם.", ["הינשוף", "שלום"]),
        ("de", "Über die Größe der Eulen", ["gross", "eul"]),
        ("ru", "Сова слышит и ночью", ["сов", "слыш", "ноч"]),
        ("zh", "猫头鹰 的 BERT。", ["猫头", "头鹰", "的", "bert"]),
        ("hi", "किताबें और किताब।", ["किताब", "किताब"]),
        ("en", "The owls", ["owls"]),
        ("mul", "The owls", ["the", "owls"]),
    ],
)
def test_a_language_has_its_terms(language: str, text: str, terms: list[str]) -> None:
    chosen = analysis_of(language)
    assert [term for term in terms_of(text, chosen) if term != "the" or language != "en"] == terms
    assert (chosen == Analysis()) is (language == "en")  # what was made of English stays what it is


@pytest.mark.parametrize("language", ["ar", "he", "fa", "zh", "ja", "th", "hi", "vi", "ko", "mul"])
def test_every_script_is_found_in_an_index(language: str, tmp_path: Path) -> None:
    texts = [
        "سمع البوم في الظلام",
        "שמיעת ינשופים",
        "شنوایی جغدها",
        "猫头鹰的听觉🦉",
        "フクロウの聴覚",
        "การได้ยินของนกฮูก",
    ]
    texts += ["उल्लू की सुनने की क्षमता", "Thính giác của cú", "올빼미의 청각", "Hearing of owls"]
    index = build(tmp_path, texts, Settings(analysis_of(language)))
    queries = ["البوم", "ינשופים", "جغدها", "头鹰", "聴覚", "นกฮูก", "उल्लू", "CÚ", "올빼미", "owls", "🦉"]
    found = [index.search(BM25, query, 3).ids.tolist() for query in queries]
    assert found == [[10 * number] for number in [*range(10), 3]]


def test_ascii_and_other_texts_are_cut_in_the_same_way() -> None:
    plain = "".join(chr(code) for code in range(32, 127))
    assert tokenise(plain) == tokenise(plain + " é")[:-1]


def test_lucene_cuts_the_possessive_off_before_it_looks_for_stop_words() -> None:
    assert terms_of("O'Neil's it's index", Analysis("lucene", stop_words=False)) == ["o'neil", "index"]


def test_terms_are_stemmed_and_words_of_grammar_left_out() -> None:
    assert terms_of("The retrieving of the documents", Analysis(stop_words=False, stemmer="porter")) == [
        "retriev",
        "document",
    ]


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown tokens"):
        Analysis(tokens="letters")


def test_bm25_scores_are_those_of_bm25s(tmp_path: Path) -> None:
    import bm25s  # slow to import: it brings numba

    index = build(tmp_path, TEXTS, Settings(k1=0.9, b=0.4))
    oracle = bm25s.BM25(method="lucene", k1=0.9, b=0.4)
    oracle.index([tokenise(text) for text in TEXTS], show_progress=False)
    for query in QUERIES:
        known = [term for term in tokenise(query) if term in oracle.vocab_dict]
        expected = oracle.get_scores(known) if known else np.zeros(len(TEXTS))
        assert index.scores(BM25, query) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_tfidf_ranks_as_scikit_learn_does(tmp_path: Path) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer  # slow to import

    index = build(tmp_path, TEXTS)
    oracle = TfidfVectorizer(analyzer=tokenise)
    matrix = oracle.fit_transform(TEXTS)
    for query in QUERIES:
        vector = oracle.transform([query])
        scale = np.linalg.norm(np.array(list(_raw(oracle, query))))
        expected = (matrix @ vector.T).toarray().ravel() * (scale or 1)
        assert index.scores(TFIDF, query) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def _raw(oracle: Any, query: str) -> list[float]:
    words = tokenise(query)
    known = {word for word in words if word in oracle.vocabulary_}
    return [words.count(word) * oracle.idf_[oracle.vocabulary_[word]] for word in known]


def test_a_search_gives_ids_best_first(tmp_path: Path) -> None:
    hits = build(tmp_path, TEXTS).search(BM25, "vectors", 10)
    assert list(hits.ids) == [20, 0]
    assert hits.scores[0] > hits.scores[1] > 0


def test_an_empty_collection_finds_nothing(tmp_path: Path) -> None:
    assert len(build(tmp_path, []).search(BM25, "anything", 5)) == 0


def test_a_collection_without_words_finds_nothing(tmp_path: Path) -> None:
    assert len(build(tmp_path, ["", "..."]).search(TFIDF, "anything", 5)) == 0


def test_an_index_written_again_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    build(tmp_path, ["old words"])
    assert len(build(tmp_path, ["new words"]).search(BM25, "old", 5)) == 0


def test_stop_words_and_stems_work_in_an_index(tmp_path: Path) -> None:
    index = build(tmp_path, TEXTS, Settings(Analysis(stop_words=False, stemmer="porter")))
    assert len(index.search(BM25, "of the and", 5)) == 0
    assert list(index.search(BM25, "librari", 5).ids) == [40, 50]


@pytest.mark.slow
@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]), max_size=40), st.integers(0, 50))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_best_are_those_a_full_sort_puts_first(values: list[float], depth: int) -> None:
    scores = np.array(values, dtype=np.float32)
    expected = [place for _, place in sorted((-value, place) for place, value in enumerate(values) if value)]
    assert list(best_of(scores, depth)) == expected[:depth]


@pytest.mark.slow
@given(st.lists(st.text(alphabet="abé 1.", max_size=30), min_size=1, max_size=8))
@settings(deadline=None, max_examples=40)
def test_every_document_with_a_shared_term_is_found_and_no_other(texts: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        index = build(Path(folder), texts)
        for query in texts:
            wanted = {10 * n for n, text in enumerate(texts) if set(tokenise(text)) & set(tokenise(query))}
            assert set(index.search(BM25, query, len(texts)).ids.tolist()) == wanted


def okapi(texts: list[str], query: str, k1: float, b: float) -> list[float]:
    """rank_bm25's BM25Okapi, written out document by document."""
    documents = [tokenise(text) for text in texts]
    mean = sum(map(len, documents)) / len(documents)
    held = {term: sum(term in document for document in documents) for document in documents for term in document}
    idf = {term: math.log(len(texts) - n + 0.5) - math.log(n + 0.5) for term, n in held.items()}
    raised = 0.25 * sum(idf.values()) / len(idf)
    idf = {term: value if value >= 0 else raised for term, value in idf.items()}
    scores = []
    for document in documents:
        norm = k1 * (1 - b + b * len(document) / mean)
        counts = [(idf.get(term, 0), document.count(term)) for term in tokenise(query)]
        scores.append(sum(weight * n * (k1 + 1) / (n + norm) for weight, n in counts))
    return scores


def test_okapi_scores_are_those_of_rank_bm25(tmp_path: Path) -> None:
    index = build(tmp_path, TEXTS, Settings(k1=1.5, b=0.75))
    for query in QUERIES:
        assert index.scores(OKAPI, query) == pytest.approx(okapi(TEXTS, query, 1.5, 0.75), rel=1e-5, abs=1e-6)


@pytest.mark.slow
@given(st.lists(st.text(alphabet="abc ", max_size=12), min_size=1, max_size=9), st.integers(1, 4))
@settings(deadline=None, max_examples=30)
def test_shards_give_what_one_index_gives_to_the_last_bit(texts: list[str], size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole = build(Path(folder), texts)
        cut = written(Path(folder) / "shards", Settings(), enumerated(texts), size)
        assert len(cut.shards) == max(1, math.ceil(len(texts) / size))
        for scorer in SCORERS:
            for query in (*texts, "a b c"):
                assert whole.scores(scorer, query).tobytes() == cut.scores(scorer, query).tobytes()
                one, other = whole.search(scorer, query, 4), cut.search(scorer, query, 4)
                assert (one.ids.tolist(), one.scores.tobytes()) == (other.ids.tolist(), other.scores.tobytes())


def test_documents_can_be_left_out_or_be_the_only_ones(tmp_path: Path) -> None:
    index = build(tmp_path, TEXTS)
    assert list(index.search(BM25, "vectors", 10, without={20, 990}).ids) == [0]
    assert list(index.search(BM25, "vectors", 10, among={0, 40, 50, 990}, without={40}).ids) == [0, 50]


def test_weights_count_a_term_as_often(tmp_path: Path) -> None:
    twice = build(tmp_path / "a", ["tea tea pot", "pot"], Settings())
    weighted = written(tmp_path / "b", Settings(weights=(2.0, 1.0)), [(0, ("tea", "pot")), (10, ("", "pot"))])
    for scorer in SCORERS:
        assert weighted.scores(scorer, "tea pot") == pytest.approx(twice.scores(scorer, "tea pot"))


def test_lucene_keeps_lengths_in_a_byte() -> None:
    assert [in_a_byte(length) for length in (0, 39, 40, 41, 42, 57, 100, 1000)] == [0, 39, 40, 40, 42, 56, 96, 984]


@pytest.mark.parametrize(
    ("word", "stem"),
    [("dying", "die"), ("flies", "fli"), ("ties", "tie"), ("enjoy", "enjoy"), ("happy", "happi"), ("analogy", "analog"),
     ("relational", "relat"), ("hopefully", "hope"), ("controlling", "control"), ("as", "as"), ("agreed", "agre")],
)  # fmt: skip
def test_nltk_stems_in_its_own_way(word: str, stem: str) -> None:
    assert nltk_stem(word) == stem
