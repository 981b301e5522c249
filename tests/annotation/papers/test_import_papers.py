"""Papers in: ACM-CR XML, TEI, S2ORC and PDF; bad files among them; the order of papers; again and as a dry run."""

import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Extraction, ExtractionRevision
from annotation.papers.extracting import begin_extraction, save_extraction
from annotation.papers.extractions import content_of
from corpus.models import Document, ImportRun, Paper, Role
from engines.definitions.extractions import Content, write_content
from tests.corpus.imports.importing import counts, import_files
from tests.engines.pdf.pdfs import many_pages, pages_of_text, scanned
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory, one_member_each
from tests.factories.annotation import make_campaign, make_material
from tests.factories.papers import assignment_of

pytestmark = pytest.mark.django_db

GOLD = """<doc><doi>10.1/tea.{n}</doi><title>On tea {n}</title><abstract>Leaves.</abstract><contexts>
<context id="01" section="introduction"><s>Plain.</s><s cites="1,2" anonymised="true">Seen [1, 2].</s></context>
</contexts><references><reference id="1">D1</reference><reference id="2">None</reference></references></doc>"""
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Tea in TEI</title></titleStmt>
</fileDesc></teiHeader><text><body><div><head n="1">Introduction</head><p>Tea is old. Lee et al.
<ref type="bibr" target="#b0">[1]</ref> measured it.</p></div><div><head n="2">Method</head><p>We brew
<ref type="bibr" target="#b0">[1]</ref>.</p></div></body><back><div type="references"><listBibl>
<biblStruct xml:id="b0"><analytic><title level="a">Heat</title><author><persName><surname>Lee</surname></persName>
</author></analytic><monogr><imprint><date when="2019"/></imprint></monogr><idno type="DOI">10.1/doc</idno>
</biblStruct></listBibl></div></back></text></TEI>"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def take(collection, *files: Path, **options) -> ImportRun:
    return import_files(collection, *files, kind="papers", **options)


def test_gold_comes_in_again_unchanged_and_changed(tmp_path) -> None:
    collection = CollectionFactory()
    files = [write(tmp_path, f"{n}.xml", GOLD.format(n=n)) for n in (1, 2)]
    tried = take(collection, *files, dry_run=True)
    assert (counts(tried), Paper.objects.count()) == ((2, 0, 0, 0), 0)
    assert [each["file"] for each in tried.samples] == ["1.xml", "2.xml"]
    assert tried.samples[0]["fields"][:2] == [["key", "10.1/tea.1"], ["title", "On tea 1"]]
    assert ["contexts", "1"] in tried.samples[0]["fields"]
    assert counts(take(collection, *files)) == (2, 0, 0, 0)
    paper = Paper.objects.get(key="10.1/tea.1")
    assert (paper.title, paper.abstract, paper.source, paper.file_name) == ("On tea 1", "Leaves.", "acm-cr", "1.xml")
    assert (Path(settings.MEDIA_ROOT) / paper.file.name).read_bytes() == files[0].read_bytes()
    extraction = paper.extractions.get()
    assert (extraction.source, extraction.state, extraction.maker) == ("imported", "finished", "1.xml")
    (context,) = content_of(extraction).contexts
    assert [(each.text, each.cites, each.anonymised) for each in context.sentences] == [
        ("Plain.", (), False),
        ("Seen [1, 2].", ("1", "2"), True),
    ]
    assert content_of(extraction).values == {"1": "D1", "2": None}
    assert counts(take(collection, *files)) == (0, 0, 2, 0)
    write(tmp_path, "1.xml", GOLD.format(n=1).replace("Plain.", "Plainer."))
    assert counts(take(collection, *files)) == (0, 1, 1, 0)
    assert ExtractionRevision.objects.filter(extraction=extraction).count() == 2


@pytest.mark.parametrize(
    ("sections", "found"),
    [
        ([], ["introduction"]),
        (["brewing", "METHOD"], ["introduction", "", ""]),
        (["pots"], ["introduction", ""]),
        (["all"], ["introduction", "", ""]),
    ],
)
def test_contexts_are_proposed_from_the_sections_asked_for(tmp_path, sections, found) -> None:
    collection = CollectionFactory()
    pots = TEI.replace("</div></body>", "</div><div><head n='2.1'>Pots</head><p>Round [1].</p></div></body>")
    pots = pots.replace("Round [1]", 'Round <ref type="bibr" target="#b0">[1]</ref>')
    file = write(tmp_path, "tea.tei.xml", pots)
    call_command("import_papers", collection.slug, str(file), "--sections", " , ".join(sections))
    proposal = content_of(Paper.objects.get().extractions.get())
    assert [context.section for context in proposal.contexts] == found


