"""What managers enter about a webhook."""

from typing import Any

from django import forms

from accounts.edits import remember_shown
from corpus.endpoints.forms import address_parts
from corpus.models import Event, Webhook


class WebhookForm(forms.Form):
    """A new webhook."""

    address = forms.CharField(
        max_length=500,
        help_text="Where your program listens, such as https://example.org/litmus. Plain http is taken only inside the"
        " server's own network.",
        widget=forms.URLInput(attrs={"spellcheck": "false"}),
    )
    events = forms.MultipleChoiceField(
        choices=Event.choices, initial=Event.values, widget=forms.CheckboxSelectMultiple, label="Events to report"
    )

    def clean_address(self) -> str:
        address = str(self.cleaned_data["address"]).strip()
        if address_parts(address, "https://example.org/litmus").fragment:
            raise forms.ValidationError("Leave out what follows the #: it is never sent to a server.")
        return address


class WebhookChangeForm(WebhookForm):
    """A webhook as it is now."""

    is_on = forms.BooleanField(
        required=False,
        initial=True,
        label="Switched on",
        help_text="While it is off, nothing is sent and what happens is not kept for it. Messages that were waiting"
        " before are sent when it is on again.",
    )

    def __init__(self, data: Any = None, *, webhook: Webhook | None = None) -> None:
        names = ("address", "events", "is_on")
        super().__init__(data, initial={name: getattr(webhook, name) for name in names} if webhook else {})
        if webhook:
            remember_shown(self)


class SecretForm(forms.Form):
    """For how long the former secrets also stay valid."""

    hours = forms.IntegerField(
        min_value=0,
        max_value=168,
        initial=24,
        label="Hours for which the former secret stays valid",
        help_text="Until then messages have a signature by each secret, so that your program can change over in time."
        " Put 0 if others know the former secret: it then ends at once.",
    )
