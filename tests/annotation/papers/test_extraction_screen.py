"""What the extraction screen asks for: saving with a base, steps, proposals, readings, pictures, and nobody else's."""

import json
from copy import deepcopy

import pytest
from django.urls import reverse

from annotation.assignment.assignments import assign_items
from annotation.campaigns.guidelines import write_guideline
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Assignment, Extraction, ExtractionSource
from annotation.papers.extracting import begin_extraction
from annotation.papers.extraction_screen import paper_data
from annotation.papers.extractions import content_of
from engines.definitions.block_contexts import (
    cleaning,
    context_of_block,
    next_context_id,
    readings_of,
    without_proposals,
)
from engines.definitions.extractions import Content, write_content
from engines.formats.papers import Reference
from engines.pdf.texts import read_sentence
from tests.engines.pdf.pdfs import pages_of_text
from tests.factories.annotation import AT, Material, make_campaign, make_material
from tests.factories.corpus import DocumentFactory
from tests.factories.papers import PaperFactory, assignment_of, make_content, make_extraction
from tests.stubs.registries import RegistryStub, Reply, crossref, item

pytestmark = pytest.mark.django_db

BLOCK = {
    "id": 3,
    "kind": "paragraph",
    "part": "introduction",
    "text": "Tea holds information. Lee et al. [2] measured it.",
    "printed": "Tea holds infor-\nmation. Lee et al. [2] measured it.",
    "sentences": [{"end": 22}, {"start": 23, "end": 50, "cites": ["b1"]}],
}
ENTRIES = [{"number": "1", "key": "b0"}, {"number": "2", "key": "b1", "authors": ["Bo Lee"], "raw": "Bo Lee. On tea."}]


@pytest.fixture(scope="module")
def shared_material(module_db: None) -> Material:
    made = make_material(topics=1, annotators=("ann", "bob"))
    paper = PaperFactory(collection=made.collection, blocks=[BLOCK], references=ENTRIES)
    make_extraction(paper, ExtractionSource.MACHINE, make_content())
    campaign = make_campaign(made, name="Contexts", kind="extraction")
    assign_items(campaign=campaign, by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    return made


@pytest.fixture
def material(db: None, shared_material: Material) -> Material:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_material)


@pytest.fixture
def work(material: Material) -> Extraction:
    return begin_extraction(assignment=own(material), by=material.people["ann"], at=AT)


def own(material: Material, name: str = "ann") -> Assignment:
    campaign = material.collection.campaigns.get(slug="contexts")
    return assignment_of(campaign, name, material.collection.papers.get())


def address(name: str, material: Material, who: str = "ann") -> str:
    return reverse(name, args=[material.collection.slug, "contexts", own(material, who).pk])


def post(client, url: str, sent: object):
    body = sent if isinstance(sent, str | bytes) else json.dumps(sent)
    return client.post(url, body, content_type="application/json")


def test_no_proposal_is_applied_unseen(work: Extraction) -> None:
    sentences = content_of(work).contexts[0].sentences
    assert sentences[1].text == "Lee et al. [1, 2] measured it."
    assert not any(each.anonymised or each.original for each in sentences)


def test_saving_makes_a_revision_and_an_old_base_gets_the_newest(material, work, client) -> None:
    client.force_login(material.people["ann"])
    changed = write_content(Content(references=content_of(work).references))
    saved = post(client, address("extraction_save", material), {"base": 1, "steps": [{**changed, "change": "emptied"}]})
    assert (saved.status_code, saved.json()["revision"], saved.json()["undo"]) == (200, 2, True)
    late = post(client, address("extraction_save", material), {"base": 1, "steps": [changed]})
    assert late.status_code == 409
    assert late.json()["revision"] == 2
    assert late.json()["content"] == changed
    mine = client.get(reverse("api_assignments", args=[material.collection.slug, "contexts"])).json()["results"]
    assert [(each["paper"], each["topic"]) for each in mine] == [(work.paper.key, None)]
    stale = post(client, address("extraction_move", material), {"step": "undo", "base": 1})
    assert (stale.status_code, stale.json()["revision"]) == (409, 2)
    assert post(client, address("extraction_move", material), {"step": "undo", "base": "2"}).status_code == 400
    back = post(client, address("extraction_move", material), {"step": "undo", "base": 2})
    assert (back.json()["revision"], back.json()["redo"]) == (1, True)
    assert work.revisions.count() == 2


