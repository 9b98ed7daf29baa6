"""Digests name their role and their algorithm (A88)."""

from __future__ import annotations

from memfs.model.digests import content_digest


def test_the_same_bytes_in_two_roles_have_different_digests() -> None:
    roles = ("source", "tombstone", "key", "edit", "hold")
    found = {content_digest(role, b"the same bytes").rpartition(":")[2] for role in roles}
    assert len(found) == len(roles)


def test_a_digest_names_its_role_and_its_algorithm() -> None:
    digest = content_digest("source", b"x")
    assert digest.startswith("sha256:source:")
    assert len(digest.rpartition(":")[2]) == 64


def test_no_role_and_content_can_be_taken_for_another_pair() -> None:
    assert (
        content_digest("ab", b"c").rpartition(":")[2]
        != (content_digest("a", b"bc").rpartition(":")[2])
    )
