"""Citation contexts out: topics, qrels, XML, sheets, the blacklist; by command, page and API."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from adjudication.guide.facts import GuideFacts
from adjudication.guide.steps import STEPS
from annotation.models import Campaign, ExtractionSource
from corpus.models import Collection, Document, Membership, Paper
from engines.definitions.extractions import (
    Content,
    ExtractedContext,
    ExtractedReference,
    ExtractedSentence,
    kind_of,
)
from engines.formats.acm_cr import read_acm_cr
from tests.corpus.imports.importing import counts, import_files
from tests.factories.annotation import Material, make_campaign, make_material
from tests.factories.papers import PaperFactory, make_content, make_extraction

pytestmark = pytest.mark.django_db


@pytest.fixture
def material() -> Material:
    """Documents d0000 to d0003; two papers with gold and one with a proposal only."""
    made = make_material(topics=0)
    first = PaperFactory(collection=made.collection, key="10.1145/9.7654321", title="Tea & time")
    sentences = (
        ExtractedSentence("Plain."),
        ExtractedSentence("Seen [2, 1].", ("2", "1")),
        ExtractedSentence("Again [1], not [3].", ("1", "3")),
    )
    values = ("d0001", "d0000", "d0002 ", None, "10.1145/9.8765432")
    references = tuple(ExtractedReference(str(n), value, kind=kind_of(value)) for n, value in enumerate(values, 1))
    contexts = (
        ExtractedContext("01", "introduction", sentences),
        ExtractedContext("02", "", (ExtractedSentence("Of us [5] [3].", ("5", "3")),)),
        ExtractedContext("01", "", (ExtractedSentence("Twice [1].", ("1",)), ExtractedSentence("Four [4].", ("4",)))),
    )
    make_extraction(first, ExtractionSource.IMPORTED, Content(contexts, references))
    second = PaperFactory(collection=made.collection, key="10.1145/9.8765432", title="More", first_sentence_number=40)
    make_extraction(second, ExtractionSource.IMPORTED, make_content(values=("d0000", "d0003")))
    Document.objects.create(collection=made.collection, docno="10.1145/9.8765432", title="A citing paper")
    third = PaperFactory(collection=made.collection, key="10.1145/9.9999999", title="Proposed")
    make_extraction(third, ExtractionSource.MACHINE, make_content(values=("d0002", None)))
    return made


def export(out: Path, *words: str) -> str:
    call_command("export", "teas", *words, "--out", str(out))
    return out.read_text(encoding="utf-8")


def test_paragraphs_become_topics_and_qrels_by_the_rules(material, tmp_path) -> None:
    rows = export(tmp_path / "q", "--format", "qrels", "--level", "paragraph").splitlines()
    assert rows == [
        "765432101\t2\td0000\t1",
        "765432101\t1\td0001\t1",  # once, although a second context of this number cites it as well
        "876543201\t1\td0000\t1",
        "876543201\t2\td0003\t1",
    ]
    topics = export(tmp_path / "t", "--format", "topics", "--level", "paragraph")
    assert topics.count("<num> Number: 765432101\n<title> Tea & time\n\n<desc> Description:\n") == 2
    assert "Plain. Seen [2, 1]. Again [1], not [3].\n" in topics
    zero = export(tmp_path / "z", "--format", "qrels", "--level", "paragraph", "--iteration", "zero").splitlines()
    assert [row.split("\t")[1] for row in zero] == ["0"] * 4


def test_sentences_are_numbered_through_or_from_where_a_paper_says(material, tmp_path) -> None:
    own = export(tmp_path / "o", "--format", "qrels", "--level", "sentence").splitlines()
    assert list(dict.fromkeys(row.split("\t")[0] for row in own)) == ["7654320", "7654321", "7654322", "87654340"]
    through = export(tmp_path / "h", "--format", "qrels", "--level", "sentence", "--first-number", "8").splitlines()
    numbers = list(dict.fromkeys(row.split("\t")[0] for row in through))
    assert numbers == ["7654328", "7654329", "76543210", "87654311"]


def test_xml_and_sheets_come_out_and_go_in_again(material, tmp_path) -> None:
    call_command("export", "teas", "--format", "acm-cr", "--out", str(tmp_path / "out"), "--drafts")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [f"9.{tail}.{suffix}" for tail in ("7654321", "8765432", "9999999") for suffix in ("dois", "xml")]
    assert (tmp_path / "out" / "9.7654321.dois").read_text() == (
        "[1]\td0001\n[2]\td0000\n-[3]\td0002\n-[4]\tN/A\n-[5]\t10.1145/9.8765432\n"
    )
    with (tmp_path / "out" / "9.9999999.xml").open("rb") as stream:
        assert read_acm_cr(stream, "f").status == "machine"
    again = Collection.objects.create(slug="again", title="Again", created_at=material.collection.created_at)
    run = import_files(again, *sorted((tmp_path / "out").glob("*.xml")), kind="papers")
    assert counts(run) == (3, 0, 0, 0)
    before, after = (
        [
            (each.paper.key, each.paper.title, each.source, each.revisions.get().content["contexts"][0]["sentences"])
            for paper in Paper.objects.filter(collection=collection).order_by("key")
            for each in paper.extractions.all()
        ]
        for collection in (material.collection, again)
    )
    assert [(key, title, source) for key, title, source, _ in before] == [row[:3] for row in after]
    assert [[(s["text"], s["cites"], s["anonymised"]) for s in row[3]] for row in before] == [
        [(s["text"], s["cites"], s["anonymised"]) for s in row[3]] for row in after
    ]


def test_a_folder_that_cannot_be_filled_is_refused_in_a_sentence(material, tmp_path) -> None:
    (tmp_path / "out" / "9.7654321.dois").mkdir(parents=True)  # where a file should be
    with pytest.raises(CommandError, match=r"9\.7654321\.dois cannot be written: Is a directory\."):
        call_command("export", "teas", "--format", "acm-cr", "--out", str(tmp_path / "out"))


def test_what_nobody_has_confirmed_stays_out_unless_asked_for(material, tmp_path, capsys) -> None:
    call_command("export", "teas", "--format", "qrels", "--level", "paragraph", "--out", str(tmp_path / "q"), "--json")
    result = json.loads(capsys.readouterr().out)
    assert [each["code"] for each in result["warnings"]] == ["drafts", "repeated-numbers", "papers-inside"]
    rows = export(tmp_path / "d", "--format", "qrels", "--level", "paragraph", "--include-drafts").splitlines()
    assert rows[-1] == "999999901\t1\td0002\t1"
    assert "--include-drafts is now --drafts" in capsys.readouterr().err
    Paper.objects.exclude(key__endswith="9999999").delete()
    with pytest.raises(CommandError, match=r"No paper has been confirmed yet\. Add --drafts"):
        export(tmp_path / "n", "--format", "qrels", "--level", "paragraph")
    Paper.objects.all().delete()
    with pytest.raises(CommandError, match="has no papers"):
        export(tmp_path / "n", "--format", "topics", "--level", "sentence")
    with pytest.raises(CommandError, match="one of these: qrels, topics"):
        export(tmp_path / "n", "--format", "beir", "--level", "sentence")


def test_papers_without_a_doi_are_named_where_numbers_are_made_of_it(material, tmp_path, capsys) -> None:
    out = str(tmp_path / "q")
    call_command("export", "teas", "--format", "qrels", "--level", "paragraph", "--out", out)
    assert "no DOI" not in capsys.readouterr().err
    Paper.objects.filter(key__endswith="7654321").update(key="bells")
    call_command("export", "teas", "--format", "qrels", "--level", "paragraph", "--out", out)
    assert "1 paper has no DOI, of which numbers of topics are made" in capsys.readouterr().err


def test_two_papers_cannot_share_a_number(material, tmp_path) -> None:
    other = PaperFactory(collection=material.collection, key="10.9/x.7654321")
    make_extraction(other, ExtractionSource.IMPORTED, make_content())
    with pytest.raises(CommandError, match=r"Two papers would give topics the same number \(765432101\)"):
        export(tmp_path / "n", "--format", "topics", "--level", "paragraph")


def test_citing_papers_are_listed_and_left_out_of_the_documents(material, tmp_path) -> None:
    listed = export(tmp_path / "b", "--format", "blacklist").split()
    assert listed == ["10.1145/9.7654321", "10.1145/9.8765432", "10.1145/9.9999999"]
    documents = export(tmp_path / "d", "--format", "documents")
    assert [json.loads(line)["docno"] for line in documents.splitlines()] == ["d0000", "d0001", "d0002", "d0003"]


@pytest.mark.slow
def test_the_page_offers_contexts_where_there_are_papers(material, client, django_assert_max_num_queries) -> None:
    client.force_login(material.people["vic"])
    with django_assert_max_num_queries(75):  # papers are read once for all exports
        page = client.get(reverse("export_list", args=["teas"]), {"drafts": "1"}).content.decode()
    assert "TREC qrels of sentences" in page
    assert "drafts=1&amp;level=paragraph" in page
    address = reverse("export_download", args=["teas", "qrels"])
    answer = client.get(address, {"level": "paragraph", "iteration": "zero"})
    assert answer["Content-Disposition"] == 'attachment; filename="teas-paragraph.qrels"'
    assert b"".join(answer.streaming_content).startswith(b"765432101\t0\td0000\t1\n")
    packed = client.get(reverse("export_download", args=["teas", "acm-cr"]), {"drafts": "1"})
    with zipfile.ZipFile(io.BytesIO(b"".join(packed.streaming_content))) as archive:
        assert len(archive.namelist()) == 6
    Paper.objects.all().delete()
    assert "Citation contexts</h2>" not in client.get(reverse("export_list", args=["teas"])).content.decode()


def test_contexts_come_first_where_papers_are_worked_on(material, client) -> None:
    client.force_login(material.manager)
    campaign = make_campaign(material, name="Contexts", kind="extraction", strategy="planned")
    report = client.get(reverse("context_report", args=["teas"])).text
    [link] = re.findall(r'href="([^"]+)">Topics and qrels<', report)
    way = guide_export_link(material, campaign)
    for address in (link, way):
        page = client.get(address).text
        assert page.index('id="contexts-heading"') < page.index('id="judgments-heading"')
        inside = page.partition(f'id="{link.partition("#")[2]}"')
        assert inside[0].rpartition("<details")[2].split(">")[0].endswith(" open")
        assert "judges no documents" not in page.partition('id="judgments-heading"')[0]
        notes = re.findall(
            r'badge warn">note</span>\s*<span[^>]*>\s*(?:<span>)?\s*(.*?)\s*</span>',
            inside[2].partition("</details>")[0],
            re.S,
        )
        assert notes
        assert len(notes) == len(set(notes)), "a note is said once"


def guide_export_link(material: Material, campaign: Campaign) -> str:
    membership = Membership.objects.get(collection=material.collection, user=material.manager)
    [link] = [way.address for way in STEPS[-2].ways(GuideFacts(membership, campaign)) if way.label == "See all exports"]
    return link


def test_the_api_gives_the_same_and_refuses_bad_numbers(material, client) -> None:
    client.force_login(material.people["vic"])
    address = reverse("api_export", args=["teas", "qrels"])
    answer = client.get(address, {"level": "sentence", "first_number": "8"})
    assert b"".join(answer.streaming_content).startswith(b"7654328\t2\td0000\t1\n")
    for bad in ("x", "-1", "9" * 12):
        assert client.get(address, {"level": "sentence", "first_number": bad}).status_code == 422
