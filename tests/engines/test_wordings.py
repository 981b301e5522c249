"""What an engine says, in English and in the language of now."""

from engines.wordings import Wording

SAID = Wording("{where}: more than {most} entries", where=Wording("context {n}", n=1_200), most=10_000)


def test_a_wording_is_said_in_english_with_what_it_is_made_of() -> None:
    assert str(SAID) == "context 1,200: more than 10,000 entries"
    assert str(Wording("{text} holds {{braces}}", text="{n}")) == "{n} holds {braces}"
