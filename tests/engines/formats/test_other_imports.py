"""Each format's sample sent to each import: another sort of records comes in where that is said here, else nowhere."""

from pathlib import Path

import pytest

from engines.formats.overview import SORTS
from engines.formats.reading import read_path
from engines.formats.records import BrokenFile, Remark
from engines.formats.registry import detect, formats
from engines.formats.sorts import sorts_named

COMING_WITH = {"paper-order": "papers", "reference-notes": "papers"}  # what they are imported with
GRADES = {"judgments", "pool", "qrels"}
FULL_TEXTS = {"documents", "papers", "mentions"}
# What a file of (format, sort) is read as too, because the same file serves both or nothing tells them apart.
ALSO = {
    **{key: {"documents", "topics"} for key in (("beir", "documents"), ("beir", "topics"), ("table", "topics"))},
    ("litsearch", "runs"): {"topics"},
    **{("qrels", sort): GRADES for sort in GRADES},
    **{(name, sort): {"pool", "qrels"} for name in ("beir", "qrels-json") for sort in ("pool", "qrels")},
    **{(name, sort): FULL_TEXTS for name in ("s2orc", "tei") for sort in FULL_TEXTS},
    **dict.fromkeys(
        (("doris-mae", sort) for sort in ("documents", "pool", "judgments")),
        {"documents", "topics", *GRADES} - {"qrels"},
    ),
}
# A sample that is one sort only, although files of its format hold several: its reader says so.
ALSO["qrels-json", "pool"] = set()
SAMPLES = [
    (each.name, carried, wanted)
    for each in formats().own.values()
    for carried in each.reads
    if each.layouts[carried].sample
    for wanted in SORTS
    if wanted != carried and wanted not in COMING_WITH
]


@pytest.mark.parametrize(("name", "carried", "wanted"), SAMPLES)
def test_a_file_of_another_sort_is_said_to_be_one(name: str, carried: str, wanted: str) -> None:
    sample = formats()[name].layouts[carried].sample
    shape = detect(sample.encode(), "f", wanted)[1]
    if wanted in shape.carries:
        assert wanted in ALSO.get((name, carried), {COMING_WITH.get(carried)})
    else:
        assert carried in shape.carries


READ_ELSEWHERE = [
    ("1,d1\n1,d2\n", "pool"),
    ("topic\tdocno\n1\towl\n", "pool"),
    ('{"topic": "1", "docno": "d1"}\n', "pool"),
    ('[{"qid": 1, "docid": "d1"}]', "pool"),
    ('{"query_id": "1", "doc_id": "d1", "relevance": 2}\n', "qrels"),
    ('[{"query_id": "1", "doc_id": "d1", "relevance": 2}]', "qrels"),
    ('{"qrels": [{"query_id": "1", "doc_id": "d1", "relevance": 2}]}', "qrels"),
    ("1,0,d1,2\n1,0,d2,0\n", "qrels"),
    ("1,d1,2\n1,d2,0\n", "qrels"),
    ("doi,first_sentence_number\n10.1145/1,1\n10.1145/2,\n", "papers"),
    ("doi\tvenue\tfirst_sentence_number\n10.1145/1\tsigir\t1\n", "papers"),
    ("-[1]\t10.1145/1\tthe extended version\n", "papers"),
    ("d1\tOwls at night\tThey hear well.\nd2\tMoths\tThey are quiet.\n", "documents"),
    ("id\ttitle\tabstract\tyear\n1\tOwls of old\tEars\t2020\n", "documents"),
    ("id,title,abstract,year\n1,Owls,Ears,2020\n", "documents"),
    ('{"corpusid": 1, "title": "Owls", "abstract": "Ears."}\n', "documents"),
    ('{"source_doi": "10.1/3", "text": "As [2].", "markers": []}\n', "mentions"),
    ("1\thow do owls hear now\n2\twhy are moths so quiet\n", "topics"),
    ('[{"id": "a", "title": "Owls", "author": [{"family": "U"}], "DOI": "10.1145/1"}]', "documents"),
]


@pytest.mark.parametrize(("content", "held"), READ_ELSEWHERE)
@pytest.mark.parametrize("wanted", ["documents", "topics", "qrels", "runs", "judgments", "mentions"])
def test_a_file_people_have_leads_to_its_import(content: str, held: str, wanted: str, tmp_path: Path) -> None:
    if held == wanted or ({held, wanted} == {"documents", "topics"} and content[:3] in ("d1\t", "1\th")):
        return  # an id and texts between tabs, of which nobody can say which they are
    for name in ("f.txt", "f.csv" if "," in content.partition("\n")[0] else "f.tsv"):
        (tmp_path / name).write_text(content)
        try:
            (found,) = read_path(wanted, tmp_path / name)
            assert wanted == "mentions"  # whose files do not stop each other
        except BrokenFile as broken:
            found = broken
        assert held in sorts_named(found.reason)


@pytest.mark.parametrize("wanted", ["documents", "topics", "qrels", "pool", "runs", "judgments"])
@pytest.mark.parametrize(
    "content",
    [
        "qid,docno,rank,score\n1,d1,1,2.5\n",
        '{"qid": "1", "docno": "d1", "rank": 1, "score": 2.5}\n',
        '{"1": {"d1": 2.5, "d2": 1.5}}',
    ],
)
def test_a_run_that_is_not_read_is_called_one_with_what_to_write(content: str, wanted: str, tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_text(content)
    with pytest.raises(BrokenFile, match="it looks like a run as a table or JSON; write six columns with spaces"):
        list(read_path(wanted, tmp_path / "f.txt"))


@pytest.mark.parametrize(
    ("content", "wanted", "reason"),
    [
        ('{"Corpus": [{"title": "Owls"}]}', "topics", "it has no Query; it looks like a file of documents"),
        ('{"Corpus": [{"title": "Owls"}]}', "judgments", "it has no Annotation; it looks like a file of documents"),
        ('{"Query": [{"query_text": "Q"}]}', "documents", "no Corpus; it looks like a file of topics or pool lists"),
    ],
)
def test_parts_that_a_file_of_doris_mae_lacks_are_named(content: str, wanted: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text(content)
    with pytest.raises(BrokenFile, match=reason):
        list(read_path(wanted, tmp_path / "f.json"))


@pytest.mark.parametrize(
    "content",
    [
        "1 d;1\n1 d,2\n",
        '1,d;1\n1,"d,2"\n',
        'docno;topic\n"d;1";1\nd,2;1\n',
        '1,"d;1"\n1,"d,2"\n1,owl\n',
        '{"topic": 1, "docno": "d;1"}\n{"topic": 1, "docno": "d,2"}\n',
        '{"1": {"d;1": 0, "d,2": 1}}',
    ],
)
def test_pool_lists_are_read_however_their_columns_are_separated(content: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text(content)
    found = [each for each in read_path("pool", tmp_path / "f") if not isinstance(each, Remark)]
    assert [(row.topic, row.docno) for row in found][:2] == [("1", "d;1"), ("1", "d,2")]
