"""Prompts for reranking: turns, places, papers in one message or each in a turn."""

import pytest

from engines.text.reranking import STARTERS, USUAL, BadRerankPrompt, Paper, parse_rerank_prompt, shortened

PAPERS = [Paper("Tea", "It is {query}."), Paper("", "")]


def test_litmus_s_own_begin_with_the_system_and_end_with_the_user() -> None:
    for body in STARTERS.values():
        found = parse_rerank_prompt(body).messages("Which tea?", PAPERS)
        assert (found[0]["role"], found[-1]["role"]) == ("system", "user")
        assert "Which tea?" in found[-1]["content"]


def test_papers_stand_in_one_message() -> None:
    """Numbered passages; places in what is filled in are texts."""
    _, user = parse_rerank_prompt(STARTERS[USUAL]).messages("Which tea?", PAPERS)
    assert "Here are 2 papers" in user["content"]
    assert "\n\n[1] Tea It is {query}.\n\n[2] (no text)\n\n" in user["content"]


def test_papers_have_turns_of_their_own_as_in_litsearchs_table_13() -> None:
    found = parse_rerank_prompt(STARTERS["Turns"]).messages("Which tea?", PAPERS)
    assert [each["role"] for each in found] == ["system", "user", "assistant"] + ["user", "assistant"] * 2 + ["user"]
    assert found[3]["content"] == "[1] Title: Tea\nAbstract: It is {query}."
    assert found[4]["content"] == "I have read paper [1]."
    assert found[5]["content"] == "[2] Title: (no title)\nAbstract: (no abstract)"
    assert "You will get 2 papers" in found[1]["content"]


def test_title_and_abstract_are_cut_together() -> None:
    assert shortened("a  b", "c\nd e", 4) == Paper("a b", "c d")
    assert shortened("a b c", "d", 2) == Paper("a b", "")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "Begin with a line"),
        ("Order {papers} by {query}.", "Begin with a line"),
        ("--- user\n\n--- user\nx", "Turn 1 is empty"),
        ("--- user\n{papers} {query}\n--- system\nx", "The system has the first turn only"),
        ("--- system, for each paper\n{number} {title}\n--- user\n{query}", "not one for each paper"),
        ("--- user\n{papers} {colour}", "Turn 1 has no place {colour}. Known in this turn are {query}, {n}, {papers}."),
        ("--- user, for each paper\n{papers}", "Turn 1 has no place {papers}"),
        ("--- user\n{query}", "Show the papers once"),
        ("--- user\n{papers} {papers} {query}", "Show the papers once"),
        ("--- user, for each paper\n{number} {title}\n--- user\n{papers} {query}", "Show the papers once"),
        (
            "--- user, for each paper\n{number} {title}\n--- user\n{query}\n--- user, for each paper\n{number}",
            "must follow each other",
        ),
        ("--- user, for each paper\n{title}\n--- user\n{query}", "must hold {number}"),
        ("--- user\n{papers}", "No turn holds {query}"),
        ("--- user\n{papers} {query}\n--- assistant\nYes.", "The last turn must be the user's"),
    ],
)
def test_what_is_no_prompt(body: str, reason: str) -> None:
    with pytest.raises(BadRerankPrompt) as error:
        parse_rerank_prompt(body)
    assert reason in str(error.value)
