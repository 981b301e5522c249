"""Forms about members and invitations."""

from typing import Any

from django import forms
from django.contrib.auth.password_validation import password_validators_help_text_html, validate_password
from django.core.exceptions import ValidationError
from django.utils.html import escape

from accounts.addresses import LONGEST_ADDRESS, check_characters
from accounts.models import User
from corpus.collections.address_lists import HELP, Address, BadList, read_addresses
from corpus.models import Role


class InvitationForm(forms.Form):
    """Whom to ask, and as what."""

    email = forms.EmailField(label="E-mail address", max_length=LONGEST_ADDRESS, validators=[check_characters])
    role = forms.ChoiceField(choices=Role.choices, initial=Role.ANNOTATOR)

    def clean_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class InvitationListForm(forms.Form):
    """Many addresses at once, pasted from anywhere: a mail, a table, a list."""

    # No `max_length`: with it browsers cut what is pasted and say nothing.
    emails = forms.CharField(
        label="E-mail addresses",
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text=escape(HELP),
        strip=False,  # lines are counted as they were typed
    )
    role = forms.ChoiceField(choices=Role.choices, initial=Role.ANNOTATOR)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, auto_id="list_%s")  # the form for one address is on the same page

    def clean_emails(self) -> list[Address]:
        """The addresses, each once, in their order. Errors name what is no address, by line."""
        try:
            return read_addresses(self.cleaned_data["emails"])
        except BadList as bad:
            raise ValidationError(list(bad.reasons)) from bad

    def clean_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)

    def clean_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class NewAccountForm(forms.Form):
    """The account of somebody who accepts an invitation; the e-mail address is the invitation's."""

    name = forms.CharField(max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"}), label="Your name")
    password = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=password_validators_help_text_html(),
        strip=False,
    )
    repeated = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}), label="The password again", strip=False
    )

    def __init__(self, data: Any = None, *, email: str) -> None:
        super().__init__(data)
        self.email = email

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or {}
        password = cleaned.get("password")
        if password and password != cleaned.get("repeated"):
            self.add_error("repeated", "The passwords differ. Type the same one twice.")
        if password:
            try:
                validate_password(password, User(email=self.email, name=cleaned.get("name", "")))
            except ValidationError as error:
                self.add_error("password", error)
        return cleaned