def test_edits_sent_together_are_revisions_of_their_own(material, work, client, django_assert_max_num_queries) -> None:
    """Each says only what differs from the one before, and is undone alone; readings of new sentences come back."""
    client.force_login(material.people["ann"])
    (context,) = write_content(content_of(work))["contexts"]
    said = {**context, "sentences": [{"text": "Lee et al. [2] steeped it.", "cites": ["2"]}]}
    steps = [
        {"change": "text", "contexts": [said]},
        {"change": "nothing", "contexts": [0], "references": [0, 1]},
        {"change": "context 02", "contexts": [0, {**context, "id": "02"}]},
        {"change": "reference removed", "references": [1]},
    ]
    url = address("extraction_save", material)
    with django_assert_max_num_queries(32):
        saved = post(client, url, {"base": 1, "steps": steps}).json()
    assert saved["revision"] == 4
    assert saved["readings"]["Lee et al. [2] steeped it."]["anonymised"] == "[2] steeped it."
    assert saved["readings"]["Tea is old."] is None
    assert list(work.revisions.order_by("number").values_list("change", flat=True)) == [
        "begun", "text", "context 02", "reference removed",
    ]  # fmt: skip
    newest = content_of(Extraction.objects.get(pk=work.pk))
    assert [each.id for each in newest.contexts] == ["01", "02"]
    assert [each.number for each in newest.references] == ["2"]
    back = post(client, address("extraction_move", material), {"step": "undo", "base": 4}).json()
    assert [each["number"] for each in back["content"]["references"]] == ["1", "2"]


def test_readings_come_with_the_page(material, work, client) -> None:
    readings = paper_data(work.paper, content_of(work))["readings"]
    assert readings["Tea is old."] is None
    assert readings["Lee et al. [1, 2] measured it."]["anonymised"] == "[1, 2] measured it."


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("not json", 400),
        (b"\xff\xfe", 400),
        ("[" * 100_000, 400),
        ([], 400),
        ({"base": "1", "steps": [{}]}, 400),
        ({"base": True, "steps": [{}]}, 400),
        ({"base": 1, "steps": []}, 400),
        ({"base": 1, "steps": {}}, 400),
        ({"base": 1, "steps": [{}] * 501}, 400),
        ({"base": 1, "steps": [3]}, 422),
        ({"base": 1, "steps": [{"contexts": [1]}]}, 422),
        ({"base": 1, "steps": [{"contexts": [-1]}]}, 422),
        ({"base": 1, "steps": [{"references": [0, 0]}]}, 422),
        ({"base": 1, "steps": [{"contexts": [{"id": "1 2"}]}]}, 422),
        ({"base": 1, "steps": [{"contexts": []}, {"contexts": "x"}]}, 422),
        ({"base": 1, "steps": [{"contexts": [], "references": [], "more": 1}]}, 422),
        ({"base": 1, "steps": [{"contexts": [{"id": "1", "section": "\ud800"}]}]}, 400),
    ],
)
def test_what_is_no_extraction_is_refused_and_nothing_changes(material, work, client, sent, status) -> None:
    client.force_login(material.people["ann"])
    answer = post(client, address("extraction_save", material), sent)
    assert answer.status_code == status
    assert answer.json()["reason"]
    assert work.revisions.count() == 1


def test_another_annotators_work_does_not_exist(material, work, client) -> None:
    client.force_login(material.people["bob"])
    for name in ("extraction_save", "extraction_move", "extraction_propose", "extraction_read"):
        assert post(client, address(name, material), {"base": 1}).status_code == 404
    page = reverse("extraction_page", args=[material.collection.slug, "contexts", own(material).pk, 1])
    assert client.get(page).status_code == 404


