"""Which fields of a file became the texts and titles of topics, and which others could have: said after each import."""

from collections import Counter
from dataclasses import dataclass, field

from corpus.loading.samples import OTHER_FIELD
from corpus.models import ImportRun
from engines.formats.records import TopicRecord
from engines.formats.topic_fields import fields_offered, is_id_name

MOST_NAMED = 10


@dataclass
class TextFields:
    """Counts the fields over all records; formats whose texts have no names count nothing."""

    sources: Counter[tuple[str, str]] = field(default_factory=Counter)  # (field of the text, of the title)
    others: Counter[str] = field(default_factory=Counter)

    def look(self, record: TopicRecord) -> None:
        """Take note of a record."""
        if not record.text_from:
            return
        self.sources[record.text_from, record.title_from] += 1
        if record.extra:
            texts = (name for name, value in record.extra.items() if isinstance(value, str))
            self.others.update(name for name in texts if not is_id_name(name))
        if record.narrative:
            self.others["narrative"] += 1

    def sentences(self, *, is_tried: bool) -> list[str]:
        """What became what, and what else could become the text, which is chosen after a dry run (`is_tried`) or with
        another import; none where there was nothing to choose."""
        texts, titles = self._counted(0), self._counted(1)
        titles.pop("", None)
        choices = [name for name in (*titles, *self.others) if name not in texts]
        if not texts or (not choices and texts.keys() == {"text"}):
            return []
        said = [f"The text of a topic is its {_named(texts)}."]
        if titles == texts:
            said.append("It is kept as the title as well.")
        elif titles:
            said.append(f"Its title is its {_named(titles)}.")
        if choices:
            some = ", ".join(choices[:MOST_NAMED])
            how = "choose it with “Text from”" if is_tried else "import the file again and choose it with “Text from”"
            said.append(f"If another field should be the text, {how}: {some}.")
        return [" ".join(said)]

    def _counted(self, place: int) -> Counter[str]:
        """How many topics have their text (0) or title (1) from each field."""
        found: Counter[str] = Counter()
        for names, count in self.sources.items():
            found[names[place]] += count
        return found


def _named(fields: Counter[str]) -> str:
    """Names with how many topics have them so, where not all do."""
    if len(fields) == 1:
        return next(iter(fields))
    some = [f"{name} ({count:,})" for name, count in fields.most_common(MOST_NAMED)]
    return f"{', '.join(some[:-1])} or {some[-1]}"


def fields_to_choose(run: ImportRun) -> list[str]:
    """The fields that could become the text: those of the records which a dry run shows, or of those it refused."""
    found: dict[str, None] = {}
    for sample in run.samples:
        for name, text in sample["fields"]:
            if name in ("text from", "title from"):
                found |= dict.fromkeys(text.split(", "))
            elif name == "narrative" or name.startswith(OTHER_FIELD):
                found[name.removeprefix(OTHER_FIELD)] = None
    found = {name: None for name in found if not is_id_name(name)}
    for error in run.errors[:1]:
        found |= dict.fromkeys(fields_offered(error["reason"]))
    return list(found)
