"""The form of a publication. The token is read once and never shown again, also not when the form comes back."""

from typing import Any

from django import forms

from adjudication.models import Release
from adjudication.models.publications import Destination
from adjudication.publications.jobs import base_url, own_token


class PublicationForm(forms.Form):
    destination = forms.ChoiceField(choices=Destination.choices, widget=forms.RadioSelect, label="Where")
    repository = forms.CharField(
        max_length=200,
        required=False,
        label="Repository at the Hugging Face Hub",
        help_text="name or owner/name. Zenodo needs none.",
    )
    anonymous = forms.ChoiceField(
        choices=(("named", "named"), ("anonymous", "anonymous")),
        initial="named",
        widget=forms.RadioSelect,
        label="Variant",
        help_text="The name of the account is shown to readers in both.",
    )
    public = forms.ChoiceField(
        choices=(
            ("private", "private repository, or a draft at Zenodo"),
            ("public", "public once it is whole; at Zenodo for good"),
        ),
        initial="private",
        widget=forms.RadioSelect,
        label="Who may see it",
    )
    token = forms.CharField(
        max_length=512,
        required=False,
        label="Token",
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, release: Release, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["destination"].initial = Destination.HUGGINGFACE
        self.fields["repository"].initial = f"{release.collection.slug}-{release.name}"
        ready = " and ".join(one.label for one in Destination if own_token(one))
        self.fields["token"].required = not ready
        use = "One that may write. It is kept encrypted while the job runs, and then deleted."
        self.fields["token"].help_text = f"{use} Not needed for {ready}: the server has one." if ready else use
        self.places = [(one.label, base_url(one)) for one in Destination]

    def clean_anonymous(self) -> bool:
        return self.cleaned_data["anonymous"] == "anonymous"

    def clean_public(self) -> bool:
        return self.cleaned_data["public"] == "public"