def test_what_is_left_out_is_counted_and_shown(tmp_path, capsys, client) -> None:
    """Citing paragraphs outside the proposed sections: by the import, by the figures of the collection, on the page."""
    collection = CollectionFactory()
    call_command("import_papers", collection.slug, str(write(tmp_path, "tea.tei.xml", TEI)), "--json")
    read, remark, nameless = json.loads(capsys.readouterr().out)["remarks"]
    assert nameless.startswith("No DOI is known of 1 paper. Numbers of topics are made of the DOI")
    assert read == "tea.tei.xml: read as GROBID TEI."
    assert remark.startswith("Citing paragraphs: 1 proposed as contexts, 1 outside the proposed sections")
    call_command("collection_stats", collection.slug, "--json")
    figures = json.loads(capsys.readouterr().out)["citing_paragraphs"]
    assert figures == {"papers": 1, "in_contexts": 1, "outside": 1}
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    assert "no DOI</span>" in client.get(reverse("paper_list", args=[collection.slug])).text
    page = client.get(reverse("paper_detail", args=[collection.slug, Paper.objects.get().pk])).content.decode()
    assert "anonymised</span>" not in page, "it is a proposal"
    assert "1 citing paragraph outside the contexts, in 2 sections that cite" in page
    assert "Its heading names the introduction." in page


@pytest.mark.slow
def test_bad_files_are_reported_one_by_one_and_the_others_come_in(tmp_path) -> None:
    pages_of_text(tmp_path / "locked.pdf", password="secret")
    scanned(tmp_path / "scanned.pdf")
    whole = pages_of_text(tmp_path / "whole.pdf", pages=2).read_bytes()
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4\n" + whole[400:900])
    (tmp_path / "not.pdf").write_text("Dear all, the paper is attached.")
    many_pages(tmp_path / "long.pdf", 2_000)
    write(tmp_path, "cut.xml", GOLD.format(n=1)[:200])
    write(tmp_path, "double.xml", GOLD.format(n=3).replace('id="2"', 'id="1"'))
    write(tmp_path, "notes.dois", "[1]\t10.1/x\n")
    write(tmp_path, "good.xml", GOLD.format(n=2))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "corpus_s2orc.parquet").write_bytes(b"PAR1\0\0")
    collection = CollectionFactory()
    run = take(collection, *sorted(tmp_path.iterdir()))
    assert run.state == "done", run.reason
    assert sorted(Paper.objects.values_list("key", flat=True)) == ["10.1/tea.2", "whole"]
    reasons = {error["file"]: error["reason"] for error in run.errors if not error.get("kept")}
    assert dict.fromkeys(reasons, True) == dict.fromkeys(
        (
            "locked.pdf",
            "scanned.pdf",
            "broken.pdf",
            "not.pdf",
            "long.pdf",
            "cut.xml",
            "double.xml",
            "picture.png",
            "corpus_s2orc.parquet",
            "notes.dois",
        ),
        True,
    )
    for name, words in {
        "locked.pdf": "encrypted",
        "scanned.pdf": "pictures",
        "not.pdf": "not a PDF",
        "long.pdf": "has 2,000 pages; at most 400 are read",
        "cut.xml": "not well-formed",
        "double.xml": "appears twice",
        "picture.png": "is not a text file",
        "corpus_s2orc.parquet": "it looks like a file of topics, documents or citation mentions (parquet)",
    }.items():
        assert words in reasons[name], reasons[name]
    assert "no paper has its name" in reasons["notes.dois"]


def test_tei_gives_a_proposal_with_anonymised_sentences_and_linked_references(tmp_path) -> None:
    collection = CollectionFactory()
    Document.objects.create(collection=collection, docno="10.1/doc", title="Heat")
    assert counts(take(collection, write(tmp_path, "tea paper.tei.xml", TEI))) == (1, 0, 0, 0)
    paper = Paper.objects.get()
    assert (paper.key, paper.title, paper.source, len(paper.blocks)) == ("tea_paper.tei", "Tea in TEI", "tei", 2)
    extraction = paper.extractions.get()
    assert (extraction.source, extraction.state) == ("machine", "draft")
    content = content_of(extraction)
    (context,) = content.contexts  # the method section is not asked for
    assert (context.section, context.blocks) == ("introduction", (1,))
    assert [(each.text, each.cites, each.original) for each in context.sentences] == [
        ("Tea is old.", (), ""),
        ("[1] measured it.", ("1",), "Lee et al. [1] measured it."),
    ]
    (reference,) = content.references
    assert (reference.number, reference.value, reference.kind) == ("1", "10.1/doc", "doi")
    assert counts(take(collection, tmp_path / "tea paper.tei.xml")) == (0, 0, 1, 0)


