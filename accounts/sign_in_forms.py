"""allauth's forms with the labels of Litmus: sentence case, and “e-mail” as everywhere else."""

from typing import Any, ClassVar

from allauth.account import forms


class Labelled:
    labels: ClassVar[dict[str, str]]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for name, label in self.labels.items():
            field = self.fields[name]  # type: ignore[attr-defined]
            field.label = label
            field.widget.attrs.pop("placeholder", None)


class LoginForm(Labelled, forms.LoginForm):
    labels: ClassVar = {"login": "E-mail address", "password": "Password"}


class ResetPasswordForm(Labelled, forms.ResetPasswordForm):
    labels: ClassVar = {"email": "E-mail address"}


class AddEmailForm(Labelled, forms.AddEmailForm):
    labels: ClassVar = {"email": "New e-mail address"}


class ChangePasswordForm(Labelled, forms.ChangePasswordForm):
    labels: ClassVar = {
        "oldpassword": "Current password",
        "password1": "New password",
        "password2": "Repeat the new password",
    }


class ResetPasswordKeyForm(Labelled, forms.ResetPasswordKeyForm):
    labels: ClassVar = {"password1": "New password", "password2": "Repeat the new password"}
