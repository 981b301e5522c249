"""Form fields as arguments of commands."""

from typing import Any, cast

from django import forms
from django.core.management.base import CommandParser


def add_option(parser: CommandParser, name: str, field: forms.Field) -> None:
    """Add the field as an optional argument; its value is None unless it is given.

    `argument` of a field is its name on the command line, where that differs; a field with `many` takes several words.
    """
    flag = "--" + (getattr(field, "argument", "") or name).replace("_", "-")
    about = str(field.help_text).replace("%", "%%")
    if isinstance(field, forms.BooleanField):
        parser.add_argument(flag, dest=name, help=about, action="store_true", default=None)
    elif isinstance(field, forms.ChoiceField):
        words = [str(word) for word, _ in cast(Any, field.choices)]
        parser.add_argument(flag, dest=name, help=about, choices=words)
    elif isinstance(field, forms.IntegerField):
        number = float if isinstance(field, forms.FloatField) else int
        parser.add_argument(flag, dest=name, help=about, type=number, metavar="N")
    else:
        count = "+" if getattr(field, "many", False) else None
        parser.add_argument(flag, dest=name, help=about, nargs=count, metavar=name.upper())
