"""Settings of a rubric campaign: cut-offs for easy questions, and when a question is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.definitions.drafts import BadOptions

# Ajith et al. (EMNLP 2024), section 2.1: 0.3 where the citing paper is one of the collection, 0.1 where it is not.
CUTOFFS = {"inline-acl": 0.3, "inline-nonacl": 0.1, "inline-inside": 0.3, "inline-outside": 0.1}
FEW_FITTING = 5  # papers; a question that no more of them answer is specific (their Table 1)
MOST_FITTING = 20  # papers; a question that more of them answer is too broad (the same)


@dataclass(frozen=True, slots=True)
class RubricOptions:
    """`cutoffs`: by source, the highest word overlap of a question with target titles; other sources have none.

    The cut-offs apply to imported questions only with `filter_imported`. `few_fitting`: at most so many papers fit a
    specific question; raters see their count compared with it. `most_fitting`: more papers than this make a question
    too broad. A question is kept when its value on the criterion `keep` is `keep_from` or more; statistics are split by
    the levels of `group`. Either key is "" where a campaign has no such criterion: then the last criterion decides, and
    the first one splits.
    """

    cutoffs: dict[str, float] = field(default_factory=lambda: dict(CUTOFFS))
    few_fitting: int = FEW_FITTING
    most_fitting: int = MOST_FITTING
    keep: str = "quality"
    keep_from: int = 1
    group: str = "specificity"
    filter_imported: bool = False

    def cutoff(self, source: str) -> float | None:
        """The cut-off for questions of this source; None where they have none."""
        return self.cutoffs.get(source)


def read_rubric_options(values: Mapping[str, Any]) -> RubricOptions:
    """The options from the values of a campaign, a file or a form, with defaults for the rest. Errors: BadOptions."""
    unknown = sorted(set(values) - set(RubricOptions.__slots__))
    if unknown:
        raise BadOptions(f"“{unknown[0]}” is no option of a rubric. There are: {', '.join(RubricOptions.__slots__)}.")
    options = RubricOptions(**values)
    for source, cutoff in _items(options.cutoffs):
        if isinstance(cutoff, bool) or not isinstance(cutoff, int | float) or not 0 <= cutoff <= 1:
            raise BadOptions(f"The cut-off of “{source}” must be a share from 0 to 1, not {cutoff!r}.")
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
    """Cut-offs from lines “source = 0.3”. Errors: BadOptions naming the line."""
    found: dict[str, float] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        source, equals, share = (part.strip() for part in line.partition("="))
        try:
            found[source] = float(share)
        except ValueError:
            equals = ""
        if not source or not equals:
            raise BadOptions(f"“{line[:60]}” is not like “inline-acl = 0.3”.")
    return found


def write_cutoffs(cutoffs: Mapping[str, float]) -> str:
    """The same as lines."""
    return "\n".join(f"{source} = {share:g}" for source, share in cutoffs.items())


def _items(cutoffs: Any) -> list[tuple[str, Any]]:
    if not isinstance(cutoffs, Mapping) or not all(isinstance(source, str) for source in cutoffs):
        raise BadOptions("cutoffs must be a table of shares by source.")
    return list(cutoffs.items())