@pytest.mark.parametrize(
    ("name", "cut", "missing"),
    [
        ("whole.xml", "", ()),
        ("no-references.xml", "<biblStruct.*</biblStruct>", ("references",)),
        ("no-sections.xml", "<head[^>]*>[^<]*</head>", ("sections",)),
        (
            "nothing.xml",
            "<div>.*</div>(?=</body>)|<biblStruct.*</biblStruct>",
            ("text blocks", "sections", "references"),
        ),
    ],
)
def test_what_a_paper_lacks_is_on_its_row_its_page_and_in_the_report(tmp_path, client, name, cut, missing) -> None:
    collection = CollectionFactory(slug="teas")
    text = re.sub(cut, "", TEI, flags=re.DOTALL) if cut else TEI
    run = take(collection, write(tmp_path, name, text))
    notes = [each["reason"] for each in run.errors if each.get("kept") and "found in it" in each["reason"]]
    listed = ", ".join(missing[:-1]) + (" or " if missing[1:] else "") + "".join(missing[-1:])
    assert notes == ([f"was imported, but no {listed} were found in it."] if missing else [])
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    row = client.get(reverse("paper_list", args=["teas"])).content.decode()
    page = client.get(reverse("paper_detail", args=["teas", Paper.objects.get().pk])).content.decode()
    assert (f">No {', '.join(missing)}</span>" in row) is bool(
        missing
    )  # one badge on a line of its own: the row is cut off
    assert (">No " in row) is bool(missing)
    assert ("Not found in the file: " + ", ".join(missing) + "." in page) is bool(missing)


def test_a_pdf_without_sections_and_references_says_so(tmp_path) -> None:
    run = take(CollectionFactory(), pages_of_text(tmp_path / "plain.pdf"), dry_run=True)
    assert ["references", "0"] in run.samples[0]["fields"]
    assert [each["reason"] for each in run.errors] == [
        "was imported, but no sections or references were found in it. If the paper has them, import the TEI that "
        "GROBID makes of it."
    ]


def test_gold_lacks_nothing(tmp_path, client) -> None:
    collection = CollectionFactory(slug="teas")
    take(collection, write(tmp_path, "1.xml", GOLD.format(n=1)))
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    assert "badge warn" not in client.get(reverse("paper_list", args=["teas"])).content.decode()


def test_s2orc_lines_are_papers_each(tmp_path) -> None:
    text = "As shown [2]."
    span = {"start": 9, "end": 12, "text": "[2]", "ref_id": "BIBREF1"}
    body = [{"text": text, "section": "Related Work", "cite_spans": [span], "ref_spans": []}]
    entries = {"BIBREF1": {"title": "T", "authors": [], "year": 2019, "venue": "", "link": None}}
    lines = [{"paper_id": f"p{n}", "title": "S", "body_text": body, "bib_entries": entries} for n in (1, 2)]
    path = write(tmp_path, "s.jsonl", "".join(json.dumps(line) + "\n" for line in [*lines, {"paper_id": "p3"}]))
    run = take(CollectionFactory(), path)
    assert (counts(run), run.errors[0]["line"]) == ((2, 0, 0, 1), 3)
    paper = Paper.objects.get(key="p1")
    (context,) = content_of(paper.extractions.get()).contexts
    assert (context.section, context.sentences[0].text, context.sentences[0].cites) == ("related work", text, ("1",))


def test_a_marker_without_its_reference_is_a_note_and_the_paper_comes_in(tmp_path) -> None:
    span = {"start": 9, "end": 12, "text": "[2]", "ref_id": "BIBREF9"}
    body = [{"text": "As shown [2].", "section": "Method", "cite_spans": [span], "ref_spans": []}]
    line = {"paper_id": "p1", "title": "S", "body_text": body, "bib_entries": {"BIBREF0": {"title": "Heat"}}}
    run = take(CollectionFactory(), write(tmp_path, "s.jsonl", json.dumps(line) + "\n"))
    assert (counts(run), run.notes) == ((1, 0, 0, 0), 1)
    assert [(error["line"], error["kept"]) for error in run.errors] == [(1, True)]


