"""Which sections are proposed: by their headings where those say it, else by what the sections hold and where."""

from dataclasses import replace

import pytest

from engines.formats.papers import Marker, Paragraph, cited_sentences
from engines.pdf.sections import NO_HEADING, OTHER, RELATED, is_citing, with_parts
from engines.pdf.sentences import sentence_spans

SURVEY = (
    "Early studies asked how keepers remember what they keep [1]. Lee and Park [2] counted the requests of ten years. "
    "Later approaches learn from such counts [3], and several authors compared them with reading [4].",
    "Other researchers looked at cards [5]. They found that drawers matter more than labels [6].",
)
METHOD = (
    "We sent a letter to each archive and waited for six weeks. Figure 1 shows what we asked in that letter.",
    "We sorted the answers with a tool [7]. Table 2 lists the heaps, and our two readers agreed about most of them.",
    "Our model adds up the answers. We weigh each answer by the age of the drawer that it came from, as in Eq. 3.",
)
INTRODUCTION = ("Archives have been searched for long [1, 2]. We ask those who know them.",)


def section(heading: str, texts: tuple[str, ...], *, below: str = "", run_in: str = "") -> list[Paragraph]:
    """A section, or with `below` a sub-section of that one; `run_in` is a heading in the line of its first text."""
    number, _, name = heading.partition(" ")
    top = below or heading
    found = [Paragraph(heading, name, number, "heading", top=top)]
    found += [Paragraph(run_in, name, number, "heading", top=top)] if run_in else []
    return found + [paragraph(text, name, number, top) for text in texts]


def paragraph(text: str, name: str, number: str, top: str) -> Paragraph:
    markers = []
    for key in ("1", "2", "3", "4", "5", "6", "7"):
        place = text.find(f"[{key}")
        if place >= 0:
            markers.append(Marker(place, text.index("]", place) + 1, f"[{key}]", (key,)))
    markers.sort(key=lambda marker: marker.start)
    sentences = cited_sentences(sentence_spans(text), markers)
    return Paragraph(text, name, number, "paragraph", tuple(markers), sentences, top=top)


def parts(*sections: list[Paragraph]) -> dict[str, str]:
    """The part of each heading's text."""
    found = with_parts(each for members in sections for each in members)
    return {each.section: each.part for each in found if each.kind == "paragraph"}


def test_a_survey_is_found_whatever_its_heading_names() -> None:
    found = with_parts([
        *section("1 Introduction", INTRODUCTION),
        *section("2 Keepers and Their Drawers", SURVEY),
        *section("3 Counting Requests", SURVEY),
        *section("4 Asking by Letter", METHOD),
    ])  # fmt: skip
    assert {each.section: each.part for each in found} == {
        "Introduction": "introduction", "Keepers and Their Drawers": RELATED, "Counting Requests": RELATED,
        "Asking by Letter": OTHER,
    }  # fmt: skip
    reasons = {each.section: each.reason for each in found}
    assert reasons["Introduction"] == "Its heading names the introduction."
    assert reasons["Keepers and Their Drawers"].startswith(
        "It reads like a survey of other work: 2 of 2 paragraphs cite"
    )
    assert reasons["Asking by Letter"].startswith("It reads like the paper's own work: 1 of 3 paragraphs cite")


@pytest.mark.parametrize(
    "heading",
    ["Related Work", "Background and Related Research", "Prior Art", "Stand der Forschung", "État de l’art",
     "Trabajos relacionados", "Literature Review", "BACKGROUND"],
)  # fmt: skip
def test_headings_that_name_related_work(heading: str) -> None:
    assert parts(section("1 Introduction", INTRODUCTION), section(f"2 {heading}", METHOD))[heading] == RELATED


@pytest.mark.parametrize("heading", ["Conclusions and Future Work", "Results", "Discussion", "Acknowledgments"])
def test_headings_that_close_a_paper_are_never_proposed(heading: str) -> None:
    assert parts(section("1 Introduction", INTRODUCTION), section(f"2 {heading}", SURVEY))[heading] == OTHER


@pytest.mark.parametrize("heading", ["Background Subtraction of Drawers", "Existing Drawers", "Motivation"])
def test_words_of_a_subject_do_not_make_related_work(heading: str) -> None:
    assert parts(section("1 Introduction", INTRODUCTION), section(f"2 {heading}", METHOD))[heading] == OTHER


def test_the_first_section_introduces_whatever_it_is_called() -> None:
    assert parts(section("1 Why Ask Keepers?", INTRODUCTION))["Why Ask Keepers?"] == "introduction"


def test_a_text_without_headings_is_an_introduction_by_guess_alone() -> None:
    guessed = [*with_parts(replace(each, section="", number="", top="") for each in section("1 X", INTRODUCTION))]
    assert {(each.part, each.reason) for each in guessed} == {("introduction", NO_HEADING)}


def test_a_survey_inside_the_papers_own_work() -> None:
    """By the heading of a sub-section, of a run-in heading, or by what a sub-section holds; not its neighbours."""
    top = "3 Method"
    found = with_parts([
        *section("1 Introduction", INTRODUCTION),
        *section(top, METHOD[:1]),
        *section("3.1 Related Approaches", METHOD[1:2], below=top),
        *section("3.2 Letters", METHOD, below=top),
        *section("3.3 Counting Requests", SURVEY * 2, below=top),
        *section("3.4 Readers", METHOD[1:2], below=top, run_in="Previous work."),
        *section("3.5 Sorting", METHOD, below=top),
    ])  # fmt: skip
    parts = {each.section: each.part for each in found if is_citing(each)}
    assert parts == {
        "Introduction": "introduction", "Related Approaches": RELATED, "Letters": OTHER, "Counting Requests": RELATED,
        "Readers": RELATED, "Sorting": OTHER,
    }  # fmt: skip


def test_a_section_without_citations_says_so() -> None:
    found = with_parts([*section("1 Introduction", INTRODUCTION), *section("2 Letters", METHOD[:1])])
    assert found[-1].reason == "Nothing is cited in it."
