"""Dates in text as search keys: what a record's own words mean on the day it was said.

"Last Friday" in a record of 12 May is a day; the question asks by that day. Keys are
``y2023``, ``m2023-05``, ``d2023-05-05`` and, for a month named without a year, ``o05``. The day on
which a record was made has keys of its own, ``rd2023-05-05`` and ``rm2023-05``: they tell less.
Only plain calendar English is understood; everything else is left to the words themselves.
Patterns are compiled by ``re`` when they are first used: most questions name no date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Final

RECORDED: Final = "r"
"""How a key begins that says when a record was made, and not when anything happened."""
_NO_YEAR: Final = "n"
"""How a day begins that was named without a year; no key of anything."""
_MONTHS: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTED: Final = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NUMBERS: Final = {word: value for value, word in enumerate(_COUNTED)} | {
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
}

_MONTH: Final = "|".join(rf"{name}|{name[:3]}" for name in _MONTHS) + "|sept"
_ANY_MONTH: Final = "|".join(_MONTHS)
_ANY_DAY: Final = "|".join(_DAYS)
_SHORT_DAY: Final = "|".join(name[:3] for name in _DAYS)
_NUMBER: Final = r"\d{1,3}|" + "|".join(_NUMBERS)
_ISO: Final = r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b"
_DAY_MONTH: Final = rf"(?i)\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?,? ?(\d{{4}})?"
_MONTH_DAY: Final = rf"(?i)\b({_MONTH})\b\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}}))?"
_MONTH_YEAR: Final = rf"(?i)\b({_MONTH})\b\.?,? (\d{{4}})\b"
_MONTH_ALONE: Final = rf"(?i)\b({_ANY_MONTH})\b"
_YEAR: Final = r"\b((?:19|20)\d{2})\b"
_AGO: Final = (
    rf"(?i)\b(?:a )?({_NUMBER})(?: of)? (day|week|weekend|month|year)s? (?:ago|back|before)\b"
)
_NAMED_UNIT: Final = (
    r"(?i)\b(last|this past|past|next|this|coming) "
    rf"(night|day|week|weekend|month|year|{_ANY_DAY}|{_SHORT_DAY}|{_MONTH})\b"
)
_NAMED_DAY: Final = r"(?i)\b(today|tonight|yesterday|tomorrow|last night)\b"
_TIME_WORDS: Final = (
    r"(?i)\b(?:today|tonight|yesterday|tomorrow|ago|weekend|since|recently|soon"
    r"|(?:last|next|this|past) (?:night|week|month|year|summer|winter|spring|fall|autumn)"
    rf"|{_ANY_MONTH}|{_ANY_DAY}|(?:19|20)\d\d"
    r"|(?:for|in) (?:\w+ ){1,2}(?:days?|weeks?|months?|years?))\b"
)
_ASKS_TIME: Final = (
    r"(?i)\bwhen\b|\bhow (?:long|recently|soon|old)\b"
    r"|\b(?:what|which) (?:date|day|month|year|time|week)\b"
)
_TIME_WORD_SET: Final = frozenset(
    (
        *("today", "tonight", "yesterday", "tomorrow", "ago", "back", "before", "last", "past"),
        *("next", "this", "coming", "weekend", "since", "recently", "soon", "for", "in", "sept"),
        *_MONTHS,
        *(name[:3] for name in _MONTHS),
        *_DAYS,
    )
)


def day_keys(day: date) -> tuple[str, ...]:
    """Returns the keys of one day: itself, its month, its year and its month in any year."""
    return (f"d{day:%Y-%m-%d}", f"m{day:%Y-%m}", f"y{day:%Y}", f"o{day:%m}")


def recorded_keys(days: Iterable[date]) -> frozenset[str]:
    """Returns the keys of the days on which a record was made, by day and by month."""
    return frozenset(f"{RECORDED}{key}" for day in days for key in day_keys(day)[:2])


def names_day(keys: Iterable[str]) -> bool:
    """Tells whether keys name a day or a month; a year alone may be any number."""
    return any(key[0] in "dmo" for key in keys)


def narrowest(keys: Iterable[str]) -> tuple[str, ...]:
    """Returns the days among a question's keys; where it names none, the months."""
    every = tuple(keys)
    return tuple(key for key in every if key[0] == "d") or tuple(
        key for key in every if key[0] == "m"
    )


