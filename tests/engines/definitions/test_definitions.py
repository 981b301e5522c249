"""Definitions of a campaign as text: TOML, Markdown, differences."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.definitions.campaign_file import BadCampaignFile, read_campaign_file, write_criteria
from engines.definitions.drafts import CriterionDraft, LevelDraft
from engines.text.differences import compare_texts
from engines.text.markdown import render_markdown

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
levels = st.builds(
    LevelDraft,
    value=st.integers(-127, 127),
    label=texts.filter(bool),
    definition=texts,
    example=texts,
    reasons=st.lists(texts, max_size=2).map(tuple),
)
criteria = st.builds(
    CriterionDraft,
    key=st.from_regex(r"[a-z0-9][a-z0-9_-]{0,8}", fullmatch=True),
    label=texts.filter(bool),
    levels=st.lists(levels, min_size=2, max_size=4, unique_by=lambda level: level.value).map(
        lambda drawn: tuple(sorted(drawn, key=lambda level: level.value))
    ),
    question=texts,
    scale=st.sampled_from(["ordinal", "nominal"]),
)


@pytest.mark.slow
@given(st.lists(criteria, min_size=1, max_size=3).map(tuple))
def test_criteria_survive_their_file_whatever_they_say(drafts):
    assert read_campaign_file(write_criteria(drafts)).criteria == drafts


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_with_a_reason(text):
    try:
        file = read_campaign_file(text)
    except BadCampaignFile as bad:
        reason = bad.reason
    else:
        reason = f"read: {file}."
    assert reason.endswith(".")


def test_an_empty_file_says_nothing():
    file = read_campaign_file("")
    assert (file.settings, file.criteria, file.guideline) == ({}, (), "")


# --- Markdown --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "<a href='javascript:alert(1)'>x</a>",
        "![x](javascript:alert(1))",
        '[x](https://example.org/" onmouseover="alert(1))',
        "<svg/onload=alert(1)>",
        "<style>body{display:none}</style>",
        "```\n</code></pre><script>alert(1)</script>\n```",
        "<https://example.org/<script>>",
    ],
)
def test_nothing_hostile_gets_through(hostile):
    html = render_markdown(hostile)
    for sign in ("<script", "<img", "<svg", "<style", 'href="javascript', 'href="data'):
        assert sign not in html.lower()
    assert not [tag for tag in html.split("<") if " on" in tag.split(">")[0].lower()]


@given(st.text(max_size=300))
def test_any_text_becomes_html_without_scripts(text):
    html = render_markdown(text).lower()
    assert "<script" not in html
    assert "<iframe" not in html


def test_guidelines_use_headings_lists_tables_and_links():
    html = render_markdown(
        "# Top\n\n## Below\n\n1. one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[r](https://example.org) ~~old~~ **b** `x<1`"
    )
    for part in ("<h2>Top</h2>", "<h3>Below</h3>", "<ol>", "<th>a</th>", "<s>old</s>", "<strong>b</strong>"):
        assert part in html
    assert "<code>x&lt;1</code>" in html
    assert 'href="https://example.org" rel="noopener noreferrer nofollow"' in html


def test_headings_fit_the_page_they_stand_on():
    assert "<h4>Top</h4>" in render_markdown("# Top", headings_from=4)
    assert "<h4>Deep</h4>" in render_markdown("##### Deep", headings_from=4)
    html = render_markdown("## One\n\n#### Two\n\n##### Three\n\n## Four\n\n# Five", headings_from=3)
    assert re.findall(r"<h(\d)>(\w+)</h(\d)>", html) == [
        ("3", "One", "3"),
        ("4", "Two", "4"),
        ("5", "Three", "5"),
        ("4", "Four", "4"),
        ("3", "Five", "3"),
    ]


# --- differences -----------------------------------------------------------------------------------------------------


def shown(old, new, **options):
    return [(line.kind, "".join(piece.text for piece in line.pieces)) for line in compare_texts(old, new, **options)]


def test_equal_texts_do_not_differ():
    assert compare_texts("a\nb\n", "a\nb") == []


def test_changed_lines_are_compared_by_words():
    lines = compare_texts("Take the lower level.\n", "Take the higher level.\n")
    assert [line.kind for line in lines] == ["removed", "added"]
    assert [piece.text for piece in lines[0].pieces if piece.changed] == ["lower"]
    assert [piece.text for piece in lines[1].pieces if piece.changed] == ["higher"]


def test_unchanged_parts_are_left_out():
    old = "\n".join(f"line {i}" for i in range(30))
    new = old.replace("line 15", "line fifteen").replace("line 29", "line 29\nend")
    kinds = [kind for kind, _ in shown(old, new, context=1)]
    assert kinds == ["gap", "same", "removed", "added", "same", "gap", "same", "added"]


@given(st.lists(st.sampled_from("abcde"), max_size=12), st.lists(st.sampled_from("abcde"), max_size=12))
def test_both_texts_can_be_read_off_their_difference(old, new):
    lines = shown("\n".join(old), "\n".join(new), context=1000)
    if old == new or not lines:
        assert old == new
    else:
        assert [text for kind, text in lines if kind != "added"] == old
        assert [text for kind, text in lines if kind != "removed"] == new
