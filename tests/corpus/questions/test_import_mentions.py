"""Citation mentions from files: every form, linked to documents, twice the same, never silently bent."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts.models import JobState
from corpus.models import CitationMention, Link, MentionReference
from corpus.questions.mention_storing import NOTHING_LINKED, link_mentions
from corpus.questions.mentions import MentionFilter, find_mentions, pieces_of
from corpus.topics.origins import fetch_origin
from tests.corpus.imports.importing import counts, import_files, jsonl
from tests.factories.corpus import DocumentFactory, TopicFactory
from tests.factories.mentions import TEXT, MentionFactory, make_mention, make_question

PARSE = {
    "paper_id": "77",
    "title": "On kettles",
    "pdf_parse": {
        "body_text": [
            {
                "section": "Intro",
                "text": "As shown [2].",
                "cite_spans": [{"start": 9, "end": 12, "text": "[2]", "ref_id": "BIBREF1"}],
            },
            {"section": "Intro", "text": "Nothing is cited here.", "cite_spans": []},
        ],
        "bib_entries": {"BIBREF1": {"title": "White tea and its water", "link": "12"}},
    },
}
ANNOTATED = {
    "corpusid": 5,
    "externalids": {"doi": "10.1/own"},
    "content": {
        "text": "On cups As seen [1]. B. Chan. Cups of bone.",
        "annotations": {
            "title": json.dumps([{"start": 0, "end": 7}]),
            "paragraph": json.dumps([{"start": 8, "end": 20}]),
            "bibref": json.dumps([{"start": 16, "end": 19, "attributes": {"ref_id": "b0"}}]),
            "bibentry": json.dumps([{"start": 21, "end": 43, "attributes": {"id": "b0", "matched_paper_id": 12}}]),
        },
    },
}
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>On spoons</title></titleStmt>
</fileDesc></teiHeader><text><body><div><head n="1">Intro</head><p>Seen <ref type="bibr" target="#b0">[1]</ref> and
<ref type="bibr" target="#b9">[2]</ref>.</p></div></body><back><div type="references"><listBibl>
<biblStruct xml:id="b0"><analytic><title level="a">White Tea, and Its Water!</title></analytic><monogr><imprint>
<date when="2019"/></imprint></monogr></biblStruct></listBibl></div></back></text></TEI>"""


def line(**changes: Any) -> dict[str, Any]:
    """A paragraph in our own form."""
    return {
        "source_id": "s1",
        "source_title": "On kettles",
        "section": "1",
        "text": "As shown [2].",
        "markers": [{"start": 9, "end": 12, "keys": ["b1"]}],
        "references": {"b1": {"id": "12", "title": "White tea and its water"}},
    } | changes


@pytest.fixture
def document(collection):
    return DocumentFactory(collection=collection, docno="12", title="White tea and its water", doi="10.5/White")


def load(collection, path: Path, **options: Any):
    return import_files(collection, path, kind="mentions", **options)


def reasons(run) -> list[str]:
    return [error["reason"] for error in run.errors]


# --- the forms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("item", [PARSE, ANNOTATED], ids=["2020", "2023"])
def test_s2orc_of_both_generations(collection, document, tmp_path, item):
    run = load(collection, jsonl(tmp_path / "s2orc.jsonl", [item]))
    assert (run.state, counts(run), run.errors) == (JobState.DONE, (1, 0, 0, 0), [])
    mention = CitationMention.objects.get()
    (reference,) = mention.references.all()
    assert (reference.document, reference.link) == (document, Link.ID)
    assert mention.text[mention.markers[0]["start"] : mention.markers[0]["end"]] in ("[1]", "[2]")
    assert mention.source_document is None


