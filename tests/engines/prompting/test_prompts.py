"""Prompts: what answers mean stands above the line, the message below; anything else is refused with its reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.prompting.prompts import PLACEHOLDERS, BadPrompt, parse_prompt

BODY = "answer CONCUR = 2\nanswer DISAGREE = 0\n---\nRequirement: {aspect}\nAbstract: {abstract}\n"


def test_words_and_message_are_distinguished() -> None:
    prompt = parse_prompt(BODY)
    assert prompt.words == (("CONCUR", 2), ("DISAGREE", 0))
    assert prompt.message.startswith("Requirement:")
    assert prompt.form([0, 1, 2]).values == (0, 1, 2)


def test_without_a_head_the_numbers_of_the_scale_are_the_answers() -> None:
    assert parse_prompt("Does it meet {aspect}?\n---\nEnd with “Answer: 0”.").words == ()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("Judge this.", "same message"),
        ("{aspect} {abstrct}", "no place {abstrct}"),
        ("answer concur = 2\nanswer NO = 0\n---\n{aspect}", "not an answer"),
        ("answer CONCUR 2\nanswer NO = 0\n---\n{aspect}", "not an answer"),
        ("answer YES = 2\nanswer YES = 0\n---\n{aspect}", "twice"),
        ("answer YES = 2\n---\n{aspect}", "single answer"),
        ("{aspect}" + "x" * 50_000, "at most"),
    ],
)
def test_bad_prompts_say_why(body: str, reason: str) -> None:
    with pytest.raises(BadPrompt, match=reason):
        parse_prompt(body)


def test_a_word_off_the_scale_is_refused() -> None:
    with pytest.raises(BadPrompt, match="CONCUR means 2"):
        parse_prompt(BODY).form([0, 1])


def test_what_is_filled_in_is_never_filled_again() -> None:
    places = dict.fromkeys(PLACEHOLDERS, "") | {"aspect": "{abstract} {x}", "abstract": "On tea."}
    assert parse_prompt(BODY).fill(places) == "Requirement: {abstract} {x}\nAbstract: On tea."


@given(st.text(max_size=400))
def test_any_text_is_a_prompt_or_refused(body: str) -> None:
    try:
        prompt = parse_prompt(body)
    except BadPrompt:
        return
    assert prompt.message.count("{") >= prompt.fill(dict.fromkeys(PLACEHOLDERS, "")).count("{")