def test_a_picture_of_a_page_is_sent_once_and_asked_for_each_time(material, work, client, settings, tmp_path) -> None:
    """Who is signed out gets nothing, whatever the browser has kept."""
    settings.MEDIA_ROOT = tmp_path
    file = pages_of_text(tmp_path / "tea.pdf", lines=3)
    paper = {"file": file.name, "sha256": "5" * 64, "source": "pdf", "pages": [{"width": 595, "height": 842}]}
    material.collection.papers.update(**paper)
    page = reverse("extraction_page", args=[material.collection.slug, "contexts", own(material).pk, 1])
    client.force_login(material.people["ann"])
    first = client.get(page)
    assert (first.status_code, first["Cache-Control"], first["Content-Type"]) == (
        200,
        "private, no-cache",
        "image/webp",
    )
    again = client.get(page, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content, again["Cache-Control"]) == (304, b"", "private, no-cache")
    material.collection.papers.update(sha256="6" * 64)
    assert client.get(page, headers={"if-none-match": first["ETag"]}).status_code == 200
    client.logout()
    assert client.get(page, headers={"if-none-match": first["ETag"]}).status_code == 302


def test_a_block_becomes_a_context_with_its_cleaning(material, work, client, django_assert_max_num_queries) -> None:
    client.force_login(material.people["ann"])
    url = address("extraction_propose", material)
    with django_assert_max_num_queries(9):
        (found,) = post(client, url, {"blocks": [3]}).json()["proposals"]
    assert found["context"]["id"] == "02"
    assert [each["cites"] for each in found["context"]["sentences"]] == [[], ["2"]]
    assert ["removed", "infor- mation"] in found["cleaning"]
    assert post(client, url, {"blocks": [4]}).status_code == 422


def test_markers_that_name_authors_are_reported_with_what_they_mean(material) -> None:
    named = {"start": 0, "end": 16, "text": "Lee et al. (2019)", "keys": ["b1"]}
    numbered = {"start": 20, "end": 23, "text": "[2]", "keys": ["b1"]}
    paper = PaperFactory(
        collection=material.collection, blocks=[{**BLOCK, "markers": [named, numbered]}], references=ENTRIES
    )
    assert paper_data(paper, make_content())["markers"] == {"Lee et al. (2019)": ["2"]}


def test_a_changed_sentence_is_read_as_the_paper_was(material, work, client) -> None:
    client.force_login(material.people["ann"])
    url = address("extraction_read", material)
    found = post(client, url, {"text": "As Lee et al. [2] said, tea is old."}).json()
    assert found["cites"] == ["2"]
    assert found["anonymised"] == "As [2] said, tea is old."
    assert post(client, url, {"text": "x" * 20_001}).status_code == 400
    assert post(client, url, {"text": 3}).status_code == 400


TITLED = [
    {"number": "1", "title": "The Heat of Tea", "authors": ["Lee, Bo"], "year": 2019},
    {"number": "2", "title": "Cups and saucers", "authors": ["Ray, Al"], "year": 2001},
    {"number": "3", "title": "The tap", "authors": ["Ray, Al"], "year": 2002, "venue": "arXiv preprint"},
]


@pytest.fixture
def titled(material) -> Material:
    material.collection.papers.update(references=TITLED)
    for docno, title, author, year in (
        ("d1", "The heat of tea", "Lee, Bo", 2019),
        ("d2", "Cups and saucers", "Ray, Al", 2001),
        ("d2b", "Cups and saucers", "Ray, Al", 2001),
        ("d3", "The tap", "Ray, Al", 2003),
        ("d4", "The heat of coffee", "Lee, Bo", 2018),
    ):
        DocumentFactory(collection=material.collection, docno=docno, title=title, authors=[author], year=year)
    return material


def test_exact_matches_are_one_documents_alone_and_no_preprints(
    titled, work, client, django_assert_max_num_queries
) -> None:
    client.force_login(titled.people["ann"])
    url = address("extraction_search", titled)
    with django_assert_max_num_queries(8):
        answer = post(client, url, {"numbers": ["1", "2", "3", "9"]}).json()
    assert answer["found"] == {"1": ["d1"]}
    assert answer["documents"]["d1"]["inside"] is True
    assert post(client, url, {"numbers": []}).json()["found"] == {}
    for bad in ({"numbers": [1]}, {"numbers": "1"}, {"words": "tea"}, {"number": "1", "words": 3}):
        assert post(client, url, bad).status_code == 400