def test_doc2json_writes_one_object_over_many_lines(collection, document, tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(2):
        paper = PARSE | {"paper_id": f"p{number}", "header": {"date_generated": "2024"}, "identifiers": {}}
        (folder / f"{number}.json").write_text(json.dumps(paper, indent=4))
    (folder / "broken.json").write_text(json.dumps(PARSE, indent=4)[:300])
    run = load(collection, folder)
    assert run.state == JobState.FAILED
    assert "neither a single JSON object" in run.reason
    (folder / "broken.json").unlink()
    run = load(collection, folder)
    assert (counts(run), run.errors) == ((2, 0, 0, 0), [])
    assert set(CitationMention.objects.values_list("source_key", flat=True)) == {"id:p0", "id:p1"}


def test_grobid_tei_with_a_marker_that_names_nothing(collection, document, tmp_path):
    path = tmp_path / "spoons.tei.xml"
    path.write_text(TEI)
    run = load(collection, path)
    assert counts(run) == (1, 0, 0, 0)
    assert reasons(run) == ["a marker names b9, which is not in the list of references"]
    mention = CitationMention.objects.get()
    assert (mention.source_key, mention.section) == ("title:onspoons", "1 Intro")
    assert [piece.text for piece in pieces_of(mention)] == ["Seen ", "[1]", " and ", "[2]", "."]
    assert mention.references.get().link == Link.TITLE


def test_the_command_line_reads_json_lines_and_reports_in_json(collection, document, tmp_path, capsys):
    path = jsonl(
        tmp_path / "mentions.jsonl", [line(), line(text="More [1].", markers=[{"start": 5, "end": 8, "keys": ["b1"]}])]
    )
    call_command("import_mentions", "tea", str(path), "--json")
    result = json.loads(capsys.readouterr().out)
    assert (result["created"], result["updated"], result["unchanged"], result["skipped"], result["errors"]) == (
        2,
        0,
        0,
        0,
        [],
    )
    assert list(CitationMention.objects.order_by("position").values_list("position", flat=True)) == [0, 1]


# --- again ------------------------------------------------------------------------------------------------------------


def test_again_changes_nothing_and_a_change_is_an_update(collection, document, tmp_path):
    path = jsonl(tmp_path / "m.jsonl", [line(), line(source_id="s2")])
    load(collection, path)
    before = list(MentionReference.objects.values_list("pk", flat=True))
    assert counts(load(collection, path)) == (0, 0, 2, 0)
    assert list(MentionReference.objects.values_list("pk", flat=True)) == before
    run = load(collection, jsonl(tmp_path / "m.jsonl", [line(section="7"), line(source_id="s2")]))
    assert counts(run) == (0, 1, 1, 0)
    assert CitationMention.objects.get(source_id="s1").section == "7"
    assert MentionReference.objects.count() == 2


def test_what_questions_were_written_from_stays(collection, document, tmp_path):
    load(collection, jsonl(tmp_path / "m.jsonl", [line()]))
    question = make_question(CitationMention.objects.get(), topic=TopicFactory(collection=collection), keys=["b1"])
    run = load(collection, jsonl(tmp_path / "m.jsonl", [line(section="7"), line(source_id="s2")]))
    assert counts(run) == (1, 0, 0, 1)
    assert "questions were written from it" in reasons(run)[0]
    origin = fetch_origin(question.topic)
    assert [(piece.text, piece.is_target) for piece in origin.pieces] == [
        ("As shown ", False),
        ("[2]", True),
        (".", False),
    ]
    assert [reference.document for reference in origin.targets] == [document]
    assert origin.template.version == 1
    assert fetch_origin(TopicFactory(collection=collection)) is None


def test_a_dry_run_counts_and_writes_nothing(collection, document, tmp_path):
    elsewhere = line(source_id="s2", references={"b1": {"id": "99", "title": "A paper that nobody has"}})
    run = load(collection, jsonl(tmp_path / "m.jsonl", [line(), elsewhere]), dry_run=True, only_linked=True)
    assert counts(run) == (1, 0, 0, 1)
    assert run.skips == {NOTHING_LINKED: 1}
    assert not CitationMention.objects.exists()
    assert counts(load(collection, jsonl(tmp_path / "m.jsonl", [line(), elsewhere]), only_linked=True)) == (1, 0, 0, 1)
    assert CitationMention.objects.get().source_id == "s1"


# --- links ------------------------------------------------------------------------------------------------------------


def linked(collection, tmp_path, reference: dict[str, Any], **changes: Any) -> MentionReference:
    load(collection, jsonl(tmp_path / "m.jsonl", [line(references={"b1": reference}, **changes)]))
    return MentionReference.objects.get()


@pytest.mark.parametrize(
    ("reference", "link"),
    [
        ({"id": "12", "title": "Something else entirely"}, "id"),
        ({"id": "no-such", "doi": "10.5/WHITE"}, "doi"),
        ({"title": "White Tea -- and its water"}, "title"),
        ({"id": "no-such", "doi": "10.5/other", "title": "Another title altogether"}, ""),
        ({"title": "Tea"}, ""),
        ({}, ""),
    ],
)
def test_links_by_id_then_doi_then_title(collection, document, tmp_path, reference, link):
    found = linked(collection, tmp_path, reference)
    assert found.link == link
    assert (found.document == document) is bool(link)


def test_a_doi_may_be_the_docno_as_in_acm(collection, tmp_path):
    document = DocumentFactory(collection=collection, docno="10.1145/ABC.1")
    assert linked(collection, tmp_path, {"doi": "10.1145/abc.1"}).document == document


@pytest.mark.parametrize("reference", [{"title": "White tea and its water"}, {"doi": "10.5/white"}])
def test_what_several_documents_share_is_not_guessed(collection, document, tmp_path, reference):
    DocumentFactory(collection=collection, docno="13", title="White tea: and its water", doi="10.5/white")
    found = linked(collection, tmp_path, reference)
    assert (found.document, found.link) == (None, Link.AMBIGUOUS)


def test_sources_inside_the_collection_are_known_and_other_collections_are_not_looked_at(
    collection, document, tmp_path
):
    DocumentFactory(docno="s1", title="On kettles")  # of another collection
    load(collection, jsonl(tmp_path / "m.jsonl", [line()]))
    assert CitationMention.objects.get().source_document is None
    kettles = DocumentFactory(collection=collection, docno="s1", title="On kettles")
    assert link_mentions(collection.pk) == 1
    assert CitationMention.objects.get().source_document == kettles
    assert link_mentions(collection.pk) == 0


# --- what is wrong with a file ----------------------------------------------------------------------------------------


def test_markers_that_do_not_fit_are_reported_and_their_paragraph_stays(collection, document, tmp_path):
    good = {"start": 9, "end": 12, "keys": ["b1"]}
    bad = [
        {"start": 9, "end": 99, "keys": ["b1"]},
        {"start": -1, "end": 3, "keys": ["b1"]},
        {"start": 3, "end": 3, "keys": ["b1"]},
        {"start": "9", "end": 12, "keys": ["b1"]},
        {"start": 0, "end": 2, "keys": "b1"},
        {"start": 0, "end": 2, "keys": ["b1"], "text": "Is"},
        7,
    ]
    run = load(collection, jsonl(tmp_path / "m.jsonl", [line(markers=[*bad, good])]))
    assert counts(run) == (1, 0, 0, 0)
    assert all("does not fit the text of 13 characters" in reason for reason in reasons(run))
    assert len(run.errors) == 7
    assert CitationMention.objects.get().markers == [good]


def test_s2orc_markers_out_of_place_are_notes_about_a_paragraph_that_comes_in(collection, document, tmp_path):
    annotated = json.loads(json.dumps(ANNOTATED))
    spans = json.loads(annotated["content"]["annotations"]["bibref"])
    spans += [
        {"start": 16, "end": 999, "attributes": {"ref_id": "b0"}},
        {"start": 8, "end": 10, "attributes": {"ref_id": "b7"}},
    ]
    annotated["content"]["annotations"]["bibref"] = json.dumps(spans)
    run = load(collection, jsonl(tmp_path / "s2orc.jsonl", [annotated]))
    assert counts(run) == (1, 0, 0, 0)
    assert "does not fit the text of 43 characters" in reasons(run)[0]
    assert reasons(run)[1] == "paper 5: the marker 'As' names 'b7', which is not among the bibentries"


def test_a_cited_id_that_is_nowhere_and_markers_that_overlap(collection, document, tmp_path):
    markers = [
        {"start": 9, "end": 12, "keys": ["b1", "b7"]},
        {"start": 10, "end": 13, "keys": ["b1"]},
    ]
    run = load(collection, jsonl(tmp_path / "m.jsonl", [line(markers=markers)]))
    assert reasons(run) == [
        "the marker '[2]' names 'b7', which is not among the references",
        "the marker '2].' at 10 overlaps the one before it",
    ]
    assert CitationMention.objects.get().markers == [{"start": 9, "end": 12, "keys": ["b1"]}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"text": ""}, "has no text"),
        ({"text": 3}, "has no text"),
        ({"markers": {}}, "'markers' is not a list"),
        ({"markers": []}, "nothing is cited here"),
        ({"references": [1]}, "'references' is not an object"),
        ({"source_id": "", "source_title": ""}, "does not say which paper"),
        ({"paragraph": -1}, "'paragraph' is not a whole number"),
        ({"paragraph": True}, "'paragraph' is not a whole number"),
        ({"source_id": "x" * 300}, "a source id of 300 characters"),
        ({"text": "As shown [2]." + "x" * 60_000}, "a text of 60013 characters"),
        ({"references": {"b1": {"id": "x" * 300}}}, "a cited id of 300 characters"),
    ],
)
def test_bad_lines_are_reported_and_the_others_go_in(collection, document, tmp_path, changes, words):
    run = load(collection, jsonl(tmp_path / "m.jsonl", [line(**changes), line(source_id="fine")]))
    assert words in reasons(run)[0]
    assert counts(run) == (1, 0, 0, 1)


