"""Audits as a release holds them: samples with all that they were drawn from, so that readers can recompute figures."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef

from adjudication.machine_audits.reading import audits_of, read_people
from adjudication.machine_audits.report import Findings, find
from adjudication.machine_audits.strata import unpack_frame
from adjudication.machine_audits.tables import as_json, rows_of, sentences_of
from adjudication.models import AuditItem, MachineAudit
from annotation.models import Assignment, AssignmentState, Campaign, Item

STILL_JUDGED = "People are still judging the sample, and its items must not be known before they are done."


def released_audits(campaign: Campaign) -> tuple[list[MachineAudit], list[MachineAudit]]:
    """(those whose samples nobody judges any longer, the oldest first; the others)."""
    states = [AssignmentState.OPEN, AssignmentState.PENDING]
    waiting = Assignment.objects.filter(item=OuterRef("item"), state__in=states, slot__isnull=False)
    asked = AuditItem.objects.filter(Exists(waiting), audit=OuterRef("pk"))
    found: tuple[list[MachineAudit], list[MachineAudit]] = [], []
    for one in audits_of(campaign).annotate(is_judged=Exists(asked)).order_by("pk"):
        one.campaign = campaign
        found[one.is_judged].append(one)
    return found


def lines_of_frame(one: MachineAudit) -> Iterator[dict[str, Any]]:
    """Every item that the machine had labelled: its stratum (none where people had labelled it already), with which
    probability it was drawn, whether it was, and what people say of it."""
    columns = unpack_frame(bytes(one.frame))
    people = dict(zip(*(column.tolist() for column in read_people(one.criterion)[:2]), strict=True))
    drawn = set(one.sample.values_list("item", flat=True))
    share = [each["sample"] / each["items"] for each in one.strata]
    of_item = {item: rest for item, *rest in columns.T.tolist()}
    rows = Item.objects.filter(campaign=one.campaign_id, pk__gte=np.min(columns[0])).order_by("pk")
    names = rows.values_list("pk", "topic__number", "aspect__text", "document__docno")
    for pk, topic, aspect, docno in names.iterator(chunk_size=20_000):
        if pk in of_item:
            value, h = of_item[pk]
            known = {"stratum": None, "probability": 1.0} if h < 0 else {"stratum": h, "probability": share[h]}
            yield {"topic": topic, "aspect": aspect, "docno": docno, "machine": value, **known} | {
                "drawn": pk in drawn,
                "people": people.get(pk),
            }


def description_of(one: MachineAudit) -> dict[str, Any]:
    """How the sample was drawn, and the figures. The strata are numbered from 0, in this order."""
    figures = as_json(find(one))
    del figures["counted_at"], figures["needed"]
    about = {"machine": one.machine.name, "criterion": one.criterion.key, "seed": one.seed, "size": one.size}
    return about | {"strata": one.strata, "figures": figures}


def audit_text(campaign: Campaign) -> str:
    """Every audit in words with its figures, for an appendix; "" where there is none."""
    return "\n\n".join(_text_of(find(one)) for one in released_audits(campaign)[0])


def _text_of(found: Findings) -> str:
    one = found.evidence.audit
    drawn = (
        f"Labels of {one.machine.name} on {one.criterion.key}: {one.size:,} of {found.report.n_pairs:,} items were"
        f" drawn (seed {one.seed}), at random without replacement in each of {len(one.strata)} strata, and judged by"
        " people who could not tell them from others."
    )
    figures = [
        f"- {row.name}: {row.corrected}; the machine alone {row.machine}; people alone {row.people}"
        for row in rows_of(found)
    ]
    return "\n".join([" ".join([drawn, *found.notes]), "", *figures, *(f"- {each}" for each in sentences_of(found))])
