"""How templates are written: components by their tags, and grammar in Python."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "templates"
FILES = [path for path in sorted(FOLDER.rglob("*.html")) if "django/forms" not in str(path)]  # attributes of widgets
PAGES = {str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8") for path in FILES}
# By the tags empty_state or nothing, and link_button; what leads to a view with more to its address is written out.
BY_TAGS = {
    "_empty_state.html": r'<div class="empty"',
    "_nothing.html": r'<a\s+class="button[^"{]*"\s+href="{% url [^%]* %}"(?: download)?>[^<{]*</a>',
}


@pytest.mark.parametrize(("component", "written_out"), BY_TAGS.items())
def test_components_are_written_by_their_tags(component: str, written_out: str) -> None:
    assert len(PAGES) > 300
    assert not [
        (name, match[0])
        for name, text in PAGES.items()
        if name != component
        for match in re.finditer(written_out, text)
    ]


FILTERS = re.compile(r"<form class=\"toolbar\"\s+method=\"get\".*?</form>|{% filters\b.*?{% endfilters %}", re.DOTALL)
IN_GROUPS = "annotation/labelling/label_history.html"  # grades below the name of their criterion


def test_choices_of_filters_are_written_by_their_tag() -> None:
    forms = [(name, each) for name, text in PAGES.items() for each in FILTERS.findall(text)]
    assert len(forms) > 20
    assert {name for name, each in forms if "<select" in each} == {IN_GROUPS}


# What belongs to a sentence: no other tag of HTML, and no tag of Django that begins another part of the page.
INLINE = r"a(?!\s+class=\"button)|strong|em|b|code|kbd|sup|mark"
TAG = r"(?>{[{%].*?[%}]}|[^<>{]|{(?![{%]))*+>"  # no way back into it: a "<" in a condition took minutes
INSIDE = re.compile(rf"</?(?:{INLINE})\b{TAG}|{{#.*?#}}|{{% comment %}}.*?{{% endcomment %}}", re.DOTALL)
BETWEEN = re.compile(rf"<{TAG}|{{% (?:end)?(?:block|include|post|empty_state)\b.*?%}}", re.DOTALL)
CONDITION = re.compile(r"{% (?:if|elif) ")
WORD = re.compile(r"[A-Za-z]{2,}")
MOST_CONDITIONS = 2


def test_a_sentence_with_many_conditions_is_made_in_python() -> None:
    found = []
    for name, text in PAGES.items():
        for part in BETWEEN.split(INSIDE.sub("", text)):
            words = WORD.findall(re.sub(r"{[{%].*?[%}]}", "", part))
            if len(words) > 1 and len(CONDITION.findall(part)) > MOST_CONDITIONS:
                found.append((name, " ".join(part.split())[:200]))
    assert not found


BARE_NAME = re.compile(r"<h1[^>]*>\s*{{ (?!heading\b)[^}]*}}\s*</h1>")
OVERLINE = re.compile(r"<p class=\"overline\">.*?</p>\s*$", re.DOTALL)
SAID_ELSEWHERE = {
    "corpus/collections/collection_dashboard.html",  # the collection itself
    "annotation/labelling/_label_bar.html",  # screens, whose parts are named
    "annotation/papers/extraction_screen.html",
    "annotation/papers/paper_detail.html",  # in a sentence below it
}


def test_a_name_in_a_heading_stands_next_to_what_it_names() -> None:
    bare = {
        name
        for name, text in PAGES.items()
        for match in BARE_NAME.finditer(text)
        if not OVERLINE.search(text[: match.start()])
    }
    assert bare == SAID_ELSEWHERE


BUTTON = re.compile(rf"<(?:button|a|input(?=[^>]*type=\"(?:submit|button)\"))\b{TAG}", re.DOTALL)
IS_DISABLED = re.compile(r"(?<![-\w])disabled(?![-\w])|aria-disabled")
UNSEEN = re.compile(r"visually-hidden|role=\"tooltip\"|\bhidden\b")


def _is_explained(button: str, page: str) -> bool:
    """Whether a text of the page that everybody sees is named as the description of the button."""
    named = re.search(r'aria-describedby="([^"]+)"', button)
    text = named and re.search(rf"<[^<>]*\bid=\"{re.escape(named[1])}\"[^<>]*>", page)
    return bool(text and not UNSEEN.search(text[0]))


def _unexplained(page: str) -> list[str]:
    """Buttons that cannot be pressed and whose reason is no text of the page."""
    found = (match[0] for match in BUTTON.finditer(page))
    shown = (one for one in found if not re.search(r"(?<![-\w])hidden(?![-\w])", one))
    return [one for one in shown if IS_DISABLED.search(one) and not _is_explained(one, page)]


def test_the_reason_of_a_disabled_button_stands_next_to_it_as_text() -> None:
    assert not [(name, button) for name, text in PAGES.items() for button in _unexplained(text)]


@pytest.mark.parametrize(
    "page",
    [
        '<button type="submit" disabled>Ask</button>',
        '<button type="submit"{% if not ready %} disabled{% endif %}>Ask</button>',
        '<button disabled title="No model is set up.">Ask</button>',
        '<button aria-disabled="true" aria-describedby="why">Ask</button><i role="tooltip" id="why">No model.</i>',
    ],
)
def test_a_disabled_button_without_its_reason_as_text_is_found(page: str) -> None:
    assert _unexplained(page)


def test_the_reason_of_a_refused_button_comes_from_what_refuses() -> None:
    """Python knows the page that mends it (`Reason`), templates do not; and nothing explains itself in a tooltip."""
    written = re.compile(r"{% refused_button (?:\"[^\"]*\"|\S+) \"")
    assert not [name for name, text in PAGES.items() if written.search(text) or "_refused_button.html" in text]
    assert not [name for name, text in PAGES.items() if 'role="tooltip"' in text]


# Dates, decimals and percentages are written by the filters of accounts/templatetags/figures.py; `date:"c"` is for
# machines, and what stands in quotes is an attribute: a width or a place in a drawing.
RAW = re.compile(
    r"\|(?:date(?!:\"c\")|time|floatformat|stringformat(?!:\"[ds]\"))\b"
    r"|{% now |{% widthratio [^%]* 100 %}|(?:}}|(?<!{% else )(?<!{% endif )%})\s?%(?![}\"])"
)


def _raw(page: str) -> list[str]:
    return [match[0] for match in RAW.finditer(page)]


def test_dates_numbers_and_percentages_have_one_form() -> None:
    letters = {str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.txt")}
    assert not [(name, found) for name, text in (PAGES | letters).items() for found in _raw(text)]


@pytest.mark.parametrize(
    "text",
    ['{{ at|date:"j F Y" }}', "{{ share|floatformat:1 }}", "{{ share }}%", "{{ share }} %", "{% widthratio a b 100 %}"],
)
def test_a_raw_form_is_found(text: str) -> None:
    assert _raw(text)


def test_sentences_of_python_have_the_same_forms() -> None:
    root = FOLDER.parent
    raw = re.compile(r"\b(?:date_format|time_format|dateformat\.format|strftime)\(|:\.\d%}|:\.\d+f}%")
    apps = ("accounts", "corpus", "annotation", "adjudication")
    sources = [path for app in apps for path in (root / app).rglob("*.py")]
    assert len(sources) > 300
    found = {str(path.relative_to(root)) for path in sources if raw.search(path.read_text(encoding="utf-8"))}
    assert found == {"accounts/counting.py"}


def test_no_cell_of_a_table_has_the_class_of_the_bar_of_menus() -> None:
    """`place` is laid out as a row of boxes, so that the line below a cell would stand at the height of its text."""
    cell = re.compile(r"<t[hd]\s[^>]*class=\"(?:[^\"]*\s)?place[\s\"]")
    assert [name for name, text in PAGES.items() if cell.search(text)] == []
