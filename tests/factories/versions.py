"""Papers that several people have finished, each in their way."""

from dataclasses import dataclass, replace
from datetime import datetime

from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Campaign, Extraction, ExtractionSource, Item
from annotation.papers.extracting import (
    begin_extraction,
    finish_extraction,
    reopen_extraction,
    save_extraction,
)
from corpus.models import Paper
from engines.definitions.extractions import (
    Content,
    ExtractedContext,
    ExtractedReference,
    ExtractedSentence,
    kind_of,
    write_content,
)
from tests.factories.annotation import AT, Material, make_campaign, make_material
from tests.factories.papers import PaperFactory, assignment_of, make_extraction

OPENING = ExtractedSentence("Tea has been studied for a long time.")
MEASURED = ExtractedSentence("Lee et al. [1, 2] measured it.", ("1", "2"))
WATER = ExtractedSentence("Water boils [3].", ("3",))


def context(number: str, *sentences: ExtractedSentence, section: str = "introduction", block: int = 1):
    return ExtractedContext(number, section, sentences, (block,))


def references(*values: str | None) -> tuple[ExtractedReference, ...]:
    return tuple(
        ExtractedReference(str(n), value, f"Lee {n}. On tea.", kind_of(value)) for n, value in enumerate(values, 1)
    )


FIRST = Content(
    (context("01", OPENING, MEASURED), context("02", WATER, section="related work", block=2)),
    references("d0000", None, "10.9/elsewhere"),
)
HIDDEN = replace(MEASURED, text="[1, 2] measured it.", anonymised=True, original=MEASURED.text)
SECOND = Content(
    (context("01", OPENING, HIDDEN), context("02", WATER, section="introduction", block=2)),
    references("d0001", None, "10.9/elsewhere"),
)  # differs in the second sentence, in a section and in an identifier


@dataclass
class Finished:
    """An extraction campaign whose first paper these people have finished."""

    material: Material
    campaign: Campaign
    paper: Paper
    item: Item

    def hand_in(self, name: str, content: Content, *, at: datetime = AT, paper: Paper | None = None) -> Extraction:
        """The person's extraction with this content, finished; taken up again where it was."""
        by = self.material.people[name]
        mine = begin_extraction(assignment=assignment_of(self.campaign, name, paper or self.paper), by=by, at=at)
        if mine.state == "finished":
            mine = reopen_extraction(extraction=mine, by=by, at=at)
        save_extraction(extraction=mine, content=write_content(content), base=mine.current, by=by, at=at)
        mine.refresh_from_db()
        return finish_extraction(extraction=mine, by=by, at=at, despite=True)


def make_finished(
    *contents: Content, annotators: tuple[str, ...] = ("ann", "bob"), papers: int = 1, overlap: int | None = None
) -> Finished:
    """A campaign open since AT; the annotators have finished the first paper with these contents, in their order."""
    material = make_material(topics=1, annotators=annotators)
    made = [PaperFactory(collection=material.collection) for _ in range(papers)]
    for paper in made:
        make_extraction(paper, ExtractionSource.MACHINE, FIRST)
    campaign = make_campaign(material, name="Contexts", kind="extraction", overlap=overlap or len(annotators))
    assign_items(campaign=campaign, by=material.manager, at=AT)
    campaign = open_campaign(campaign=campaign, by=material.manager, at=AT)
    found = Finished(material, campaign, made[0], campaign.items.get(paper=made[0]))
    for name, content in zip(annotators, contents, strict=False):
        found.hand_in(name, content)
    return found
