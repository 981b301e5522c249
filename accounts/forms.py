"""Forms of one's own account: shape and validation only."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext, gettext_lazy

from accounts import mail
from accounts.addresses import LONGEST_ADDRESS, check_characters
from accounts.digests import Notice, switched_off
from accounts.models import ApiToken, TokenScope, User
from accounts.themes import Theme


class ProfileForm(forms.Form):
    """Name and how the person's own screens behave."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=150,
        required=False,
        help_text=gettext_lazy("Shown to the people you work with. Without one they see your e-mail."),
    )
    language = forms.ChoiceField(
        choices=settings.LANGUAGES,
        label=gettext_lazy("Language"),
        help_text=gettext_lazy(
            "Of the pages for judging, extracting and answering, of this profile and of mails to you."
            " Pages for managers are in English."
        ),
    )
    theme = forms.ChoiceField(
        choices=lambda: [(theme.value, capfirst(gettext(theme.label))) for theme in Theme],
        widget=forms.RadioSelect,
        label=gettext_lazy("Colours"),
    )
    shortcuts = forms.BooleanField(
        required=False,
        label=gettext_lazy("Keyboard shortcuts"),
        help_text=gettext_lazy(
            "Digits grade, Enter submits, and so on. Switch them off if they clash with assistive technology."
        ),
    )

    notices = forms.MultipleChoiceField(
        required=False,
        choices=[(each.value, gettext_lazy(each.label)) for each in Notice],
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Daily mail"),
        help_text=gettext_lazy(
            "At most one mail a day, only when there is something to report. Clear all to get none."
        ),
    )

    def __init__(self, data: Any = None, *, user: User) -> None:
        initial = {
            "notices": sorted(set(Notice.values) - switched_off(user)),
            "name": user.name,
            "language": user.preferences.get("language") or get_language(),
            "theme": user.preferences.get("theme", Theme.SYSTEM),
            "shortcuts": user.preferences.get("shortcuts", True),
        }
        super().__init__(data, initial=initial)
        if not mail.is_set_up():
            self.fields["notices"].help_text += " " + gettext("Nothing is sent now: no mail server is set up.")


class LanguageForm(forms.Form):
    language = forms.ChoiceField(choices=settings.LANGUAGES)


class ThemeForm(forms.Form):
    theme = forms.ChoiceField(choices=Theme.choices)


class TokenForm(forms.ModelForm):
    """What a token is for, what it may do and for how long."""

    scope = forms.ChoiceField(
        label="It may",
        choices=[
            (TokenScope.READ, "Read: lists, figures, exports"),
            (TokenScope.JUDGE, "Read and judge: in addition, take your next items and submit your judgments"),
            (TokenScope.MANAGE, "Everything you may do: in addition, import, create, change and delete"),
        ],
        initial=TokenScope.READ,
        widget=forms.RadioSelect,
    )
    days = forms.TypedChoiceField(
        label="It expires in", coerce=int, choices=[(7, "7 days"), (30, "30 days"), (90, "90 days"), (365, "a year")]
    )

    class Meta:
        model = ApiToken
        fields = ["label", "scope"]
        labels = {"label": "What is it for?"}
        help_texts = {"label": "For example “nightly export on the lab server”, to tell your tokens apart."}

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, initial={"days": 90})


class NewAccountForm(forms.Form):
    """A new account of the person who fills it in; `email`: its address, where that is known already."""

    name = forms.CharField(
        max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"}), label=gettext_lazy("Your name")
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy(
            "At least 10 characters, not a common password, not similar to your name or e-mail address."
        ),
        strip=False,
    )
    repeated = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        label=gettext_lazy("Repeat the password"),
        strip=False,
    )

    def __init__(self, data: Any = None, *, email: str = "") -> None:
        super().__init__(data)
        self.address = email

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or {}
        password = cleaned.get("password")
        if password and password != cleaned.get("repeated"):
            self.add_error("repeated", gettext("The passwords differ. Type the same one twice."))
        if password:
            try:
                person = User(email=cleaned.get("email", self.address), name=cleaned.get("name", ""))
                validate_password(password, person)
            except ValidationError as error:
                self.add_error("password", error)
        return cleaned


class FirstAccountForm(NewAccountForm):
    """The first account, by the code that the server has printed."""

    field_order = ("code", "email", "name", "password", "repeated")

    code = forms.CharField(
        label="Code from the terminal",
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autocapitalize": "characters", "class": "mono"}
        ),
        help_text="The server printed it where it was started.",
    )
    email = forms.EmailField(
        label="Your e-mail address",
        max_length=LONGEST_ADDRESS,
        validators=[check_characters],
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text="You sign in with it. No mail is sent to it now.",
    )
