"""What a relevance campaign asks by default: does an abstract meet one requirement of a topic?

The three levels follow DORIS-MAE (Wang et al., NeurIPS 2023, section 4.1): what counts is which key components of the
requirement the abstract answers, and whether it does so explicitly.
"""

from __future__ import annotations

from annotation.definitions.drafts import CriterionDraft, LevelDraft

RELEVANCE = CriterionDraft(
    key="relevance",
    label="Relevance",
    question="How far does this abstract meet the requirement?",
    levels=(
        LevelDraft(
            value=0,
            label="No help",
            definition="Nothing in the abstract bears on any key component of the requirement.",
            example="Requirement: “detects duplicate records without labelled pairs”. The abstract speeds up"
            " nearest-neighbour search and mentions records only as test data.",
        ),
        LevelDraft(
            value=1,
            label="Partly",
            definition="At least one key component is met, explicitly or by one obvious step of reasoning, but"
            " not every component is met explicitly.",
            example="Same requirement. The abstract detects duplicate records, yet trains on labelled pairs; or it does"
            " not say how it was trained, and one has to infer that no labels were used.",
        ),
        LevelDraft(
            value=2,
            label="Fully",
            definition="Every key component is met explicitly: nothing has to be read into the abstract.",
            example="Same requirement. The abstract presents an unsupervised method that finds duplicate records and"
            " says that it needs no labelled pairs.",
        ),
    ),
)

GUIDELINE = "\n".join(
    (
        "# Judging relevance",
        "",
        "You see one **requirement** (a query, or one aspect or sub-aspect of it) and one **abstract**. Decide how far"
        " the abstract meets the requirement. Judge this pair alone: not other parts of the query, not the quality of"
        " the paper, and not how well it would do compared with other abstracts.",
        "",
        "## In three steps",
        "",
        "1. **Find the key components.** Take the requirement apart into the things that must all be there: usually a"
        " task, a method or property, and a condition. “Detects duplicate records without labelled pairs” has two: it"
        " *detects duplicate records*, and it does so *without labelled pairs*.",
        "2. **Look for each component in the abstract.** It is *explicit* when the abstract says it, in whatever words."
        " It is *inferred* when one obvious step of reasoning leads there. Two steps, or knowing the paper, are too"
        " many.",
        "3. **Choose the level.** All explicit: the highest. None found: 0. Anything between: 1.",
        "",
        "## When in doubt",
        "",
        "- A synonym or a special case of a component counts as explicit: “clustering of near-identical entries” is"
        " about duplicate records.",
        "- A more general statement does not: “works on structured data” is not about duplicate records.",
        "- Only the title and the abstract count. Do not look the paper up, and do not guess what its full text says.",
        "- If the requirement cannot be understood, or the abstract is missing or cut off, skip the item and say why.",
        "- When you waver between two levels, ask which component decides it; if that is still open, take the lower"
        " level and leave a note.",
        "",
    )
)
