"""What models and authors were asked, and how runs were made, in sentences: see `origins.py` for the facts."""

from collections.abc import Iterable, Mapping
from typing import Any

from accounts.counting import counted

DIGITS = 12  # of a hash in a sentence


def question_run_sentence(run: Mapping[str, Any]) -> str:
    """Model, prompt, sample, seed, cut-offs, the definition of overlap, and the shares filtered."""
    drawn = f", a sample drawn with seed {run['seed']}" if run["sample"] else ""
    chosen = f" ({_listed(run['mentions'])})" if run["mentions"] else ""
    parts = [
        f"Question run {run['number']} of {run['date']}: the language model “{run['model']}” was asked about"
        f" {counted(run['asked'], 'citation mention')}{chosen}{drawn}, by {_prompt(run['prompt'])}.",
        f"Results of asking: {_counts(run['outcomes'])}.",
        f"Questions in the answers: {_counts(run['questions']) or 'none'}.",
        run["overlap_rule"],
    ]
    parts += [f"{source}: {found['about_filter']}." for source, found in run["sources"].items()]
    return " ".join(parts)


def _prompt(prompt: Mapping[str, Any]) -> str:
    """Its name, version and hash, and where the words are."""
    version = f"version {prompt['version']} (sha256 {prompt['sha256'][:DIGITS]}…; in full in manifest.json)"
    return f"the prompt “{prompt['name']}”, {version}"


def author_call_sentence(call: Mapping[str, Any]) -> str:
    """How many authors were asked, answered and withdrew, and how many of their questions are topics."""
    return (
        f"Call “{call['name']}”: {counted(call['listed'], 'author')} listed to write a question about a paper of"
        f" theirs, until {call['last_day']}. Litmus sent letters to {call['sent_letters']:,} of them."
        f" {counted(call['answered'], 'answer stands', 'answers stand')},"
        f" {call['withdrawn']:,} withdrawn; topics made of answers: {call['topics']:,} (source “{call['source']}”)."
        " The guideline and the letter for authors are in manifest.json."
    )


def run_sentence(run: Mapping[str, Any]) -> str:
    """The recipe of a run with its settings, or that it is not known."""
    parts = [_made(run)]
    parts += run.get("warnings") or []
    if run.get("description"):
        parts.append(f"As described: {run['description'].strip()}")
    if run.get("metadata"):
        parts.append("What its file says of itself is in manifest.json.")
    return " ".join(parts)


def _made(run: Mapping[str, Any]) -> str:
    name = f"Run “{run['name']}”"
    if not run.get("recipe"):
        how = "was imported" if run["imported"] else "is no run that Litmus made"
        return f"{name} {how}; how it was made is not known to Litmus."
    version = f" by Litmus {run['code_version']}" if run.get("code_version") else ""
    text = f"{name} was made{version} with the recipe {run['recipe']}: {_listed(run.get('settings') or {})}"
    if run.get("recipe_sha256"):
        text += f" (sha256 of the recipe {run['recipe_sha256'][:DIGITS]}…)"
    counts = f" Counted: {_counts(run['counts'])}." if run.get("counts") else ""
    prompt = run.get("prompt")
    asked = f" The model was asked by {_prompt(prompt)}." if prompt else ""
    return f"{text}.{counts}{asked}"


def _listed(settings: Mapping[str, Any]) -> str:
    """Settings by name, without those that are empty."""
    return ", ".join(f"{name} {_value(value)}" for name, value in settings.items() if value not in (None, "", []))


def _value(value: Any) -> str:
    if isinstance(value, str) or not isinstance(value, Iterable):
        return f"{value}"
    return " + ".join(map(str, value))


def _counts(found: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in found.items())
