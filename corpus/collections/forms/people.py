"""Forms about members and invitations."""

import re
from typing import Any

from django import forms
from django.contrib.auth.password_validation import password_validators_help_text_html, validate_password
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.utils.text import Truncator

from accounts.models import User
from corpus.models import Role

LONGEST_ADDRESS = 254  # characters
check_length = MaxLengthValidator(LONGEST_ADDRESS)
MOST_INVITED = 200
MOST_NAMED = 5  # wrong addresses in a message
LONGEST_NAMED = 60  # characters of each


class InvitationForm(forms.Form):
    """Whom to ask, and as what."""

    email = forms.EmailField(label="E-mail address", max_length=LONGEST_ADDRESS)
    role = forms.ChoiceField(choices=Role.choices, initial=Role.ANNOTATOR)

    def clean_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class InvitationListForm(forms.Form):
    """Many addresses at once, pasted from anywhere: a mail, a table, a list."""

    emails = forms.CharField(
        label="E-mail addresses",
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text="One a line, or separated by commas. “Ada Lovelace <ada@example.org>” works too.",
    )
    role = forms.ChoiceField(choices=Role.choices, initial=Role.ANNOTATOR)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, auto_id="list_%s")  # the form for one address is on the same page

    def clean_emails(self) -> list[str]:
        """The addresses, each once, in their order. Errors name what is no address."""
        found: dict[str, None] = {}
        wrong = []
        for part in re.split(r"[,;\n]", self.cleaned_data["emails"]):
            address = (match[1] if (match := re.search(r"<([^<>]*)>", part)) else part).strip().strip('"').lower()
            if not address:
                continue
            try:
                check_length(address)
                validate_email(address)
                found[address] = None
            except ValidationError:
                wrong.append(Truncator(part.strip()).chars(LONGEST_NAMED))
        if wrong:
            more = f" and {len(wrong) - MOST_NAMED:,} more" if len(wrong) > MOST_NAMED else ""
            raise ValidationError(f"No e-mail address: {', '.join(wrong[:MOST_NAMED])}{more}. Nobody was invited.")
        if not found:
            raise ValidationError("There is no address in it.")
        if len(found) > MOST_INVITED:
            raise ValidationError(f"{len(found):,} addresses; at most {MOST_INVITED} are invited at once.")
        return list(found)

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
