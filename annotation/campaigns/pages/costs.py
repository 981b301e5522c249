"""What the campaign of a form would cost, while it is being filled."""

from dataclasses import dataclass
from typing import Any

from accounts.refusals import Refused
from annotation.campaigns.forms.campaigns import KindForms, NewCampaignForm, possible_annotators
from annotation.campaigns.pace import WorkToAdd, foresee_workload
from annotation.campaigns.templates.registry import TEMPLATES
from annotation.campaigns.templates.template import CampaignTemplate
from annotation.kind import Judged
from corpus.models import Collection, Membership

FIRST = "doris-mae"  # the template that is chosen at first


@dataclass(frozen=True)
class Cost:
    """The work of a campaign, or why it cannot be said; `template` is what the campaign begins as."""

    template: CampaignTemplate | None = None
    work: WorkToAdd | None = None
    reason: str = ""
    overlap: int | None = None  # as the form has it, like the split
    split: str = ""

    @property
    def sentence(self) -> str:
        return self.template.sentence_of(self.overlap, self.split) if self.template else ""


def new_campaign_form(
    membership: Membership, data: Any = None, files: Any = None, template: str = ""
) -> NewCampaignForm:
    """The form, filled at first with the template of this name where there is one, else with the usual one."""
    initial = {"template": template if template in TEMPLATES else _usual(membership.collection)} | _alone(membership)
    return NewCampaignForm(data, files, initial=initial, membership=membership)


def _usual(collection: Collection) -> str:
    """The template that is chosen at first: where there are papers and no topics, one of papers."""
    if collection.topics.exists() or not collection.papers.exists():
        return FIRST
    return next((name for name, each in TEMPLATES.items() if each.kind_object.judges == Judged.PAPERS), FIRST)


def _alone(membership: Membership) -> dict[str, Any]:
    """Who is alone in a collection most likely judges alone; others are invited, or judge more of an item, later."""
    people = list(possible_annotators(membership)[:2])
    return {"overlap": 1, "annotators": people} if people == [membership.user] else {}


def foresee_cost(collection: Collection, form: NewCampaignForm, kinds: KindForms) -> Cost:
    """The cost by the fields that are valid now: nothing else needs to be filled in."""
    template = form.begun
    if template is None:
        return Cost(reason="Choose a template or the campaign to copy.")
    numbers = {"overlap", "sample", "split", "annotators"}
    if form.is_bound and (numbers & set(form.errors) or not kinds.is_valid()):
        return Cost(template, reason="The work is shown once all fields are filled in correctly.")
    values = form.cleaned_data if form.is_bound else form.initial
    shown = {"overlap": values.get("overlap"), "split": values.get("split", "")}
    kind_choice = kinds.choice() if form.is_bound else None
    try:
        work = foresee_workload(
            collection,
            template,
            **shown,
            people=len(values.get("annotators", ())),
            choice=kind_choice,
            sample=values.get("sample"),
        )
    except Refused as refusal:
        return Cost(template, reason=refusal.reason, **shown)
    return Cost(template, work, **shown)
