"""allauth's forms with the labels of Litmus: sentence case, and “e-mail” as everywhere else."""

from typing import Any, ClassVar

from allauth.account import forms
from allauth.socialaccount.forms import DisconnectForm as SocialDisconnectForm
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, gettext_noop

from accounts.passwords import check_may_have_password
from accounts.refusals import Refused

# What allauth says itself, but in German as one speaks to friends: our catalogue comes before its own.
FORMAL = (
    gettext_noop("Please type your current password."),
    gettext_noop("The new value must be different from the current one."),
    gettext_noop("You have confirmed %(email)s."),
    gettext_noop("Too many failed login attempts. Try again later."),
    gettext_noop("You must type the same password each time."),
)


class Labelled:
    labels: ClassVar[dict[str, str | Promise]]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for name, label in self.labels.items():
            field = self.fields[name]  # type: ignore[attr-defined]
            field.label = label
            field.widget.attrs.pop("placeholder", None)


class LoginForm(Labelled, forms.LoginForm):
    labels: ClassVar[dict[str, str | Promise]] = {
        "login": gettext_lazy("E-mail address"),
        "password": gettext_lazy("Password"),
    }

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        # One types at once; after a refusal the password, as the address is still there.
        self.fields["password" if self.is_bound else "login"].widget.attrs["autofocus"] = True

    def clean_login(self) -> str:
        return _with_password(super().clean_login())


class ResetPasswordForm(Labelled, forms.ResetPasswordForm):
    labels: ClassVar[dict[str, str | Promise]] = {"email": gettext_lazy("E-mail address")}

    def clean_email(self) -> str:
        return _with_password(super().clean_email())


def _with_password(email: str) -> str:
    """The address, where it may have a password. Errors: ValidationError."""
    try:
        check_may_have_password(email)
    except Refused as refusal:
        raise ValidationError(refusal.reason) from None
    return email


class AddEmailForm(Labelled, forms.AddEmailForm):
    labels: ClassVar[dict[str, str | Promise]] = {"email": gettext_lazy("New e-mail address")}


class ChangePasswordForm(Labelled, forms.ChangePasswordForm):
    labels: ClassVar[dict[str, str | Promise]] = {
        "oldpassword": gettext_lazy("Current password"),
        "password1": gettext_lazy("New password"),
        "password2": gettext_lazy("Repeat the new password"),
    }


class DisconnectForm(SocialDisconnectForm):
    """Of the providers of the file; one that was taken out of it leads nowhere, and is not shown."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        mine = SocialAccount.objects.filter(user=self.request.user, provider__in=settings.SIGN_ON)
        self.accounts = self.fields["account"].queryset = mine


class ResetPasswordKeyForm(Labelled, forms.ResetPasswordKeyForm):
    labels: ClassVar[dict[str, str | Promise]] = {
        "password1": gettext_lazy("New password"),
        "password2": gettext_lazy("Repeat the new password"),
    }
