"""Sentences that an engine says in English and an app can say in the language of its reader.

Engines import no Django and know no languages. `accounts.languages.translated` finds the translation, and
`make languages` collects the first argument of every `Wording`.
"""


class Wording:
    """A sentence: a template in English, and the value of each `{name}` in it, which may be a wording, too.

    The sentence is put together only when it is read. So a place can be named before a check at no cost.
    """

    __slots__ = ("template", "values")

    def __init__(self, template: str, **values: "Wording | str | int") -> None:
        self.template = template
        self.values = values

    def __str__(self) -> str:
        return self.template.format(**{name: _english(value) for name, value in self.values.items()})


def _english(value: "Wording | str | int") -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
