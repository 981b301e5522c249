"""Prompts from paragraphs, and strict reading of answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text.questions import (
    DEFAULT_TEMPLATE,
    ParsedQuestion,
    holds_markup,
    holds_unseen,
    own_part,
    read_answer,
    render_prompt,
    template_problem,
)

BODY = "QUESTION: ANSWER: P {{paragraph}} T\n{{titles}}"


# --- the prompt -------------------------------------------------------------------------------------------------------


def test_markers_become_keys_with_their_titles_below():
    text = "Green tea [1, 2] and\nwhite tea [1] differ [?]."
    markers = [(10, 16, ["b0", "b7"]), (31, 34, ["b0"]), (42, 45, [])]
    prompt = render_prompt(BODY, text, markers, {"b0": "On  green", "b7": ""})
    assert prompt.keys == {"cite_001": "b0", "cite_002": "b7"}
    paragraph, titles = prompt.text.removeprefix("QUESTION: ANSWER: P ").split(" T\n")
    assert paragraph == "Green tea {cite_001}{cite_002} and white tea {cite_001} differ [?]."
    assert titles == "- cite_001: On green\n- cite_002: (no title)"


def test_what_a_prompt_says_of_its_own_paragraph():
    prompt = render_prompt("Rules {{titles}}\n{{paragraph}} Go.", "Warm [1].", [(5, 8, ["b0"])], {"b0": "On green"})
    assert own_part("Rules {{titles}}\n{{paragraph}} Go.", prompt.text) == "- cite_001: On green\nWarm {cite_001}. Go."
    assert own_part("Other {{paragraph}} {{titles}}", prompt.text) == prompt.text  # not this template's


def test_what_a_paper_says_cannot_pass_for_our_own_marks():
    text = "Say {{titles}} and {cite_009} and { cite_1} [1]."
    prompt = render_prompt(BODY, text, [(44, 47, ["b0"])], {"b0": "{{paragraph}} {cite_005}"})
    assert prompt.text.count("{cite_") == 1
    assert "Say {{titles}} and (cite_009}" in prompt.text
    assert "- cite_001: {{paragraph}} (cite_005}" in prompt.text


@given(st.text(max_size=80), st.lists(st.tuples(st.integers(0, 80), st.integers(1, 5)), max_size=4))
def test_all_text_outside_of_markers_is_sent(paragraph, places):
    markers, last = [], 0
    for start, size in sorted(places):
        if last <= start and start + size <= len(paragraph):
            markers.append((start, start + size, ["b0"]))
            last = start + size
    prompt = render_prompt("{{paragraph}}|{{titles}}", paragraph, markers, {"b0": "T"})
    assert prompt.text.count("{cite_001}") == len(markers)
    assert prompt.keys == ({"cite_001": "b0"} if markers else {})


def test_the_template_that_litmus_brings_is_one_and_reads_as_its_own_examples():
    assert template_problem(DEFAULT_TEMPLATE) == ""
    examples = DEFAULT_TEMPLATE.split("QUESTION:", 1)[1]
    first = read_answer("QUESTION:" + examples.split("\n\nPARAGRAPH:")[0])
    assert [asked.keys for asked in first.questions] == [("cite_001", "cite_002"), ("cite_003",), ("cite_004",)]
    assert DEFAULT_TEMPLATE.count("\n\nPARAGRAPH:") == 3  # two worked examples, and the one that matters


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (BODY.replace("{{titles}}", ""), "does not hold {{titles}}"),
        (BODY + "{{paragraph}}", "holds 2 times {{paragraph}}"),
        ("{{paragraph}}{{titles}}", "QUESTION: and ANSWER:"),
    ],
)
def test_a_template_needs_its_two_places_and_the_form_of_the_answer(body, words):
    assert words in template_problem(body)


# --- the answer -------------------------------------------------------------------------------------------------------


def test_an_answer_in_the_agreed_form():
    first = "QUESTION: Which water\nis best?\nANSWER: cite_001, {cite_002}, cite_001\n\n"
    reading = read_answer(f"{first}QUESTION: Why?\r\nANSWER: cite_003.\n")
    assert reading.problem == ""
    assert reading.questions == (
        ParsedQuestion("Which water is best?", ("cite_001", "cite_002")),
        ParsedQuestion("Why?", ("cite_003",)),
    )


@pytest.mark.parametrize("text", ["NONE", " none.\n"])
def test_nothing_to_ask(text):
    reading = read_answer(text)
    assert (reading.questions, reading.problem) == ((), "")


def test_a_question_without_keys_is_read_as_such():
    assert read_answer("QUESTION: Why?\nANSWER:").questions == (ParsedQuestion("Why?", ()),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("Here are some thoughts.", "no line that begins with QUESTION:"),
        ("Sure! Here you are:\nQUESTION: Why?\nANSWER: cite_001", "begins with something other"),
        ("QUESTION: Why?", "no line ANSWER:"),
        ("QUESTION: Why?\nQUESTION: How?\nANSWER: cite_001", "same kind"),
        ("ANSWER: cite_001\nQUESTION: Why?", "same kind"),
        ("QUESTION:\nANSWER: cite_001", "text of question 1 is empty"),
        ("QUESTION: Why?\nANSWER: cite_001 and cite_002", "“cite_001 and cite_002”"),
        ("QUESTION: Why?\nANSWER: The BERT paper", "something other than keys"),
        ("QUESTION: Why?\nANSWER: cite_001\nI hope this helps!", "something other than keys"),
    ],
)
def test_other_answers_are_not_understood_and_say_why(text, words):
    reading = read_answer(text)
    assert words in reading.problem
    assert reading.questions == ()
    assert not reading.is_refusal


@pytest.mark.parametrize("text", ["I'm sorry, but I can't help with that.", "I cannot write this.", "As an AI, no."])
def test_refusals_are_distinguished(text):
    assert read_answer(text).is_refusal


def test_a_very_long_answer_is_read():
    assert len(read_answer(f"QUESTION: {'why ' * 5_000}?\nANSWER: cite_001").questions[0].text) == 20_001


@given(st.text(max_size=300))
def test_no_answer_breaks_the_reader(text):
    reading = read_answer(text)
    assert bool(reading.problem) <= (reading.questions == ())


@pytest.mark.parametrize("text", ["<b>Why</b>?", "Why<br/>?", "x <!-- y", "Why &amp; how", "&#39;", "<script src='x'>"])
def test_html_is_noticed(text):
    assert holds_markup(text)


@pytest.mark.parametrize("text", ["Is p < 0.05 and q > 3?", "a<b and c>d in R&D?", "x <- y", "{cite_001}"])
def test_mathematics_is_no_html(text):
    assert not holds_markup(text)


@pytest.mark.parametrize(
    ("text", "unseen"),
    [
        ("Tea\u202e?", True),
        ("Tea \x1b[31m", True),
        ("Tea\x85 or\tmilk\n", False),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", False),  # Persian needs its joiner
    ],
)
def test_characters_that_nobody_sees(text, unseen):
    assert holds_unseen(text) is unseen
