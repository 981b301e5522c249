"""What a new call for questions says until its manager says it better."""

from pathlib import Path

_WORDS = Path(__file__).with_name("words")

GUIDELINE = (_WORDS / "author_guideline.md").read_text(encoding="utf-8")
SUBJECT = "One question about your paper “{paper}”"
BODY = (_WORDS / "author_letter.txt").read_text(encoding="utf-8")
