"""Sentences that an engine says in English and an app can say in the language of its reader.

Engines import no Django and know no languages. `accounts.languages.translated` finds the translation, and
`make languages` collects the first argument of every `Wording`.
"""


class Wording:
    """A sentence: a template in English and what stands at its `{name}`; that may be a wording, too.

    It is put together when it is asked for, so that naming a place that turns out to be right costs nothing.
    """

    __slots__ = ("template", "values")

    def __init__(self, template: str, **values: "Wording | str | int") -> None:
        self.template = template
        self.values = values

    def __str__(self) -> str:
        return self.template.format(**{name: _english(value) for name, value in self.values.items()})


def _english(value: "Wording | str | int") -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
