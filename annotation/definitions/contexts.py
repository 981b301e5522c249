"""What an extraction campaign asks by default: the citation contexts of a paper, and what they cite.

The steps follow ACM-CR (Boudin, JCDL 2021, section 2): whole paragraphs of introduction and related work, split into
sentences, without what gives the cited authors away, and an identifier for each reference.
"""

GUIDELINE = "\n".join(
    (
        "# Taking citation contexts out of a paper",
        "",
        "You get one **paper** with a proposal of what it says about others. Correct the proposal until it is right;"
        " what you finish becomes queries and relevance judgments, so every number counts.",
        "",
        "## Contexts",
        "",
        "1. A context is a **whole paragraph** that cites at least one work. Take all such paragraphs of the"
        " introduction and of the section on related work, and none from elsewhere.",
        "2. The text is what the author wrote, without what the layout did to it: no hyphen at a line's end that is not"
        " part of the word, no page number, no footnote in the middle. Keep real hyphens.",
        "3. Each **sentence** stands on its own. “et al.”, “e.g.” and “Fig.” do not end one.",
        "",
        "## Citations",
        "",
        "- Give each sentence the numbers of the references it cites, in the order they appear. Write ranges out:"
        " [3–7] is 3, 4, 5, 6, 7.",
        "- A sentence must not name the authors of what it cites: “Lee and Bo [4] show” becomes “[4] show”. Mark it as"
        " anonymised. Names of systems, datasets and methods stay.",
        "",
        "## References",
        "",
        "- Give each reference the best identifier there is, in this order: the docno if the work is in the collection;"
        " another DOI; an arXiv, PubMed or anthology address; the address of a PDF; none.",
        "- Where a preprint has appeared in a refereed version, take that version.",
        "- If you cannot tell which of two records is meant, leave the reference without one.",
        "",
    )
)
