"""Why a section was proposed, in the reader's language."""

import ast
import re
from pathlib import Path

from django.utils import translation

from annotation.papers.section_reasons import REASONS, reason_in_words
from engines.pdf import sections
from tests.literals import untranslated_sentences


def test_every_reason_that_is_written_is_known() -> None:
    module = ast.parse(Path(sections.__file__).read_text("utf-8"))
    written = set(untranslated_sentences(module))
    assert "Its heading names related work." in written
    assert written <= {re.sub(r"{\w+}", "{}", text) for text in REASONS}


def test_a_reason_is_read_in_the_language_of_the_reader() -> None:
    evidence = "3 of 4 paragraphs cite, 2.5 citations per 100 words, 10% of sentences say “we”, behind the introduction"
    stored = f"It reads like a survey of other work: {evidence}."
    assert reason_in_words(stored) == stored
    with translation.override("de"):
        assert reason_in_words("Nothing is cited in it.") == "Er zitiert nichts."
        assert reason_in_words(stored) == (
            "Er liest sich wie ein Überblick über andere Arbeiten: 3 von 4 Absätzen zitieren, 2,5 Zitate je 100 Wörter,"
            " 10 % der Sätze sagen „wir“, nach der Einleitung."
        )
        assert reason_in_words("An older version said this.") == "An older version said this."
