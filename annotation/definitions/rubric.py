"""What a rubric campaign asks by default: is this a literature-search question worth keeping?

The two criteria follow LitSearch (Ajith et al., EMNLP 2024, Table 1): how many papers can answer the question, and
how well it would serve as a search somebody really does. Other rubrics need no code: criteria are data.
"""

from __future__ import annotations

from annotation.definitions.drafts import CriterionDraft, LevelDraft

DISCARD_REASONS = ("factually wrong", "unrealistic", "too broad", "too specific", "too easy")
TOO_BROAD = "too broad"  # the reason that “more than N papers fit” gives

SPECIFICITY = CriterionDraft(
    key="specificity",
    label="Specificity",
    question="How many papers answer it?",
    levels=(
        LevelDraft(
            value=0,
            label="Broad",
            definition="Up to 20 papers: it asks for a line of work rather than for one contribution.",
            example="Which approaches translate sign language without glosses?",
        ),
        LevelDraft(
            value=1,
            label="Specific",
            definition="At most 5 papers: it names what sets the wanted work apart.",
            example="Is there work that translates signing from skeletons alone, trained on television subtitles?",
        ),
    ),
)

QUALITY = CriterionDraft(
    key="quality",
    label="Quality",
    question="Would a researcher ask it?",
    levels=(
        LevelDraft(
            value=0,
            label="Discard",
            definition="Factually wrong, unrealistic, answered by more than 20 papers or by one odd detail only,"
            " or given away by its words.",
            example="What are some papers on machine translation?",
            reasons=DISCARD_REASONS,
        ),
        LevelDraft(
            value=1,
            label="Acceptable",
            definition="Sound, but not quite what researchers ask, or rather easy: it shares much of its wording"
            " with a target.",
            example="Which paper presents sign language news with subtitles? (So does the title.)",
        ),
        LevelDraft(
            value=2,
            label="Good",
            definition="A researcher would really look for it, and matching words alone would not find it.",
            example="Do signers' mouth movements carry meaning that translation systems miss?",
        ),
    ),
)

RUBRIC = (SPECIFICITY, QUALITY)

GUIDELINE = "\n".join(
    (
        "# Rating literature-search questions",
        "",
        "You see one **question** and the papers it is meant to find (its *targets*). Rate the question, not them.",
        "",
        "## In four steps",
        "",
        "1. **Read the question alone.** Can you tell what is asked without the paragraph below it? If a small slip"
        " spoils it, rewrite it rather than discard it.",
        "2. **Check it against the targets.** Every target must answer it, in the title, the abstract or the text of"
        " the paper. If one does not, the question is *factually wrong*.",
        "3. **Ask how many papers fit.** Search the collection from the screen. More than 20: *too broad*. Add the"
        " further ones you find as targets, as long as they are few.",
        "4. **Look at the shared words.** If typing the question's words would bring the target up at once, it is"
        " *too easy*, or acceptable at best.",
        "",
        "## When in doubt",
        "",
        "- Broad and specific questions are both welcome: specificity is no judgment of quality.",
        "- Rewrite for wrong facts, grammar, and wording that is copied from a title. Do not make another question of"
        " it. Questions that authors wrote are theirs: leave them as they are unless they are wrong.",
        "- Between two levels of quality, ask whether you would be glad to find this question in a test collection.",
        "- You know the field too little to say? Skip it and say why.",
        "",
    )
)

AUTHOR_GUIDELINES = "\n".join(
    (
        "The author of a target wrote this question. They were asked that it be",
        "",
        "- **realistic**: somebody working nearby might ask exactly this. Not: “Which paper trains for 40 epochs on two"
        " cards and reports 61.3?”",
        "- **specific**: one paper, or a handful, answers it. Not: “What is there on summarising text?”",
        "- **challenging**: the words of the title do not give it away. Ask for a detail that the abstract leaves out,"
        " say it in other words, or ask for what is new in it. Not: “Which paper introduces Litmus paper tests?”",
    )
)
