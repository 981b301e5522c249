"""Pages that change what is stored send all of their fields: what a person left as it was must not undo what somebody
else has changed since the page was opened, here, by REST or by command."""

from typing import Any

from django.forms import BaseForm


def remember_shown(form: BaseForm) -> None:
    """Let the page send what it showed next to what was typed."""
    for field in form.fields.values():
        field.show_hidden_initial = True


def edited_values(form: BaseForm) -> dict[str, Any]:
    """The values of a valid form that differ from what its page showed; also those of which it does not say that, as
    from a program."""
    sent = {name for name in form.fields if form.add_initial_prefix(name) in form.data}
    left = sent - set(form.changed_data)
    return {name: value for name, value in form.cleaned_data.items() if name not in left}
