import json
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from engines.formats.reading import read_path
from engines.formats.records import BrokenFile, Problem, Remark
from engines.formats.registry import detect
from tests.shared import shared_path


def detected(head: bytes, file: str = "f", wanted: str = "") -> str:
    return detect(head, file, wanted)[1].name


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("% export\n@inproceedings{10.1/2,\ntitle = {T}}", "bibtex"),
        ("\ufeff@Article(k, title={T})", "bibtex"),
        ('{"_id": "1", "title": "T", "text": "x"}\n', "beir-corpus"),
        ('{"_id": "1", "text": "x"}\n', "beir-queries"),
        ('{"docno": "1", "title": "x"}', "jsonl-documents"),
        ('{"docno": "1", "title": "x", "number": 3, "topic": "law"}', "jsonl-documents"),
        ('{"id": "1", "title": "x", "abstract": "y", "number": 3}', "jsonl-documents"),
        ('{"corpusid": 1, "title": "x", "abstract": "y", "citations": [], "full_paper": ""}', "litsearch-corpus"),
        ('{"paper_id": "1", "title": "x", "has_pdf_parse": true}', "s2orc"),
        ('{"number": "1", "text": "x"}', "jsonl-topics"),
        ('{"id": "1", "text": "x", "aspects": []}', "jsonl-topics"),
        ('{"query_set": "inline_acl", "query": "?", "corpusids": [1]}', "litsearch-queries"),
        ('{"corpusid": 1, "externalids": {}, "content": {}}', "s2orc"),
        ('{"paper_id": "1", "abstract": [], "body_text": []}', "s2orc"),
        ('{"annotator": "a", "topic": "1", "value": 2}', "jsonl-judgments"),
        ('{"Query": [{"query_text": "x", "candidate_pool": []}]}', "doris-mae-json"),
        ("<DOC>\n<DOCNO>1</DOCNO>\n", "trec-documents"),
        ("\n<top>\n<num> Number: 1\n", "trec-topics"),
        ('<?xml version="1.0"?>\n<topics><topic number="1">', "trec-xml-topics"),
        ("Query: 0\n\nI need", "doris-mae"),
        ("1 Q0 d1 1 3.5 tag\n1 Q0 d2 2 3.0 tag\n", "trec-run"),
        ("1 0 d1 1\n1\tann\td2\t-1\n", "trec-qrels"),
        ("query-id\tcorpus-id\tscore\n1\td\t2\n", "beir-qrels"),
        ("annotator,topic,docno,criterion,value\n", "csv-judgments"),
        ('"topic";"annotator";"note";"value"\r\n', "csv-judgments"),
    ],
)
def test_formats_are_detected(head: str, found: str) -> None:
    assert detected(head.encode()) == found


@pytest.mark.parametrize("carried", ["documents", "topics", "qrels"])
@pytest.mark.parametrize("head", [b"id,ti\rtle\n1,A\n", b'"1",d\r1,1\n', b"topic;query\r1;b\n2;c\n"])
def test_a_first_line_that_is_no_csv_is_no_error_of_the_program(carried: str, head: bytes) -> None:
    with suppress(BrokenFile):
        assert detect(head, "f.csv", carried)


def test_a_first_line_longer_than_the_head_is_recognised_by_its_keys() -> None:
    line = json.dumps({"_id": "1", "title": "T", "text": "x" * 1000})
    assert detected(line[:500].encode()) == "beir-corpus"


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"\x89PNG\n\0\0", "is not a text file"),
        (b"Dear colleagues,\nplease find", "begins with “Dear colleagues, please find”.*name the format"),
        (b'{"a": 1}', "not recognised"),
        (b'[{"id": 1}]', "not recognised"),
        (b"name,year\n", "not recognised"),
        (b"# 1 0 d1 1\n\n# 1 0 d2 1\n", "all lines at its beginning are comments"),
    ],
)
def test_an_unknown_format_is_refused_with_the_way_out(head: bytes, reason: str) -> None:
    with pytest.raises(BrokenFile, match=reason):
        detected(head)


