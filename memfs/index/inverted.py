"""Documents turned into posting lists in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from memfs.index.documents import Document

Lists: TypeAlias = dict[str, tuple[list[int], list[float]]]

TEXT_FIELD = "text"
KEY_FIELD = "key"


def invert(documents: Iterable[Document]) -> dict[str, Lists]:
    """Returns, by field and term, numbers and weights of the documents that have the term.

    Documents are numbered from 0 in the order given; numbers ascend in every list.
    """
    text: Lists = {}
    keys: Lists = {}
    for number, document in enumerate(documents):
        for term, weight in document.terms.items():
            found = text.get(term)
            if found is None:
                text[term] = ([number], [weight])
            else:
                found[0].append(number)
                found[1].append(weight)
        for key in document.keys:
            found = keys.get(key)
            if found is None:
                keys[key] = ([number], [1.0])
            else:
                found[0].append(number)
                found[1].append(1.0)
    return {KEY_FIELD: keys, TEXT_FIELD: text}
