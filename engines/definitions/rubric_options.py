"""Settings of a rubric campaign: cut-offs for easy questions, and when a question is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engines.definitions.drafts import BadOptions
from engines.text.overlap import DEFAULT, DEFINITIONS

INSIDE, OUTSIDE = ("inline-acl", "inline-inside"), ("inline-nonacl", "inline-outside")  # where the citing paper is
NO_CUTOFFS = "none"
FEW_FITTING = 5  # papers; a question that no more of them answer is specific (their Table 1)
MOST_FITTING = 20  # papers; a question that more of them answer is too broad (the same)


def usual_cutoffs(definition: str = DEFAULT) -> dict[str, float]:
    """The cut-offs by source that belong to a definition of overlap."""
    chosen = DEFINITIONS[definition]
    return dict.fromkeys(INSIDE, chosen.inside) | dict.fromkeys(OUTSIDE, chosen.outside)


@dataclass(frozen=True, slots=True)
class RubricOptions:
    """`cutoffs`: by source, the highest word overlap of a question with target titles; other sources have none.

    `overlap_definition` names what overlap compares; cut-offs that are not given are its own. They apply to imported
    questions only with `filter_imported`. `few_fitting`: at most so many papers fit a specific question; raters see
    their count compared with it. `most_fitting`: more papers than this make a question too broad. A question is kept
    when its value on the criterion `keep` is `keep_from` or more; statistics are split by the levels of `group`. Either
    key is "" where a campaign has no such criterion: then the last criterion decides, and the first one splits.
    """

    cutoffs: dict[str, float] = field(default_factory=usual_cutoffs)
    few_fitting: int = FEW_FITTING
    most_fitting: int = MOST_FITTING
    keep: str = "quality"
    keep_from: int = 1
    group: str = "specificity"
    filter_imported: bool = False
    overlap_definition: str = DEFAULT

    def cutoff(self, source: str) -> float | None:
        """The cut-off for questions of this source; None where they have none."""
        return self.cutoffs.get(source)

    @property
    def counting(self) -> str:
        """What overlap compares, in words."""
        return DEFINITIONS[self.overlap_definition].label

    @property
    def overlap_rule(self) -> str:
        """How overlap is counted and which cut-offs hold, in sentences; says where the two do not belong together."""
        shares = ", ".join(f"{source} {share:g}" for source, share in self.cutoffs.items())
        said = f"Word overlap compares {self.counting}. "
        said += f"Cut-offs: {shares}." if shares else "There is no cut-off."
        strangers = (name for name in DEFINITIONS if name != self.overlap_definition)
        if owner := next((name for name in strangers if usual_cutoffs(name) == self.cutoffs), ""):
            said += f" These cut-offs belong to another way of counting ({DEFINITIONS[owner].label})."
        return said


def read_rubric_options(values: Mapping[str, Any]) -> RubricOptions:
    """The options from the values of a campaign, a file or a form, with defaults for the rest. Errors: BadOptions."""
    unknown = sorted(set(values) - set(RubricOptions.__slots__))
    if unknown:
        known = ", ".join(RubricOptions.__slots__)
        raise BadOptions(f"“{unknown[0]}” is not an option of a rubric. There are: {known}.")
    definition = values.get("overlap_definition", DEFAULT)
    if definition not in DEFINITIONS:
        raise BadOptions(f"overlap_definition is one of {', '.join(DEFINITIONS)}, not {definition!r}.")
    options = RubricOptions(**{"cutoffs": usual_cutoffs(definition), **values})
    _check_cutoffs(options.cutoffs)
    for name, least in (("few_fitting", 0), ("most_fitting", 1), ("keep_from", -127)):
        value = getattr(options, name)
        if type(value) is not int or not least <= value <= 10_000:
            raise BadOptions(f"{name} must be a whole number from {least:,} to 10,000, not {value!r}.")
    if not isinstance(options.filter_imported, bool):
        raise BadOptions(f"filter_imported is true or false, not {options.filter_imported!r}.")
    if not isinstance(options.keep, str) or not isinstance(options.group, str):
        raise BadOptions("keep and group must be keys of criteria.")
    return options


def read_cutoffs(text: str) -> dict[str, float]:
    """Cut-offs from lines “source = 0.3”, or from the word “none”. Errors: BadOptions naming the line."""
    found: dict[str, float] = {}
    if text.strip() == NO_CUTOFFS:
        return found
    for line in filter(None, map(str.strip, text.splitlines())):
        source, equals, share = (part.strip() for part in line.partition("="))
        try:
            found[source] = float(share)
        except ValueError:
            equals = ""
        if not source or not equals:
            raise BadOptions(f"“{line[:60]}” does not have the form “inline-acl = 0.3”.")
    return found


def write_cutoffs(cutoffs: Mapping[str, float]) -> str:
    """Cut-offs as lines “source = 0.3”, or the word “none”."""
    return "\n".join(f"{source} = {share:g}" for source, share in cutoffs.items()) or NO_CUTOFFS


def _check_cutoffs(cutoffs: Any) -> None:
    if not isinstance(cutoffs, Mapping) or not all(isinstance(source, str) for source in cutoffs):
        raise BadOptions("cutoffs must be a table of shares by source.")
    for source, cutoff in cutoffs.items():
        if isinstance(cutoff, bool) or not isinstance(cutoff, int | float) or not 0 <= cutoff <= 1:
            raise BadOptions(f"The cut-off of “{source}” must be a share from 0 to 1, not {cutoff!r}.")
