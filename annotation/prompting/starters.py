"""Prompts to begin with: offered where a collection has none, and part of the collection once they are saved."""

STEP_BY_STEP = """answer CONCUR = 2
answer AGREE = 1
answer DISPUTE = 1
answer DISAGREE = 0
---
You help a research librarian to find out whether a paper meets one requirement of a reader.

Requirement: {aspect}
It is part of this request: {query}

Title: {title}
Abstract: {abstract}

First name the key components of the requirement. Then say for each component what the abstract states about it, and
whether it does so explicitly, only by one step of reasoning, or not at all. Then weigh up:

CONCUR: the abstract meets every key component explicitly.
AGREE: it meets at least one key component explicitly, but not all of them.
DISPUTE: it meets key components only by a step of reasoning, or what it does would have to be adapted.
DISAGREE: it helps with no key component.

Use none of these four words while you reason. End with a last line that is one of them and nothing else.
"""
WITH_EXAMPLES = """You judge how far an abstract meets one requirement of a reader, on this scale:

{levels}

Two examples of another request.
Requirement: measures how bitter tea is
Abstract: We let forty people rate the bitterness of twelve infusions and compare it with the tannin that was measured.
Answer: 2
Requirement: measures how bitter tea is
Abstract: We survey the history of tea houses and the cups that were used in them.
Answer: 0

Now this one.
Requirement: {aspect}
Title: {title}
Abstract: {abstract}

Reason briefly about each part of the requirement. End with a last line of the form “Answer: N”, where N is a number of
the scale.
"""
STARTERS = {"Step by step": STEP_BY_STEP, "With examples": WITH_EXAMPLES}
