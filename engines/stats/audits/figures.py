"""What each figure of an audit says, by record: the help page, the reference and the audit's own page print them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A figure of an audit: what it is called, what it says in a sentence, its formula and where that comes from."""

    name: str
    label: str
    about: str
    formula: str
    source: str


_SUM = "Σ over strata of λ Σ f + N·mean(y − λ f)"
FIGURES = {
    each.name: each
    for each in (
        Figure(
            "levels",
            "Share of a level",
            "The share of pairs with this level, or with it or a higher one, as if people had labelled all pairs.",
            f"{_SUM}, y and f = 1/M for a pair with the level; λ = Cov(y, f) / Var(f), from 0 to 1",
            "Cochran 1977, chapters 5 and 7; Särndal, Swensson & Wretman 1992; Angelopoulos et al. 2023",
        ),
        Figure("mean_gain", "Mean grade", "The mean grade of all pairs.", f"{_SUM}, y and f = grade / M", "As above"),
        Figure(
            "linear",
            "P@k and DCG@k of a run",
            "The mean over topics. Only pairs down to rank k count. For a difference of runs, what pairs add is "
            "subtracted first.",
            f"{_SUM}, y and f = discount · gain / topics",
            "Oosterhuis et al. 2024",
        ),
        Figure(
            "ndcg",
            "nDCG@k of a run, approximate",
            "The ideal ranking is not known, so each topic's is that of the grades expected there. "
            "95% intervals have covered the truth in 92% to 99% of simulated samples.",
            "DCG@k / expected ideal DCG@k, mean over topics; 200 resamples of labels in strata",
            "Rao, Wu & Yue 1992; Fay & Herriot 1979",
        ),
        Figure(
            "width_ratio",
            "Width against people alone",
            "The interval's width over that of a simple random sample of as many labels without the machine. "
            "At 0.95 the machine saves about a tenth of the labels; at 1 it saves none.",
            "width / width with λ = 0 and no strata",
            "Cochran 1977, chapter 5",
        ),
        Figure(
            "matrix",
            "Labels by people for each level of the machine",
            "Of the pairs that the machine gave one level, the share of each level by people.",
            "hits / labels where all pairs were equally likely to be drawn, else weighted by 1 / probability",
            "Clopper & Pearson 1934; Horvitz & Thompson 1952; Hájek 1971",
        ),
        Figure(
            "order",
            "Does this order of runs hold?",
            "It holds if each run is better than the next one by the interval of their difference. It does not hold if "
            "one is worse. Otherwise more labels are needed.",
            "all differences > 0 at 95%, or one < 0 at 1 − 0.05/differences; n more for a power of 80%",
            "Berger 1982",
        ),
        Figure(
            "topics",
            "Topics like these",
            "The same figure for other topics of this kind: its interval is wider, since topics differ.",
            "whole topics left out or resampled",
            "Field & Welsh 2007; PPI++ (Angelopoulos, Duchi & Zrnic 2023) with pairs outside the sample",
        ),
        Figure(
            "plan",
            "Labels for a width",
            "How many labels of people give an interval of the wished half-width, and how many of each stratum.",
            "Σ N² S² (1/n − 1/N) = (half-width / t)², n proportional to N·S, at least 30",
            "Neyman 1934",
        ),
    )
}
