"""Tokens without an issuer's mark that a sentence tells: ``env_x_4R2N-K8QM-1B7T``.

Names of things are made of words. Twelve characters in groups that mix capitals and digits
were generated, and where the sentence is about a token or a credential, they are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memfs.policy.hints import LazyPattern

TOKEN_HINTS: Final = ("token", "credential", "secret", "key")
"""One of these stands before every one, case folded."""

_GROUPED: Final = re.compile(
    r"(?<![\w-])(?=[A-Za-z0-9-]*_)[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+){2,}(?![\w-])"
)
_GROUP_END: Final = re.compile("[_-]")
_ABOUT: Final = LazyPattern(r"(?i)\b(?:tokens?|credentials?|secrets?|keys?)\b")
_ABOUT_REACH: Final = 200
_GENERATED_CHARS: Final = 12
_GROUP_CHARS: Final = 4


def generated_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Yields where each of them stands, by position: start and one past the end."""
    for match in _GROUPED.finditer(text):
        groups = filter(_is_generated, _GROUP_END.split(match[0]))
        about = text[max(0, match.start() - _ABOUT_REACH) : match.start()]
        if sum(map(len, groups)) >= _GENERATED_CHARS and _ABOUT.compiled().search(about):
            yield match.span()


def _is_generated(group: str) -> bool:
    is_capital = group.isalnum() and group == group.upper()
    return len(group) >= _GROUP_CHARS and is_capital and not group.isdigit() and not group.isalpha()
