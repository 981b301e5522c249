"""The jobs of machine annotators: a run, and a trial of a prompt."""

from typing import Any

from django.db.models import Model
from django.urls import reverse

from accounts import jobs
from accounts.audit import Scope
from accounts.queues import Queue
from annotation.campaigns.jobs import CampaignJob
from annotation.machines.asking import annotate
from annotation.machines.committees import convene
from annotation.machines.trials import try_prompt
from annotation.models import MachineKind, MachineRun, PromptTrial


class MachineJob(CampaignJob[MachineRun]):
    """A machine annotator's run over the items."""

    model = MachineRun
    queue = Queue.HEAVY
    doing = "Asking machine annotator"
    did = "Machine annotator finished:"
    onward = "See its answers"
    purpose = "The machine judges the items of the campaign, as a person would."
    cancel_verb = "cancel_machine_run"
    section = "machines"
    begins_at = "machine_create"
    related = ("campaign__collection", "annotator")

    def work(self, job: MachineRun, progress: jobs.Progress) -> None:
        convene(job, progress) if job.kind == MachineKind.COMMITTEE else annotate(job, progress)

    def audited(self, job: MachineRun) -> tuple[Model, Scope | None, dict[str, Any]]:
        return job.campaign, job.campaign.collection, {"machine": job.annotator.name}

    def subject(self, job: MachineRun) -> str:
        return f"“{job.annotator.name}”"

    def page(self, job: MachineRun) -> str:
        return reverse("machine_detail", args=[*self.where(job), job.pk])


class TrialJob(CampaignJob[PromptTrial]):
    model = PromptTrial
    queue = Queue.QUICK
    doing = "Trying a prompt for"
    did = "Prompt tried for"
    purpose = "A model answers a few items, so that its prompt can be improved. No answer becomes a label."
    cancel_verb = "cancel_prompt_trial"
    section = "machines"
    begins_at = "machine_prompt_edit"
    is_for_managers = True

    def work(self, job: PromptTrial, progress: jobs.Progress) -> None:
        try_prompt(job, progress)

    def page(self, job: PromptTrial) -> str:
        if job.campaign.collection.archived_at:  # where no prompt is written
            return self.address(job)
        return f"{reverse('machine_prompt_edit', args=self.where(job))}?trial={job.pk}#trial"
