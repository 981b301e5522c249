"""How the API's operations are described: the first clause of a docstring is the line of a list, all of it the text."""

import re

from drf_spectacular.openapi import AutoSchema

_CLAUSE = re.compile(r"[.;:](?:\s|$)")


class OperationSchema(AutoSchema):
    """Each operation has a summary, which is what lists of operations show."""

    def get_summary(self) -> str | None:
        """The description up to the end of its first clause."""
        return _CLAUSE.split(" ".join(self.get_description().split()), maxsplit=1)[0] or None