def is_time_word(word: str) -> bool:
    """Tells whether ``word`` could be part of a date; errs towards yes."""
    return word[0].isdigit() or word.lower() in _TIME_WORD_SET


def states_time(text: str) -> bool:
    """Tells whether ``text`` says when something happens, in words or figures."""
    return re.search(_TIME_WORDS, text) is not None


def asks_time(question: str) -> bool:
    """Tells whether ``question`` wants a time for an answer."""
    return re.search(_ASKS_TIME, question) is not None


def record_keys(text: str, said: date | None) -> frozenset[str]:
    """Returns the keys of every day, month and year that ``text`` names or means.

    Args:
        text: Words of the record.
        said: Day on which they were said; without it relative dates are left alone.
    """
    keys: set[str] = set()
    for name in _explicit(text):
        # A day without a year is the nearest such day to the one on which it was said.
        near = _in_years(name, said) if name[0] == _NO_YEAR else (name,)
        if not near:
            continue
        key = near[0]
        keys.add(key)
        if key[0] == "d":
            keys |= {f"m{key[1:8]}", f"y{key[1:5]}", f"o{key[6:8]}"}
        elif key[0] == "m":
            keys |= {f"y{key[1:5]}", f"o{key[6:8]}"}
    if said is not None:
        for key in _relative(text, said):
            keys.add(key)
            if key[0] in "dm":
                keys |= {f"m{key[1:8]}", f"y{key[1:5]}", f"o{key[6:8]}"}
    return frozenset(keys)


def question_keys(question: str, asked: date | None) -> tuple[str, ...]:
    """Returns the keys that a question asks by, sorted; the most exact reading only.

    Args:
        question: The question.
        asked: Today, for "last week" and the like; ``None`` leaves those alone.
    """
    if not any(is_time_word(word) for word in re.findall(r"\w+", question)):
        return ()
    keys = set()
    for key in _explicit(question):
        # A day without a year may be the last or the next such day.
        keys |= set(_in_years(key, asked)) if key[0] == _NO_YEAR else {key}
    if asked is not None:
        keys |= set(_relative(question, asked))
    wider = set()
    for key in keys:
        if key[0] == "d":
            wider.add(f"m{key[1:8]}")
    return tuple(sorted(keys | wider))


def _explicit(text: str) -> Iterator[str]:
    rest = text
    for match in re.finditer(_ISO, text):
        yield from _key(match[1], match[2], match[3])
    rest = re.sub(_ISO, " ", rest)
    for match in re.finditer(_DAY_MONTH, rest):
        yield from _key(match[3], _month(match[2]), match[1])
    rest = re.sub(_DAY_MONTH, " ", rest)
    for match in re.finditer(_MONTH_YEAR, rest):
        yield from _key(match[2], _month(match[1]), None)
    rest = re.sub(_MONTH_YEAR, " ", rest)
    for match in re.finditer(_MONTH_DAY, rest):
        yield from _key(match[3], _month(match[1]), match[2])
    rest = re.sub(_MONTH_DAY, " ", rest)
    for match in re.finditer(_MONTH_ALONE, rest):
        if match[1] != "may" and match[1] != "march":
            yield f"o{_month(match[1])}"
    for match in re.finditer(_YEAR, rest):
        yield f"y{match[1]}"


def _key(year: str | None, month: str, day: str | None) -> Iterator[str]:
    if not 1 <= int(month) <= 12:
        return
    if year is None:
        yield f"o{month}"
        if day is not None and 1 <= int(day) <= 31:
            yield f"{_NO_YEAR}{month}-{int(day):02d}"
    elif day is None:
        yield f"m{year}-{month}"
    elif 1 <= int(day) <= 31:
        yield f"d{year}-{month}-{int(day):02d}"