# {"q_0": {"c_1": 0.5}} as Python 2 and 3 write it
PICKLES = (
    b"(dp0\nVq_0\np1\n(dp2\nVc_1\np3\nF0.5\nss.",
    b"\x80\x02}q\x00X\x03\x00\x00\x00q_0q\x01}q\x02X\x03\x00\x00\x00c_1q\x03G?\xe0\x00\x00\x00\x00\x00\x00ss.",
    b"\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x03q_0\x94}\x94\x8c\x03c_1\x94G?\xe0\x00\x00\x00\x00\x00\x00ss.",
)


@pytest.mark.parametrize("wanted", ["runs", "topics", "papers"])
def test_scores_as_a_pickle_are_never_read(wanted: str) -> None:
    for place, head in enumerate(PICKLES):
        for name in ("scores.pkl", "scores") if place else ("scores.pkl",):  # the oldest looks like text
            with pytest.raises(BrokenFile, match=r"is a Python pickle, which is never read.*scores as a TREC run"):
                detected(head, name, wanted)


@pytest.mark.parametrize(
    ("head", "file", "found"),
    [
        (b"%PDF-1.7\n\0\xff", "a", "pdf"),
        (b"no pdf at all", "a.pdf", "pdf"),  # its own reader says best what is wrong with it
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<TEI xmlns="http://www.tei-c.org/ns/1.0">', "a.xml", "tei"),
        (b"<doc>\n\t<doi>10.1/x</doi>", "a.xml", "acm-cr"),
        (b'{"paper_id": "1", "body_text": []}', "a.jsonl", "s2orc"),
        (b'{"a": 1}', "a.jsonl", "s2orc"),
        (b"doi\tvenue\tfirst_sentence_number\n", "papers.tsv", "paper-order"),
        (b"doi,first_sentence_number\r\n", "papers.csv", "paper-order"),
        (b"[1]\t10.1/x\tcikm-18", "a.dois", "dois"),
    ],
)
def test_files_of_papers_are_distinguished(head: bytes, file: str, found: str) -> None:
    assert detected(head, file, "papers") == found


@pytest.mark.shared
@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("acm-cr/contexts.topics", "trec-topics"),
        ("acm-cr/contexts.qrels", "trec-qrels"),
        ("csfcube/papers.jsonl", "jsonl-documents"),
        ("csfcube/specter.run", "trec-run"),
        ("doris-mae/queries.txt", "doris-mae"),
        ("doris-mae/judged/corpus.jsonl", "beir-corpus"),
        ("doris-mae/judged/queries.jsonl", "beir-queries"),
        ("doris-mae/runs/bm25.run", "trec-run"),
        ("llmjudge/human.qrels", "trec-qrels"),
        ("llmjudge/labels/TREMA-other.qrels", "trec-qrels"),
    ],
)
def test_shared_files_are_distinguished(path: str, found: str) -> None:
    assert detected(shared_path("data", path).read_bytes()[: 1 << 16], path) == found


@pytest.mark.parametrize("format_name", ["auto", "beir"])
def test_of_a_whole_data_set_of_beir_each_import_takes_its_own_file(tmp_path: Path, format_name: str) -> None:
    path = tmp_path / "set.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("set/corpus.jsonl", '{"_id": "d1", "title": "Owl", "text": "Owls hear."}\n')
        archive.writestr("set/queries.jsonl", '{"_id": "q1", "text": "owl hearing?"}\n')
    for carried, taken, name in (("documents", "d1", "queries.jsonl"), ("topics", "q1", "corpus.jsonl")):
        found = [each for each in read_path(carried, path, format_name) if not isinstance(each, Remark)]
        (problem,) = [each for each in found if isinstance(each, Problem)]
        assert (problem.file, problem.reason.split(":")[0]) == (f"set.zip/set/{name}", "left out")
        (record,) = [each for each in found if not isinstance(each, Problem)]
        assert (record.docno if carried == "documents" else record.number) == taken
