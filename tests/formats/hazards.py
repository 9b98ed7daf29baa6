"""What people and programs put into frontmatter, and what has to become of it.

``KEPT`` cases are files that an edit of one key changes in one line and nowhere else; a value is
given where readers differ about it. ``REFUSED`` cases are files that nothing may be written to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

HEAD = b"---\nkind: note\nimportance: 3\n"


@dataclass(frozen=True)
class Kept:
    name: str
    data: bytes
    values: dict[str, Any]


@dataclass(frozen=True)
class Refused:
    name: str
    data: bytes
    code: str
    line: int


def _kept(name: str, matter: str, body: str = "body\n", **values: Any) -> Kept:
    return Kept(name, HEAD + matter.encode() + b"---\n" + body.encode(), values)


def _refused(name: str, matter: bytes, code: str, line: int) -> Refused:
    return Refused(name, HEAD + matter + b"---\nbody\n", code, line)


LONG = "word " * 200 + "end"

KEPT = (
    _kept("comment above a key", "# why\nx: 1\n", x=1),
    _kept("comment after a value", "x: 1   # why\n", x=1),
    _kept("comment after the last key", "x: 1\n# the end\n", x=1),
    _kept("comment indented", "x:\n  # inside\n  y: 1\n", x={"y": 1}),
    _kept("blank lines between keys", "\nx: 1\n\n\ny: 2\n\n", x=1, y=2),
    _kept("keys in no order", "zebra: 1\nalpha: 2\nmiddle: 3\n", zebra=1, alpha=2),
    _kept("literal text", "x: |\n  one\n  two\n", x="one\ntwo\n"),
    _kept("literal text that keeps blank lines", "x: |+\n  one\n\n\ny: 2\n", x="one\n\n\n", y=2),
    _kept("literal text without a final line end", "x: |-\n  one\n", x="one"),
    _kept("literal text with a deeper comment sign", "x: |\n  # no comment\n", x="# no comment\n"),
    _kept("folded text", "x: >\n  one\n  two\n\n  three\n", x="one two\nthree\n"),
    _kept("folded text without a final line end", "x: >-\n  one\n  two\n", x="one two"),
    _kept("list not indented", "x:\n- a\n- b\n", x=["a", "b"]),
    _kept("list indented by two", "x:\n  - a\n  - b\n", x=["a", "b"]),
    _kept("lists of two styles", "x:\n- a\ny:\n    - b\n", x=["a"], y=["b"]),
    _kept("flow list with odd blanks", "x: [ a,b , c ]\n", x=["a", "b", "c"]),
    _kept("flow list over lines", "x: [\n  a,\n  b,\n]\n", x=["a", "b"]),
    _kept("flow mapping", "x: {b: 1, a: {c: [2]}}\n", x={"b": 1, "a": {"c": [2]}}),
    _kept("list of mappings", "x:\n- a: 1\n  b: 2\n- a: 3\n", x=[{"a": 1, "b": 2}, {"a": 3}]),
    _kept("nested mapping", "x:\n  y:\n    z: 1\n", x={"y": {"z": 1}}),
    _kept("single quotes", "x: 'it''s'\n", x="it's"),
    _kept("double quotes with escapes", 'x: "a\\tb\\u00e9"\n', x="a\tbé"),
    _kept("tab inside quotes", 'x: "a\tb"\n', x="a\tb"),
    _kept("empty strings", "x: ''\ny: \"\"\n", x="", y=""),
    _kept("quoted number and word", "x: '42'\ny: \"true\"\n", x="42", y="true"),
    _kept("line of a thousand characters", f"x: {LONG}\n", x=LONG),
    _kept("plain text over lines", "x: one\n  two\n", x="one two"),
    _kept("quoted text over lines", 'x: "one\n  two"\n', x="one two"),
    _kept("colon and hash inside a value", "x: a:b#c http://d/#e\n", x="a:b#c http://d/#e"),
    _kept("emoji", "x: ok 👩‍👩‍👧 🇩🇪\n", x="ok 👩‍👩‍👧 🇩🇪"),
    _kept("Chinese, Japanese, Korean", "x: 记忆 メモリ 기억\n", x="记忆 メモリ 기억"),
    _kept("combining marks not composed", "x: cafe\u0301\n", x="cafe\u0301"),
    _kept("right to left", "x: ذاكرة\n", x="ذاكرة"),
    _kept("no-break space", "x: a\u00a0b\n", x="a\u00a0b"),
    _kept("words of YAML 1.1", "a: no\nb: on\nc: Yes\nd: y\n", a="no", b="on", c="Yes", d="y"),
    _kept("booleans in three cases", "a: true\nb: True\nc: FALSE\n", a=True, b=True, c=False),
    _kept("nulls", "a: ~\nb: null\nc:\n", a=None, b=None, c=None),
    _kept(
        "sexagesimal and octal", "a: 12:30:45\nb: 1:2\nc: 0777\n", a="12:30:45", b="1:2", c="0777"
    ),
    _kept("octal and hexadecimal of 1.2", "a: 0o17\nb: 0x1F\n", a="0o17", b="0x1F"),
    _kept("Git ids like numbers", "a: 1234e56\nb: 00012345\n", a="1234e56", b="00012345"),
    _kept("exponents", "a: 1e3\nb: 1e400\n", a="1e3", b="1e400"),
    _kept("infinity and not a number", "a: .inf\nb: .NaN\n", a=".inf", b=".NaN"),
    _kept("number with closing zeros", "a: 1.50\nb: 0.1\n", a=1.5, b=0.1),
    _kept("integer of 5,000 digits", f"x: {'7' * 5000}\n", x="7" * 5000),
    _kept("timestamps", "a: 2026-11-29\nb: 2026-11-29T10:12:00Z\n", a="2026-11-29"),
    _kept("blanks after a value", "x: one   \n", x="one"),
    _kept("anchor and alias", "x: &a [1, 2]\ny: *a\n", x=[1, 2], y=[1, 2]),
    Kept("quoted key", HEAD + b'"x y": 1\n---\nbody\n', {"x y": 1}),
    Kept("key with blanks", HEAD + b"x y: 1\n---\nbody\n", {"x y": 1}),
    _kept("key of another script", "ключ: 1\n", ключ=1),
    _kept("line separator inside quotes", 'x: "a\u2028b"\n', x="a\u2028b"),
    _kept("fence inside literal text", "x: |\n  ---\n  y\n", x="---\ny\n"),
    _kept("fence in the body", "x: 1\n", "one\n\n---\n\ntwo\n", x=1),
    _kept("second frontmatter in the body", "x: 1\n", "---\nname: old\n---\ntext\n", x=1),
    _kept("body without a final line end", "x: 1\n", "no end", x=1),
    _kept("body with blank lines around it", "x: 1\n", "\n\n    code\n\n\n", x=1),
    _kept("body with blanks at line ends", "x: 1\n", "one  \ntwo\t\n", x=1),
    _kept("body with lone carriage returns", "x: 1\n", "one\rtwo\n", x=1),
    _kept("body with control characters", "x: 1\n", "\x1b[31mred\x1b[0m \x07\n", x=1),
    _kept("body with mixed line ends", "x: 1\n", "one\r\ntwo\n", x=1),
    _kept("empty body", "x: 1\n", "", x=1),
    Kept("closing fence at the end of the file", HEAD + b"x: 1\n---", {"x": 1}),
    Kept("CRLF", b"---\r\nkind: note\r\nimportance: 3\r\nx: 1\r\n---\r\none\r\n", {"x": 1}),
    Kept(
        "CRLF with literal text",
        b"---\r\nkind: note\r\nimportance: 3\r\nx: |\r\n  one\r\n  two\r\n---\r\none\r\n",
        {"x": "one\ntwo\n"},
    ),
)

REFUSED = (
    Refused("byte order mark", b"\xef\xbb\xbf" + HEAD + b"---\n", "text.bom", 1),
    Refused("no fence at all", b"kind: note\n", "frontmatter.missing", 1),
    Refused("empty file", b"", "frontmatter.missing", 1),
    Refused("blank line before the fence", b"\n" + HEAD + b"---\n", "frontmatter.fence", 1),
    Refused("blank after the opening fence", b"--- \nkind: note\n---\n", "frontmatter.fence", 1),
    Refused("four dashes", b"----\nkind: note\n---\n", "frontmatter.fence", 1),
    Refused("no closing fence", HEAD + b"body\n", "frontmatter.unclosed", 1),
    Refused("truncated inside a key", HEAD + b"tit", "frontmatter.unclosed", 1),
    Refused("dots as closing fence", HEAD + b"...\nbody\n", "frontmatter.fence", 4),
    Refused("blank after the closing fence", HEAD + b"--- \nbody\n", "frontmatter.fence", 4),
    Refused("closing fence with CRLF", HEAD + b"---\r\nbody\n", "frontmatter.fence", 4),
    Refused("NUL in the body", HEAD + b"---\none\0two\n", "text.nul", 5),
    Refused("no UTF-8 in the body", HEAD + b"---\ncaf\xe9\n", "text.encoding", 5),
    Refused("more than 64 KiB", HEAD + b"x: " + b"a" * 70_000 + b"\n---\n", "frontmatter.size", 2),
    Refused("nothing but a list", b"---\n- a\n---\n", "yaml.mapping", 2),
    Refused("nothing but words", b"---\nwords\n---\n", "yaml.mapping", 2),
    _refused("NUL", b"x: a\0b\n", "text.nul", 4),
    _refused("no UTF-8", b"x: caf\xe9\n", "text.encoding", 4),
    _refused("control character", b"x: a\x07b\n", "yaml.control", 4),
    _refused("lone carriage return", b"x: a\ry: b\n", "frontmatter.line-ends", 4),
    _refused("key twice", b"x: 1\nx: 2\n", "yaml.duplicate-key", 5),
    _refused("key twice, deeper", b"x: {a: 1, a: 2}\n", "yaml.duplicate-key", 4),
    _refused("key twice by another spelling", b"x: 1\n'x': 2\n", "yaml.duplicate-key", 5),
    _refused("number as key", b"1: x\n", "yaml.key", 4),
    _refused("boolean as key", b"true: x\n", "yaml.key", 4),
    _refused("null as key", b"~: x\n", "yaml.key", 4),
    _refused("list as key", b"? [a]\n: x\n", "yaml.key", 4),
    _refused("merge key", b"x: &a {b: 1}\ny:\n  <<: *a\n", "yaml.key", 6),
    _refused("Python object", b"x: !!python/object:os.system {}\n", "yaml.tag", 4),
    _refused("tag of our own", b"x: !secret abc\n", "yaml.tag", 4),
    _refused(
        "alias bomb",
        b"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
        b"c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n",
        "yaml.alias",
        6,
    ),
    _refused("unknown alias", b"x: *nobody\n", "yaml.alias", 4),
    _refused("nesting of 3,000", b"x: " + b"[" * 3000 + b"]" * 3000 + b"\n", "yaml.depth", 4),
    _refused("tab as indentation", b"x:\n\ty: 1\n", "yaml.tab", 5),
    _refused("colon in plain text", b"x: one: two\n", "yaml.syntax", 4),
    _refused("quotes not closed", b'x: "one\n', "yaml.syntax", 5),
    _refused("quotes not closed for long", b'x: "' + b"a" * 60_000 + b"\n", "yaml.syntax", 5),
    _refused("flow list not closed", b"x: [one\n", "yaml.syntax", 5),
    _refused("indentation that fits nothing", b"x:\n    y: 1\n  z: 2\n", "yaml.syntax", 6),
    _refused("half a surrogate pair", b'x: "\\ud83d"\n', "yaml.surrogate", 4),
    _refused("second document", b"--- {}\n", "yaml.documents", 4),
    Refused("directive", b"---\n%YAML 1.1\nkind: note\n---\n", "yaml.directive", 2),
)
