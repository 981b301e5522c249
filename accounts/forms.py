"""Forms of one's own account: shape and validation only."""

from typing import Any

from django import forms

from accounts.models import ApiToken, User
from accounts.themes import Theme


class ProfileForm(forms.Form):
    """Name and how the person's own screens behave."""

    name = forms.CharField(
        max_length=150, required=False, help_text="Shown to the people you work with. Without one they see your e-mail."
    )
    theme = forms.ChoiceField(
        choices=[(theme.value, theme.label.capitalize()) for theme in Theme],
        widget=forms.RadioSelect,
        label="Colours",
    )
    shortcuts = forms.BooleanField(
        required=False,
        label="Keyboard shortcuts",
        help_text="Digits grade, Enter submits, and so on. Switch them off if they clash with assistive technology.",
    )

    def __init__(self, data: Any = None, *, user: User) -> None:
        initial = {
            "name": user.name,
            "theme": user.preferences.get("theme", Theme.SYSTEM),
            "shortcuts": user.preferences.get("shortcuts", True),
        }
        super().__init__(data, initial=initial)


class ThemeForm(forms.Form):
    theme = forms.ChoiceField(choices=Theme.choices)


class TokenForm(forms.ModelForm):
    class Meta:
        model = ApiToken
        fields = ["label"]
        labels = {"label": "What is it for?"}
        help_texts = {"label": "For example “nightly export on the lab server”. It tells your tokens apart."}