def _in_years(name: str, near: date | None) -> tuple[str, ...]:
    """Returns the last and the next such day around ``near``, the nearer first."""
    if near is None:
        return ()
    every: dict[date, str] = {}
    for year in (near.year - 1, near.year, near.year + 1):
        try:
            day = date(year, int(name[1:3]), int(name[4:]))
        except ValueError:
            continue  # there is no such day in that year, or no such year
        every[day] = f"d{day:%Y-%m-%d}"
    last = max((day for day in every if day <= near), default=None)
    following = min((day for day in every if day > near), default=None)
    found = [day for day in (last, following) if day is not None]
    return tuple(every[day] for day in sorted(found, key=lambda day: abs(day - near)))


def _month(name: str) -> str:
    prefix = name[:3].lower()
    return next(f"{i:02d}" for i, month in enumerate(_MONTHS, 1) if month.startswith(prefix))


def _relative(text: str, said: date) -> Iterator[str]:
    for match in re.finditer(_NAMED_DAY, text):
        offset = {"yesterday": -1, "last night": -1, "tomorrow": 1}.get(match[1].lower(), 0)
        yield from _moved(said, offset)
    for match in re.finditer(_AGO, text):
        number = match[1].lower()
        amount = int(number) if number.isdigit() else _NUMBERS[number]
        yield from _ago(said, amount, match[2].lower())
    for match in re.finditer(_NAMED_UNIT, text):
        yield from _named(said, match[1].lower(), match[2].lower())


def _moved(day: date, days: int) -> Iterator[str]:
    try:
        yield f"d{day + timedelta(days=days):%Y-%m-%d}"
    except OverflowError:
        return


def _ago(said: date, amount: int, unit: str) -> Iterator[str]:
    match unit:
        case "day":
            yield from _moved(said, -amount)
        case "week":
            yield from _moved(said, -7 * amount)
            yield from _month_key(said, -7 * amount)
        case "weekend":
            saturday = said - timedelta(days=(said.weekday() - 5) % 7 or 7)
            yield from _moved(saturday, -7 * (amount - 1))
        case "month":
            months = said.year * 12 + said.month - 1 - amount
            if months >= 12:
                yield f"m{months // 12:04d}-{months % 12 + 1:02d}"
        case _:
            yield f"y{max(1, said.year - amount):04d}"


def _month_key(said: date, days: int) -> Iterator[str]:
    try:
        yield f"m{said + timedelta(days=days):%Y-%m}"
    except OverflowError:
        return


def _named(said: date, word: str, unit: str) -> Iterator[str]:
    step = {"next": 1, "coming": 1, "this": 0}.get(word, -1)
    match unit:
        case "night" | "day":
            yield from _moved(said, step)
        case "week":
            for offset in range(7):
                yield from _moved(said, 7 * step - said.weekday() + offset)
        case "weekend":
            saturday = 5 - said.weekday()
            if step < 0 and said.weekday() >= 5:
                saturday = 5 - said.weekday()
            for offset in (saturday + 7 * step, saturday + 7 * step + 1):
                yield from _moved(said, offset)
        case "month":
            months = said.year * 12 + said.month - 1 + step
            yield f"m{months // 12:04d}-{months % 12 + 1:02d}"
        case "year":
            yield f"y{said.year + step:04d}"
        case _:
            yield from _named_day_or_month(said, step, unit)


def _named_day_or_month(said: date, step: int, unit: str) -> Iterator[str]:
    for number, name in enumerate(_DAYS):
        if unit in (name, name[:3]):
            ahead = (number - said.weekday()) % 7
            yield from _moved(said, ahead - 7 if step < 0 else ahead)
            return
    month = int(_month(unit))
    year = said.year
    if step < 0 and month >= said.month:
        year -= 1
    elif step > 0 and month <= said.month:
        year += 1
    yield f"m{year:04d}-{month:02d}"