@pytest.mark.parametrize("key", ["b\0", "b\ud800"])
def test_keys_that_cannot_be_stored_are_reported(collection, document, tmp_path, key):
    """They hide in the JSON within the JSON of S2ORC's annotations."""
    annotated = json.loads(json.dumps(ANNOTATED))
    annotations = annotated["content"]["annotations"]
    for kind in ("bibref", "bibentry"):
        annotations[kind] = annotations[kind].replace('"b0"', json.dumps(key))
    run = load(collection, jsonl(tmp_path / "s2orc.jsonl", [annotated, PARSE]))
    assert counts(run) == (1, 0, 0, 1)
    assert "cannot be stored" in reasons(run)[0] or "not a character" in reasons(run)[0]


def test_a_paragraph_that_comes_twice_is_taken_once(collection, document, tmp_path):
    run = load(collection, jsonl(tmp_path / "m.jsonl", [line(paragraph=1), line(paragraph=1, text="Not this [2].")]))
    assert counts(run) == (1, 0, 0, 1)
    assert CitationMention.objects.get().text == "As shown [2]."


def test_a_file_of_something_else_says_so(collection, tmp_path):
    run = load(collection, jsonl(tmp_path / "d.jsonl", [{"docno": "1", "title": "x"}]))
    assert run.state == JobState.FAILED
    assert "holds no citation mentions" in run.reason


