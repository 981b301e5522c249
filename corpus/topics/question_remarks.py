"""What is odd about imported questions: each is kept as it is and reported, so that a person can look."""

from dataclasses import dataclass, field

from corpus.models import Collection, TopicKind
from engines.formats.records import TopicRecord
from engines.text.questions import holds_markup
from engines.text.words import title_key

MOST_NAMED = 5


@dataclass
class Odd:
    """Numbers of topics that share an oddity; the first few are named."""

    count: int = 0
    named: list[str] = field(default_factory=list)

    def add(self, name: str) -> None:
        self.count += 1
        if len(self.named) < MOST_NAMED:
            self.named.append(name)

    def remark(self, words: str, advice: str) -> list[str]:
        """A sentence with the numbers, none where there is nothing to report."""
        if not self.count:
            return []
        more = " …" if self.count > len(self.named) else ""
        return [f"{words}: {self.count:,} ({', '.join(self.named)}{more}). {advice}"]


@dataclass
class QuestionRemarks:
    """Looks at the records that came in, one after the other.

    `texts` are the numbers of the questions known, by a hash of what equal ones share: the texts of very many would
    fill the memory.
    """

    texts: dict[int, str] = field(default_factory=dict)
    equal: Odd = field(default_factory=Odd)
    marked_up: Odd = field(default_factory=Odd)
    alone: Odd = field(default_factory=Odd)
    some_have_targets: bool = False

    @classmethod
    def of(cls, collection: Collection) -> "QuestionRemarks":
        rows = collection.topics.filter(kind=TopicKind.QUESTION).values_list("text", "number")
        return cls({hash(key): number for text, number in rows.iterator() if (key := title_key(text))})

    def look(self, record: TopicRecord) -> None:
        """Take note of a record that is read as a question."""
        if record.aspects or record.kind not in ("", TopicKind.QUESTION):
            return
        key = title_key(record.text)
        other = self.texts.setdefault(hash(key), record.number) if key else record.number
        if other != record.number:
            self.equal.add(f"{record.number} as {other}")
        if holds_markup(record.text):
            self.marked_up.add(record.number)
        if record.targets:
            self.some_have_targets = True
        else:
            self.alone.add(record.number)

    def sentences(self) -> list[str]:
        remarks = self.equal.remark("Duplicate questions", "All were imported; delete the duplicates.")
        remarks += self.marked_up.remark("Questions that contain HTML", "It is shown as it is written.")
        if self.some_have_targets:  # files of topics alone name none, which is nothing to wonder at
            remarks += self.alone.remark("Questions without a target", "They have no known relevant document.")
        return remarks
