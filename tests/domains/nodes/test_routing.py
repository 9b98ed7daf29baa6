"""Where a statement belongs, which domains a request is about, which places it names."""

from __future__ import annotations

import pytest

from memfs.domains.nodes.places import paths_in
from memfs.domains.nodes.routing import (
    DOMAINS,
    Route,
    domain_subject,
    domain_tags,
    domains_in,
    route_of,
)


def test_several_domains_are_found_in_one_request() -> None:
    assert domains_in("Write a Flask server, with a CLI, that reads CSV files") == (
        "server",
        "data",
        "cli",
    )


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("a landing page", "html"),
        ("a REST API", "server"),
        ("tests with pytest", "python"),
        ("an installer for Windows", "exe"),
        ("clean this spreadsheet", "data"),
        ("a command-line tool", "cli"),
        ("a Jupyter notebook", "notebook"),
        ("an Android app", "mobile"),
    ],
)
def test_every_domain_has_words_of_its_own(text: str, domain: str) -> None:
    assert domain in domains_in(text)


@pytest.mark.parametrize("text", ["the rest of the day", "observers", "ex-employee", "", "apical"])
def test_words_that_only_look_like_one_name_no_domain(text: str) -> None:
    assert domains_in(text) == ()


def test_each_kind_of_statement_has_one_place() -> None:
    assert route_of("I prefer short answers") is Route.PROFILE
    assert route_of("I prefer FastAPI for backends") is Route.DOMAIN
    assert route_of("I always use src/app.py as the entry") is Route.GRAPH
    assert route_of("The importer resumes") is Route.GRAPH


def test_a_domain_has_one_key_and_three_tags() -> None:
    assert len({domain_subject(name) for name in DOMAINS}) == len(DOMAINS) == 8
    assert domain_tags("python") == ("preference", "domain-pref", "python")


def test_places_are_found_in_order_and_once() -> None:
    text = "It lives in /srv/orders, see `src/app.py` and ~/notes/a.md; again /srv/orders."

    assert paths_in(text) == ("/srv/orders", "src/app.py", "~/notes/a.md")


def test_an_address_is_no_place_of_a_file_system() -> None:
    assert paths_in("see https://example.invalid/a/b and and/or") == ("and/or",)