def test_html_is_text(collection, document, tmp_path):
    load(
        collection,
        jsonl(
            tmp_path / "m.jsonl",
            [line(text="<script>x</script> [2]", markers=[{"start": 19, "end": 22, "keys": ["b1"]}])],
        ),
    )
    assert CitationMention.objects.get().text.startswith("<script>")


# --- finding ----------------------------------------------------------------------------------------------------------


def test_a_sample_is_the_same_for_the_same_seed(collection):
    for number in range(30):
        MentionFactory(collection=collection, source_key=f"id:{number}")
    taken = [
        [mention.source_key for mention in find_mentions(collection, MentionFilter(sample=5, seed=seed))]
        for seed in (1, 1, 2)
    ]
    assert taken[0] == taken[1] != taken[2]
    assert len(set(taken[0])) == 5
    bigger = [mention.source_key for mention in find_mentions(collection, MentionFilter(sample=9, seed=1))]
    assert bigger[:5] == taken[0]  # a larger sample holds the smaller one
    CitationMention.objects.all().delete()
    for number in reversed(range(30)):
        MentionFactory(collection=collection, source_key=f"id:{number}")
    again = [mention.source_key for mention in find_mentions(collection, MentionFilter(sample=5, seed=1))]
    assert again == taken[0]


def test_filters(collection, document):
    inside = make_mention({"b0": document}, collection=collection, source_document=document, text=TEXT + " Kettles!")
    outside = make_mention({"b0": None}, collection=collection)
    make_question(outside)
    other = MentionFactory()

    def found(**wanted: Any) -> list[CitationMention]:
        return list(find_mentions(collection, MentionFilter(**wanted)))

    assert other not in found()
    assert (found(source="inside"), found(source="outside")) == ([inside], [outside])
    assert (found(target="yes"), found(target="no")) == ([inside], [outside])
    assert (found(used="yes"), found(used="no")) == ([outside], [inside])
    assert found(text="kettle white", source="inside") == [inside]
    assert found(text='"no such words"') == []
    assert found(state="discarded") == []
