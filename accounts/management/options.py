"""Form fields as arguments of commands, and arguments that had another name."""

import sys
from argparse import Action, ArgumentParser, BooleanOptionalAction
from typing import Any

from django import forms

from accounts.rest_fields import named_choices


def add_option(
    parser: Any,
    name: str,
    field: forms.Field,
    *,
    is_positional: bool = False,
    is_change: bool = False,
    former: str = "",
) -> None:
    """Add the field as an optional argument; its value is None unless it is given.

    `former` is a name that works for one more version. A field with `many` takes several words, and so does a choice of
    several; given again, the option adds to them. A switch that is on at first can be put off by --no-…. With that a
    change also takes a number or day away that need not be there: the value is then "".
    """
    flag = "--" + name.replace("_", "-")
    choices = dict(named_choices(field)) if isinstance(field, forms.ChoiceField) else {}
    words = [str(word) for word in choices]
    explained = "; ".join(f"{word}: {label}" for word, label in choices.items())
    label = field.label or name.replace("_", " ").capitalize()
    about = str(field.help_text or (f"{label}: {explained}" if explained else label))
    more: dict[str, Any] = {"help": about.replace("%", "%%")}
    if is_positional:
        parser.add_argument(name, **more)
        return
    more["dest"] = name
    former = former and "--" + former.replace("_", "-")
    if isinstance(field, forms.BooleanField):
        way: Any = BooleanOptionalAction if field.initial else "store_true"
        if former:
            add_renamed_option(parser, flag, former=former, **more, nargs=0, const=True)
        else:
            parser.add_argument(flag, **more, action=way, default=None)
        return
    if isinstance(field, forms.MultipleChoiceField | forms.ModelMultipleChoiceField) or getattr(field, "many", False):
        more |= {"nargs": "+", "action": "extend"}
    if words:
        more["choices"] = words
    elif isinstance(field, forms.IntegerField):
        more |= {"type": float if isinstance(field, forms.FloatField) else int, "metavar": "N"}
    else:
        more["metavar"] = "NAME" if isinstance(field, forms.MultipleChoiceField) else name.upper()
    parser = _with_way_to_empty(parser, name, field) if is_change else parser
    if former:
        add_renamed_option(parser, flag, former=former, **more)
    else:
        parser.add_argument(flag, **more)


def _with_way_to_empty(parser: Any, name: str, field: forms.Field) -> Any:
    """Add --no-NAME, of which and the option itself only one is given; returns where to add that."""
    if field.required or not isinstance(field, forms.IntegerField | forms.DateField):
        return parser
    group = parser.add_mutually_exclusive_group()
    taken = f"remove the {field.label or name}".lower()
    group.add_argument(f"--no-{name.replace('_', '-')}", dest=name, action="store_const", const="", help=taken)
    return group


def add_renamed_option(parser: ArgumentParser, flag: str, *, former: str, **options: Any) -> None:
    """Add an option that also answers to its former name, for one version, with a notice on stderr.

    `options` are those of `add_argument`; the value is stored, or with `nargs` 0, of a switch, `const`. The help shows
    the present name only.
    """
    action = parser.add_argument(flag, former, action=_Renamed, **options)
    action.option_strings = [flag]


class _Renamed(Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:  # noqa: ARG002
        present = self.option_strings[0]
        if option_string != present:
            sys.stderr.write(f"{option_string} is now {present}; the former name works in version 0.2 only.\n")
        setattr(namespace, self.dest, self.const if self.nargs == 0 else values)