@pytest.mark.slow
def test_gold_and_pdf_of_one_paper_meet(tmp_path) -> None:
    collection = CollectionFactory()
    take(collection, write(tmp_path, "gold.xml", GOLD.format(n=1)))
    pdf = pages_of_text(tmp_path / "tea.1.pdf")
    assert counts(take(collection, pdf)) == (0, 1, 0, 0)
    paper = Paper.objects.get()
    assert (paper.title, paper.source, paper.file_name, len(paper.pages)) == ("On tea 1", "pdf", "tea.1.pdf", 1)
    assert sorted(paper.extractions.values_list("source", flat=True)) == ["imported", "machine"]
    assert counts(take(collection, tmp_path / "gold.xml")) == (0, 0, 1, 0)
    assert Paper.objects.get().source == "pdf"


def test_notes_of_a_sheet_are_kept_in_and_out(tmp_path, client) -> None:
    collection = CollectionFactory(slug="teas")
    sheet = "[1]\tD1\tsigir-98\n-[2]\tN/A\tbook, superseded by the 2nd edition\nof which more below\n"
    files = [
        write(tmp_path, "tea.1.dois", sheet),
        write(tmp_path, "tea.1.xml", GOLD.format(n=1).replace("tea.1", "a/tea.1")),
    ]
    run = take(collection, *files)
    read = ["tea.1.dois: read as .dois sheet.", "tea.1.xml: read as ACM-CR XML."]
    assert counts(run) == (1, 0, 0, 0)
    assert run.remarks == [*read, "Notes on 2 references were read from 1 `.dois` sheets."]
    assert "is not “[number] TAB address TAB note”" in run.errors[0]["reason"]
    paper = Paper.objects.get()
    assert paper.reference_notes == {"1": "sigir-98", "2": "book, superseded by the 2nd edition"}
    call_command("export", "teas", "--format", "acm-cr", "--out", str(tmp_path / "out"))
    written = (tmp_path / "out" / "tea.1.dois").read_text()
    assert written == "-[1]\tD1\tsigir-98\n-[2]\tN/A\tbook, superseded by the 2nd edition\n"  # D1 is no document here
    assert counts(take(collection, files[0])) == (0, 0, 1, 0)
    files[0].write_text(sheet.replace("98", "99"))
    assert counts(take(collection, files[0])) == (0, 1, 0, 0)
    client.force_login(one_member_each(collection)[Role.MANAGER].user)
    assert "(sigir-99)" in client.get(reverse("paper_detail", args=["teas", paper.pk])).content.decode()


def test_a_table_gives_order_and_numbers(tmp_path) -> None:
    collection = CollectionFactory()
    files = [write(tmp_path, f"{n}.xml", GOLD.format(n=n)) for n in (1, 2, 3)]
    table = write(tmp_path, "papers.tsv", "doi\tfirst_sentence_number\n10.1/tea.3\t7\n10.1/tea.1\t\n10.1/none\t1\n")
    assert counts(take(collection, *files, table)) == (3, 0, 0, 0)
    order = list(Paper.objects.values_list("key", "first_sentence_number"))
    assert order == [("10.1/tea.3", 7), ("10.1/tea.1", None), ("10.1/tea.2", None)]
    assert counts(take(collection, table)) == (0, 0, 2, 0)


@pytest.mark.slow
def test_what_people_have_begun_is_left_alone(tmp_path) -> None:
    made = make_material(topics=0)
    take(made.collection, write(tmp_path, "p.xml", TEI))
    campaign = make_campaign(made, name="Contexts", kind="extraction", overlap=3)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    paper, by = Paper.objects.get(), made.people["ana"]
    mine = begin_extraction(assignment=assignment_of(campaign, "ana", paper), by=by, at=AT)
    save_extraction(extraction=mine, content=write_content(Content()), base=1, by=by, at=AT)
    write(tmp_path, "p.xml", TEI.replace("Tea is old.", "Tea is new."))
    run = take(made.collection, tmp_path / "p.xml")
    assert (counts(run), "have begun to work on p" in run.errors[0]["reason"]) == ((0, 0, 1, 0), True)
    assert "Tea is old." in Paper.objects.get().blocks[0]["text"]
    assert content_of(Extraction.objects.get(pk=mine.pk)) == Content()


def test_the_command_reports_what_happened(tmp_path, capsys) -> None:
    collection = CollectionFactory()
    call_command("import_papers", collection.slug, str(write(tmp_path, "1.xml", GOLD.format(n=1))), "--json")
    result = json.loads(capsys.readouterr().out)
    assert [result[name] for name in ("created", "updated", "unchanged", "skipped", "errors")] == [1, 0, 0, 0, []]
    with pytest.raises(CommandError, match="the only record was refused"):
        call_command("import_papers", collection.slug, str(write(tmp_path, "bad.txt", "Dear all,")))
