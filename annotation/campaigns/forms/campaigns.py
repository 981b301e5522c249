"""Forms that make, describe and copy campaigns, and what they ask about their kinds."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet

from accounts.models import User
from accounts.refusals import Refused
from annotation.campaigns.copying import copyable_campaigns, key_of, template_named
from annotation.campaigns.forms.items import CalibrationForm
from annotation.campaigns.forms.settings import number_field
from annotation.campaigns.templates.registry import TEMPLATES
from annotation.campaigns.templates.template import CampaignTemplate
from annotation.kind import Kind, kinds, option_readers
from annotation.models import Campaign, CampaignState, Order, Split, Strategy
from corpus.collections.collections import open_invitations
from corpus.models import Collection, InvitedRole, Membership, Role
from engines.definitions.campaign_file import BadCampaignFile, CampaignFile, read_campaign_file
from engines.definitions.settings import GUIDELINE, LEASE, NAME, OVERLAP, SAMPLE, SEED

MOST_FILE_BYTES = 1_000_000
ORDERS = [
    (Order.BY_ASPECT, "One aspect, many abstracts: the question stays, the abstracts change"),
    (Order.BY_DOCUMENT, "One abstract, all aspects: a page for each abstract, submitted once"),
]
STRATEGIES = [
    (Strategy.QUEUE, "Open queue: each annotator takes the next free item"),
    (Strategy.PLANNED, "Assigned in advance: everybody knows their share, loads are even"),
]
SPLITS = [
    (Split.MAIN, "main"),
    (Split.DEV, "development: held out, to try prompts and guidelines on"),
    (Split.TEST, "test: held out, to measure agreement on"),
]


AS_IN_TEMPLATE = ("", "As in the template")
COPY = "copy"  # instead of the name of a template: the campaign of the field `copied`


def _template_choices() -> list[tuple[str, str]]:
    return [*((name, each.label) for name, each in TEMPLATES.items()), (COPY, "Copy of a campaign")]


class CampaignForm(forms.Form):
    """What can be changed while a campaign is a draft."""

    name = forms.CharField(max_length=NAME.most, help_text="For example “Main round” or “Development set”.")
    split = forms.ChoiceField(
        choices=SPLITS, help_text="Pairs of development and test campaigns of a collection never overlap."
    )
    overlap = number_field(OVERLAP, label="Annotators per item", help_text="How many people judge each item.")
    order = forms.ChoiceField(choices=ORDERS, widget=forms.RadioSelect)
    strategy = forms.ChoiceField(choices=STRATEGIES, widget=forms.RadioSelect, label="How items reach people")
    lease_minutes = number_field(
        LEASE,
        label="Release an untouched item after (minutes)",
        help_text="In an open queue, an item that was taken and left is offered again after this time.",
    )
    deadline = forms.DateField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="The last day to judge. Annotators see it, and you see who is late. Late answers are still accepted.",
    )
    seed = number_field(
        SEED,
        required=False,
        help_text="Determines samples, plans and orders. It is stored, so that they can be repeated. Left"
        " empty: drawn at random.",
    )

    def clean_seed(self) -> int | None:
        seed = self.cleaned_data["seed"]
        return self.initial.get("seed") if seed is None else seed


class SettledForm(forms.Form):
    """What can still be changed while a campaign is open."""

    name = CampaignForm.base_fields["name"]
    deadline = CampaignForm.base_fields["deadline"]
    lease_minutes = CampaignForm.base_fields["lease_minutes"]


class InvitedField(forms.ModelMultipleChoiceField):
    """People who are invited and have not joined yet, by their addresses."""

    def __init__(self) -> None:
        super().__init__(
            queryset=InvitedRole.objects.none(),
            required=False,
            widget=forms.CheckboxSelectMultiple,
            label="Invited people",
            help_text="They find their items when they join.",
        )

    def label_from_instance(self, invited: Any) -> str:
        return str(invited.invitation.email)


ALONE = "Suggested: one person, because nobody but you can judge here yet. Left empty: as in the template."


class NewCampaignForm(CampaignForm):
    """A new campaign with its items and people. Settings that are left empty are as in the template."""

    template = forms.ChoiceField(choices=_template_choices, widget=forms.RadioSelect, label="Template")
    copied = forms.ChoiceField(required=False, label="Campaign to copy")
    overlap = number_field(
        OVERLAP, required=False, label="People per item", help_text="Left empty: as in the template."
    )
    split = forms.ChoiceField(
        choices=[AS_IN_TEMPLATE, *SPLITS],
        required=False,
        help_text="Pairs of development and test campaigns of a collection never overlap.",
    )
    order = forms.ChoiceField(choices=[AS_IN_TEMPLATE, *ORDERS], required=False, widget=forms.RadioSelect)
    strategy = forms.ChoiceField(
        choices=[AS_IN_TEMPLATE, *STRATEGIES], required=False, widget=forms.RadioSelect, label="How items reach people"
    )
    lease_minutes = number_field(
        LEASE,
        required=False,
        initial=None,
        label="Release an untouched item after (minutes)",
        help_text="In an open queue. Empty: as in the template.",
    )
    annotators = forms.ModelMultipleChoiceField(
        queryset=User.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Members of the collection who judge. More can be added at any time.",
    )
    invited = InvitedField()
    sample = number_field(
        SAMPLE,
        required=False,
        label="Sample size",
        help_text="Drawn by the seed. Left empty, all pairs are used.",
    )
    stratified = forms.BooleanField(required=False, label="Draw the same number from each topic or source")
    file = forms.FileField(
        required=False,
        label="Definition as a TOML file",
        help_text="Criteria with their levels, and a guideline, in place of the defaults. Settings above take"
        " precedence.",
    )

    def __init__(self, *args: Any, membership: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["annotators"].queryset = possible_annotators(membership)
        fields["invited"].queryset = possible_invited(membership)
        if not fields["invited"].queryset.exists():
            del fields["invited"]
        self.by = membership.user
        self.sources = {key_of(each): each for each in copyable_campaigns(self.by)}
        fields["copied"].choices = [(key, f"{each.collection}: {each}") for key, each in self.sources.items()]
        if not self.sources:
            fields["template"].choices = [each for each in _template_choices() if each[0] != COPY]
        if self.initial.get("overlap") == 1:
            fields["overlap"].help_text = ALONE
        if begun := self.begun:
            fields["overlap"].widget.attrs["placeholder"] = begun.values["overlap"]

    @property
    def cards(self) -> list[tuple[Any, CampaignTemplate | None]]:
        """The choices as cards: each button with its template, None for the copy."""
        return [(button, TEMPLATES.get(str(button.data["value"]))) for button in self["template"]]

    @property
    def grouped_sources(self) -> list[tuple[str, list[tuple[str, Campaign]]]]:
        """What can be copied, by collection."""
        found: dict[str, list[tuple[str, Campaign]]] = {}
        for key, campaign in self.sources.items():
            found.setdefault(str(campaign.collection), []).append((key, campaign))
        return list(found.items())

    @property
    def begun(self) -> CampaignTemplate | None:
        """The template that the data name, or the first one; None where they name none."""
        name = self.data.get("template", "") if self.is_bound else self.initial["template"]
        name = self.data.get("copied") or next(iter(self.sources), "") if name == COPY else name
        try:
            return template_named(name, self.by)
        except Refused:
            return None

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("template") == COPY:
            cleaned["template"] = cleaned.get("copied")
            if not cleaned["template"] and "copied" not in self.errors:
                self.add_error("copied", "Choose the campaign to copy.")
        return cleaned

    def clean_file(self) -> CampaignFile:
        file = self.cleaned_data["file"]
        return read_upload(file) if file else CampaignFile()


class KindPart:
    """The forms of one kind, bound to the data if that is the kind that was chosen."""

    def __init__(self, kind: Kind, data: Mapping[str, Any] | None, collection: Collection) -> None:
        self.kind = kind
        self.options = kind.options.form(data, stored={}) if kind.options else None
        self.choice = kind.choosing.form(data, collection=collection) if kind.choosing else None

    @property
    def forms(self) -> list[Any]:
        return [form for form in (self.choice, self.options) if form is not None]


class KindForms:
    """The parts of all kinds, of which only the chosen one counts."""

    def __init__(self, data: Any, collection: Collection, begun: CampaignTemplate | None) -> None:
        name = begun.kind if begun else ""
        self.parts = [KindPart(kind, data if kind.name == name else None, collection) for kind in kinds()]
        self.chosen = next((part for part in self.parts if part.kind.name == name), None)
        self.has_sample = self.chosen is not None and self.chosen.kind.offers_calibration
        self.calibration = CalibrationForm(data if self.has_sample else None)
        self.with_orders = " ".join(kind.name for kind in kinds() if kind.has_orders)
        self.with_calibration = " ".join(kind.name for kind in kinds() if kind.offers_calibration)

    def is_valid(self) -> bool:
        forms = [*(self.chosen.forms if self.chosen else []), *([self.calibration] if self.has_sample else [])]
        invalid = [form for form in forms if not form.is_valid()]  # errors of all are shown
        return not invalid

    @property
    def has_errors(self) -> bool:
        forms = [form for part in self.parts for form in part.forms]
        return any(form.errors for form in [*forms, self.calibration])

    def options(self) -> dict[str, Any] | None:
        """The settings of the chosen kind, as they are stored; None of kinds that have none."""
        return self.chosen.options.as_json() if self.chosen and self.chosen.options else None

    def calibration_sample(self) -> dict[str, Any] | None:
        """Sample and overlap of the calibration; None where none is asked for."""
        return self.calibration.sample_and_overlap() if self.has_sample else None

    def choice(self) -> Any:
        """Which items are wanted, None for all."""
        return self.chosen.choice.chosen() if self.chosen and self.chosen.choice else None


class CopyForm(forms.Form):
    name = forms.CharField(max_length=NAME.most, label="Name of the copy")


class GuidelineForm(forms.Form):
    """The text of a guideline, and the version it started from."""

    body = forms.CharField(
        label="Guideline",
        widget=forms.Textarea(attrs={"rows": 24}),
        max_length=GUIDELINE.most,
        strip=False,
        help_text="Markdown: # headings, **bold**, lists, tables, links. HTML and images are not shown.",
    )
    based_on = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


class CampaignFilterForm(forms.Form):
    """Which campaigns a list shows. Invalid values are ignored."""

    q = forms.CharField(required=False, max_length=NAME.most, label="Name")
    state = forms.ChoiceField(choices=[("", "Any"), *CampaignState.choices], required=False)
    kind = forms.ChoiceField(choices=lambda: [("", "Any"), *((one.name, str(one)) for one in kinds())], required=False)

    def narrow(self, campaigns: QuerySet[Campaign]) -> QuerySet[Campaign]:
        self.is_valid()
        values = self.cleaned_data
        limits = {"name__icontains": values.get("q"), "state": values.get("state"), "kind": values.get("kind")}
        return campaigns.filter(**{name: value for name, value in limits.items() if value})


class TomlForm(forms.Form):
    toml = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "class": "mono"}),
        label="Criteria as TOML",
        max_length=MOST_FILE_BYTES,
    )

    def clean_toml(self) -> CampaignFile:
        file = _read_file(self.cleaned_data["toml"])
        if not file.criteria:
            raise forms.ValidationError("The text has no [[criteria]].")
        return file


def possible_annotators(membership: Membership) -> Any:
    """Members of the collection who may judge, by name: all but viewers."""
    members = Membership.objects.filter(collection=membership.collection).exclude(role=Role.VIEWER)
    return User.objects.filter(pk__in=members.values("user")).order_by("name", "email")


def possible_invited(membership: Membership) -> QuerySet[InvitedRole]:
    """Open invitations of people who may judge once they join."""
    return open_invitations(membership.collection).exclude(role=Role.VIEWER)


def settings_of(campaign: Campaign) -> dict[str, Any]:
    """The campaign's settings, as the forms take them initially."""
    return {name: getattr(campaign, name) for name in CampaignForm.base_fields}


def read_upload(file: Any) -> CampaignFile:
    """A campaign's TOML file as it was uploaded; ValidationError says what is wrong with it."""
    if file.size > MOST_FILE_BYTES:
        raise forms.ValidationError("The file is larger than a megabyte, far more than a definition needs.")
    try:
        return _read_file(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise forms.ValidationError("The file is not text in UTF-8.") from error


def _read_file(text: str) -> CampaignFile:
    try:
        return read_campaign_file(text, option_readers())
    except BadCampaignFile as bad:
        raise forms.ValidationError(bad.reason) from bad
