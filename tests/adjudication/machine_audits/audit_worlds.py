"""Collections that a machine labelled with known errors, and what people would say of every item."""

from dataclasses import dataclass

import numpy as np

from adjudication.machine_audits.drawing import Drawing, draw_audit_sample
from adjudication.models import MachineAudit
from annotation.models import Assignment, AssignmentState, Strategy
from tests.factories.adjudication import AT, Built, add_labels, build_campaign, store_answers

TOPICS, DOCUMENTS = 10, 60
SHARES = (0.6, 0.25, 0.15)  # of people's grades


@dataclass
class World:
    built: Built
    truth: dict[int, int]  # item: what people would say

    def draw(self, size: int = 120, seed: int = 3, **more: object) -> Drawing:
        machine = more.pop("machine", self.built.annotators["bot"])
        one = {"campaign": self.built.campaign, "criterion": self.built.criterion, "machine": machine}
        return draw_audit_sample(**one, size=size, seed=seed, by=None, at=AT, **more)  # type: ignore[arg-type]

    def audit(self, size: int = 120, seed: int = 3, **more: object) -> MachineAudit:
        """A sample that people have judged whole."""
        audit = MachineAudit.objects.get(pk=self.draw(size, seed, **more).id)
        self.judge(audit)
        return audit

    def judge(self, audit: MachineAudit, most: int | None = None) -> None:
        """People judge what of the sample waits for them, in bulk; at `most` so many items."""
        waiting = Assignment.objects.filter(item__audited__audit=audit, state=AssignmentState.PENDING)
        done = list(waiting.order_by("pk")[:most])
        Assignment.objects.filter(pk__in=[one.pk for one in done]).update(state="done", finished_at=AT)
        store_answers(self.built.criterion, [(one, self.truth[one.item_id]) for one in done])


def machine_world(
    *,
    topics: int = TOPICS,
    documents: int = DOCUMENTS,
    seed: int = 1,
    strategy: Strategy = Strategy.PLANNED,
    slug: str = "tea",
) -> World:
    """Every topic has so many documents; the machine errs on a fifth, upwards, and more so in later topics."""
    rng = np.random.default_rng(seed)
    triples = [(str(1 + t), None, f"d{t:03d}-{d:04d}") for t in range(topics) for d in range(documents)]
    truth = rng.choice(3, len(triples), p=SHARES)
    wrong = rng.random(len(triples)) < 0.1 + 0.2 * np.arange(len(triples)) / len(triples)
    said = np.where(wrong, (truth + rng.choice([1, 1, 2], len(triples))) % 3, truth)
    built = build_campaign(triples=triples, machines=[("bot", "model", 1)], overlap=1, slug=slug)
    built.campaign.strategy = strategy
    built.campaign.save()
    bot = built.annotators["bot"]
    add_labels(built, [(item, bot, value) for item, value in zip(built.items, said.tolist(), strict=True)])
    return World(built, {item.pk: value for item, value in zip(built.items, truth.tolist(), strict=True)})
