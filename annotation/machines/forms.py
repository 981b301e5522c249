"""Forms of machine annotators: requesting runs, writing prompts, deciding what a reply states."""

from typing import Any

from django import forms

from annotation.campaigns.forms.settings import number_field
from annotation.machines.recipes import MachineOptions
from annotation.models import Annotator, Campaign, Criterion, MachineKind, MachineRun
from corpus.endpoints.endpoints import Service, find_service
from corpus.endpoints.fields import EndpointField
from corpus.models import ModelPurpose, PromptPurpose, PromptTemplate
from corpus.questions.prompts import prompt_versions
from engines.definitions.settings import CONCURRENCY, MACHINE_SEED, PER_MINUTE, RUNS, TOKENS, UNREADABLE
from engines.prompting.committees import RULES
from engines.prompting.lexical import usual_thresholds

KINDS = [
    (MachineKind.LEXICAL, "Lexical baseline: counts the aspect's content words in the document, without a network"),
    (MachineKind.ENDPOINT, "Language model: asks a model endpoint, with a prompt"),
]


class PromptChoice(forms.ModelChoiceField):
    def label_from_instance(self, obj: PromptTemplate) -> str:
        return f"{obj.name}, version {obj.version} ({obj.sha256[:8]})"


class MachineForm(forms.Form):
    """The machine, and how it is asked."""

    kind = forms.ChoiceField(choices=KINDS, widget=forms.RadioSelect, label="Machine")
    criteria = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="Criteria",
        help_text="Several in one answer need a prompt that holds {criteria}.",
    )
    thresholds = forms.CharField(
        required=False,
        label="Thresholds of the baseline",
        help_text="Shares of content words from which the next level begins, lowest first, separated by spaces.",
    )
    prompt = PromptChoice(queryset=PromptTemplate.objects.none(), required=False, empty_label="choose one")
    endpoint = EndpointField(ModelPurpose.CHAT)
    model = forms.CharField(max_length=80, required=False, help_text="A model of the endpoint; empty: its first.")
    temperature = forms.FloatField(
        min_value=0, max_value=2, initial=0, required=False, help_text="0: as little randomness as the endpoint allows."
    )
    max_tokens = number_field(TOKENS, required=False, label="Longest answer, in tokens")
    seed = number_field(
        MACHINE_SEED,
        required=False,
        help_text="Sent to the endpoint and counted on from run to run.",
    )
    runs = number_field(
        RUNS,
        label="Runs",
        help_text="Each run becomes a separate annotator. Two show how far the machine agrees with itself.",
    )
    stop_after = number_field(
        UNREADABLE,
        label="Stop after invalid answers in a row",
        help_text="The next ones would cost as much. The run can be continued. 0: never.",
    )
    concurrency = number_field(CONCURRENCY, required=False, label="Requests at a time")
    per_minute = number_field(PER_MINUTE, required=False, label="Requests per minute", help_text="0: no limit.")
    price_in = forms.DecimalField(
        min_value=0, required=False, max_digits=12, decimal_places=6, label="Price per million tokens sent"
    )
    price_out = forms.DecimalField(
        min_value=0, required=False, max_digits=12, decimal_places=6, label="Price per million tokens received"
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        service = find_service(ModelPurpose.CHAT, campaign.collection)
        criteria = list(campaign.criteria.prefetch_related("levels"))
        kwargs["initial"] = {**_initial(service, criteria), **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)
        prompt, chosen, kind = self.fields["prompt"], self.fields["criteria"], self.fields["kind"]
        assert isinstance(prompt, forms.ModelChoiceField)  # noqa: S101 - narrows the type
        assert isinstance(chosen, forms.MultipleChoiceField)  # noqa: S101 - narrows the type
        assert isinstance(kind, forms.ChoiceField)  # noqa: S101 - narrows the type
        prompt.queryset = prompt_versions(campaign.collection, PromptPurpose.RELEVANCE)
        chosen.choices = [(one.key, one.label) for one in criteria]
        if len(criteria) == 1:
            chosen.widget = forms.MultipleHiddenInput()
        if service is None:
            kind.choices = KINDS[:1]
        endpoint = self.fields["endpoint"]
        assert isinstance(endpoint, EndpointField)  # noqa: S101 - narrows the type
        if endpoint.offer(campaign.collection) > 1:  # each has its own model and pace
            self.initial = {**self.initial, "model": "", "per_minute": None}

    def clean_thresholds(self) -> tuple[float, ...]:
        text = self.cleaned_data["thresholds"].replace(";", " ")
        try:
            return tuple(float(part) for part in text.split())
        except ValueError:
            raise forms.ValidationError("Write shares such as 0.4 0.8, separated by spaces.") from None

    @property
    def of_lexical(self) -> list[forms.BoundField]:
        return [self["thresholds"]]

    @property
    def of_model(self) -> list[forms.BoundField]:
        return [self[name] for name in ("prompt", "endpoint", "model", "temperature", "max_tokens", "seed")]

    @property
    def of_pace(self) -> list[forms.BoundField]:
        return [self[name] for name in ("stop_after", "concurrency", "per_minute", "price_in", "price_out")]

    @property
    def options(self) -> MachineOptions:
        """The options filled in; the temperature is 0 where it was left empty."""
        given = self.cleaned_data
        temperature, criteria = given["temperature"] or 0.0, tuple(given["criteria"])
        return MachineOptions(**{**given, "temperature": temperature, "criteria": criteria})


def _initial(service: Service | None, criteria: list[Criterion]) -> dict[str, Any]:
    levels = len(criteria[0].levels.all()) if criteria else 3
    return {
        "kind": MachineKind.ENDPOINT if service else MachineKind.LEXICAL,
        "criteria": [one.key for one in criteria[:1]],
        "thresholds": " ".join(f"{share:g}" for share in usual_thresholds(levels)),
        "model": service.endpoint.model if service else "",
        "max_tokens": service.endpoint.max_tokens if service else 0,
        "concurrency": service.pace.concurrency if service else None,
        "per_minute": service.pace.per_minute if service else None,
    }


class CommitteeForm(forms.Form):
    """Machines that make up a committee, and by which rule it answers."""

    members = forms.ModelMultipleChoiceField(
        queryset=Annotator.objects.none(),
        to_field_name="name",
        widget=forms.CheckboxSelectMultiple,
        help_text="At least two machines that ran over the campaign.",
    )
    rule = forms.ChoiceField(
        choices=[(rule, f"{rule.capitalize()}: {words}") for rule, words in RULES.items()],
        widget=forms.RadioSelect,
        initial="majority",
        help_text="How it answers; it cannot be changed later.",
    )

    def __init__(self, *args: Any, campaign: Campaign | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if campaign is not None:
            runs = campaign.machine_runs.exclude(kind=MachineKind.COMMITTEE)
            members: Any = self.fields["members"]
            members.queryset = Annotator.objects.filter(machine_run__in=runs).order_by("pk")

    def clean_members(self) -> list[MachineRun]:
        return [one.machine_run for one in self.cleaned_data["members"].select_related("machine_run")]


class PromptForm(forms.Form):
    """A prompt's name and text. Saving under a name that exists makes its next version."""

    name = forms.CharField(max_length=100, help_text="An existing name gets a new version; earlier versions are kept.")
    body = forms.CharField(
        max_length=50_000, label="Text", strip=False, widget=forms.Textarea(attrs={"rows": 22, "spellcheck": "false"})
    )


class TrialForm(PromptForm):
    """A prompt, and the items to try it on."""

    items = forms.CharField(
        max_length=100,
        required=False,
        label="Items to try it on",
        help_text="Numbers of up to five items, as the preview and the answers name them. Empty: five are drawn.",
    )

    def clean_items(self) -> list[int]:
        words = self.cleaned_data["items"].replace(",", " ").split()
        if not all(word.isdecimal() and len(word) < 19 for word in words):
            raise forms.ValidationError("Write numbers of items, separated by spaces.")
        return [int(word) for word in words]


class ReplyDecisionForm(forms.Form):
    """What a reply states of a criterion that could not be read; empty: nothing."""

    value = forms.TypedChoiceField(coerce=int, empty_value=None, required=False)

    def __init__(self, *args: Any, criterion: Criterion, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        value = self.fields["value"]
        assert isinstance(value, forms.TypedChoiceField)  # noqa: S101 - narrows the type
        value.choices = [("", "nothing"), *((level.value, str(level)) for level in criterion.levels.all())]
