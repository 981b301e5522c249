"""The strict reader: one known answer in the last line, and everything else is invalid with its reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.prompting.answers import AnswerForm, describe_form, read_answer, read_answers

NUMBERS = AnswerForm((0, 1, 2))
WORDS = AnswerForm((0, 1, 2), (("DISAGREE", 0), ("DISPUTE", 1), ("AGREE", 1), ("CONCUR", 2)))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2),
        (" 0 \n", 0),
        ("Both components are met.\nAnswer: 2", 2),
        ("It has 3 parts; 2 of them are missing.\n\nFinal answer: 1.", 1),
        ("Steps…\n**Answer:** 2", 2),
        ("Steps…\n**Answer: 2**", 2),
        ("Steps…\nGRADE = `0`", 0),
        ("Answer:\n1", 1),
        ("Answer: 1\nSo, as I said:\nAnswer: 1", 1),
        ("<think>Answer: 0? No.\nAnswer: 2?</think>\nAnswer: 1", 1),
        ("Answer: +1", 1),
    ],
)
def test_numbers_that_are_read(text: str, value: int) -> None:
    assert read_answer(text, NUMBERS).value == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("Answer: 1\nAnswer: 2", "two answers: 1 and 2"),
        ("Grade: 1, or rather Grade: 2\nAnswer: 2", "two answers"),
        ("Answer: 1 or 2", "does not end with an answer"),
        ("Answer: 2/3", "does not end with an answer"),
        ("Answer: 1.5", "does not end with an answer"),
        ("Answer: two", "does not end with an answer"),
        ("Answer: 3", "not on the scale"),
        ("Answer: -1", "not on the scale"),
        ("Answer: 99999999999999999999999", "does not end with an answer"),
        ("Answer: 2\nI hope this helps!", "does not end with an answer"),
        ("The abstract answers two components.\n2", "not called its answer"),
        ("0\n1\n2", "not called its answer"),
        ("答案：2", "does not end with an answer"),
        ("La réponse est oui.", "does not end with an answer"),
        ("Answer: ２", "does not end with an answer"),
        ("<html>504 Gateway Timeout</html>", "does not end with an answer"),
    ],
)
def test_numbers_that_are_invalid(text: str, problem: str) -> None:
    reading = read_answer(text, NUMBERS)
    assert reading.value is None
    assert problem in reading.problem


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("CONCUR", 2),
        ("It bears on nothing.\nDISAGREE", 0),
        ("…\nAnswer: AGREE.", 1),
        ("…\n*DISPUTE*", 1),
        ("Both components are stated in so many words: CONCUR", 2),
        ("It names the first. It hints at the second. **CONCUR**.", 2),
        ("The abstract meets neither -> DISAGREE", 0),
        ("My answer is AGREE", 1),
    ],
)
def test_words_that_are_read(text: str, value: int) -> None:
    assert read_answer(text, WORDS).value == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I first thought AGREE.\nDISAGREE", "two answers: AGREE and DISAGREE"),  # formats.md 1.7: was 0 in silence
        ("AGREE\nDISPUTE", "two answers"),
        ("agree", "holds none of the answers"),
        ("DISAGREEMENT", "holds none of the answers"),
        ("CONCUR, because all is met.\nThank you.", "last line is not the answer"),
        ("Therefore I do not AGREE", "last line is not the answer"),
        ("I cannot CONCUR.", "last line is not the answer"),
        ("Not: AGREE, CONCUR", "two answers"),
        ("Je suis d'accord.", "holds none of the answers"),
    ],
)
def test_words_that_are_invalid(text: str, problem: str) -> None:
    reading = read_answer(text, WORDS)
    assert reading.value is None
    assert problem in reading.problem


def test_a_reply_that_was_cut_off_has_no_last_line() -> None:
    assert "cut off" in read_answer("Answer: 2", NUMBERS, cut_off=True).problem


@given(st.text(max_size=300), st.sampled_from([NUMBERS, WORDS]))
def test_any_text_is_read_or_has_a_problem(text: str, form: AnswerForm) -> None:
    reading = read_answer(text, form)
    assert (reading.value is None) == bool(reading.problem)
    assert reading.value in (*form.values, None)


@given(st.text(max_size=200), st.sampled_from(sorted({0, 1, 2})))
def test_reasoning_before_the_answer_changes_nothing_unless_it_answers(text: str, value: int) -> None:
    before = read_answer(f"{text}\nAnswer: {value}", NUMBERS)
    assert before.value == value or "two answers" in before.problem


def test_the_form_says_how_to_end() -> None:
    assert describe_form(NUMBERS) == "The last line is “Answer:” and one of 0, 1, 2."
    assert "AGREE (1)" in describe_form(WORDS)


# --- several criteria -------------------------------------------------------------------------------------------------

BOTH = {"novelty": NUMBERS, "rigor": WORDS}


@pytest.mark.parametrize(
    "text",
    [
        "novelty: 2\nrigor: CONCUR",
        "Both are discussed below.\n- **Novelty**: 2\n- `rigor` = CONCUR.",
        '{"novelty": 2, "rigor": "CONCUR"}',
        'Thinking about it.\n```json\n{"novelty": "2", "rigor": "CONCUR"}\n```',
        "<think>novelty: 0</think>novelty: 2\nnovelty: 2\nrigor: CONCUR",
        "Novelty: it is new, as it says.\nnovelty: 2\nrigor: CONCUR",  # a sentence is no answer
    ],
)
def test_each_criterion_is_read_by_its_key(text: str) -> None:
    assert {key: one.value for key, one in read_answers(text, BOTH).items()} == {"novelty": 2, "rigor": 2}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("novelty: 2", "states nothing of rigor"),
        ("novelty: 2\nrigor: perhaps", "answers rigor with perhaps, which is none of DISAGREE, DISPUTE, AGREE, CONCUR"),
        ("novelty: 2\nrigor: AGREE\nrigor: CONCUR", "holds two answers to rigor: AGREE and CONCUR"),
        ('{"novelty": 2, "rigor": "AGREE", "rigor": "CONCUR"}', "holds two answers to rigor: AGREE and CONCUR"),
        ('{"novelty": 2, "rigor": true}', "answers rigor with true"),
        ('{"novelty": 2, "rigor": {"answer": "CONCUR"}}', "answers rigor with "),
        ('rigor: CONCUR\n{"novelty": 2}', "states nothing of rigor"),  # who ends with an object is read by it
    ],
)
def test_one_unreadable_criterion_leaves_the_other(text: str, problem: str) -> None:
    found = read_answers(text, BOTH)
    assert (found["novelty"].value, found["rigor"].value) == (2, None)
    assert problem in found["rigor"].problem


def test_an_empty_or_cut_reply_states_nothing_of_any_criterion() -> None:
    assert {one.problem for one in read_answers(" ", BOTH).values()} == {"is empty"}
    assert {one.problem for one in read_answers("novelty: 2", BOTH, cut_off=True).values()} == {
        "was cut off before its end"
    }


@given(st.text(max_size=200) | st.text(alphabet='{}":,novelty 12[]\n`', max_size=200))
def test_any_text_is_read_or_has_a_problem_for_each(text: str) -> None:
    for one in read_answers(text, BOTH).values():
        assert (one.value is None) == bool(one.problem)