def test_a_reference_is_searched_for_by_title_and_year_or_by_other_words(titled, work, client, settings) -> None:
    client.force_login(titled.people["ann"])
    url = address("extraction_search", titled)
    PaperFactory(collection=titled.collection, key="d4")  # a citing paper: a reference to it does not count
    found = post(client, url, {"number": "1"}).json()
    assert found["found"]["1"][:2] == ["d1", "d4"]
    assert [found["documents"][docno]["inside"] for docno in ("d1", "d4")] == [True, False]
    assert post(client, url, {"number": "1", "words": "the heat 2018 coffee"}).json()["found"]["1"][0] == "d4"
    assert post(client, url, {"number": "77"}).status_code == 422
    assert post(client, url, {"number": "77", "words": "saucers"}).json()["found"]["77"] == ["d2", "d2b"]
    with (
        RegistryStub([crossref(item("10.1/heat", "The heat of tea", family="Lee"))]) as one,
        RegistryStub([Reply(503)]) as other,
    ):
        settings.CROSSREF_URL, settings.OPENALEX_URL = one.url, other.url
        found = post(client, url, {"number": "1"}).json()
    assert "10.1/heat" in found["found"]["1"]
    assert found["documents"]["10.1/heat"]["source"] == "registry"
    assert found["failures"] == ["OpenAlex gave no answer: status 503"]
    assert len(other.calls) == 1, "somebody waits: one try"


def test_the_screen_asks_little(material, work, client, django_assert_max_num_queries) -> None:
    client.force_login(material.people["ann"])
    client.get(address("extraction_detail", material))  # notes once that they have the guideline before them
    with django_assert_max_num_queries(26):
        page = client.get(address("extraction_detail", material))
    assert page.status_code == 200
    assert 'id="label-data"' in page.text


def test_the_guideline_is_next_to_the_paper_and_announces_a_change_once(material, work, client) -> None:
    news = "Please read what is new before you continue"
    client.force_login(material.people["ann"])
    page = client.get(address("extraction_detail", material))
    assert page.context["guideline_html"] in page.text
    assert (page.context["guideline_version"], page.context["guideline_changed"]) == (1, False)
    campaign = material.collection.campaigns.get(slug="contexts")
    write_guideline(campaign=campaign, body="Take *whole* paragraphs.", by=material.manager, at=AT)
    changed = {"base": 1, "steps": [write_content(Content())]}
    assert post(client, address("extraction_save", material), changed).json()["guideline"] == 2
    again = client.get(address("extraction_detail", material))
    assert (again.context["guideline_changed"], news in again.text) == (True, True)
    where = reverse("label_guideline", args=[material.collection.slug, "contexts"])
    assert client.get(where).json()["html"].startswith("<p>Take <em>whole</em>")
    assert "<ins>" in again.text
    assert client.post(where, {"version": "2"}).json() == {"seen": 2}
    assert not client.get(address("extraction_detail", material)).context["guideline_changed"]


def test_cleaning_is_shown_word_by_word() -> None:
    assert cleaning("an infor-\nmation", "an information") == [
        ("same", "an "),
        ("removed", "infor- mation"),
        ("added", "information"),
    ]
    assert cleaning("a b\nc", "a b c") == [("same", "a b c")]


def test_a_block_without_sentences_is_split() -> None:
    context, _ = context_of_block({"id": 1, "text": "Old. See [2]."}, ENTRIES, "01")
    assert [(each.text, each.cites) for each in context.sentences] == [("Old.", ()), ("See [2].", ("2",))]
    assert next_context_id(Content((context,))) == "02"
    assert next_context_id(Content()) == "01"
    assert without_proposals(Content((context,))) == Content((context,))


def test_names_with_years_are_read_where_there_are_no_numbers() -> None:
    reading = read_sentence("Lee (2019) did.", [Reference("1", authors=("Lee, Bo",), year=2019)])
    assert reading.cites == ("1",)
    assert reading.anonymised == "[1] did."


def test_what_was_proposed_while_reading_the_paper_stays() -> None:
    text = "Lee et al. went on."
    stored = {"end": 19, "anonymised": "[2] went on.", "anonymised_cites": ["b1"], "cuts": [{"text": "Lee et al."}]}
    found = readings_of([text], [{"id": 1, "text": text, "sentences": [stored]}], ENTRIES)[text]
    assert (found["cites"], found["anonymised"], found["anonymised_cites"]) == ([], "[2] went on.", ["2"])
    assert readings_of(["Nothing here."], [], ENTRIES)["Nothing here."]["anonymised"] == ""
