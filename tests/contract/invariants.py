"""The 29 invariants by their stable ids, with the words of one line each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

INVARIANTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "A1": "instruction separation: nothing stored alters policy or poses as an instruction",
        "A2": "no action authority: no record permits an action, whatever it says",
        "A3": "origin first: no write without principal, channel, source, digest, scope and time",
        "A4": "monotonic authority: no derivation exceeds the weakest of its inputs",
        "A5": "confidence is not authority: certainty opens no door",
        "A6": "value-level taint: labels of inputs reach what is derived from them",
        "A7": "deny by default on every surface: one predicate answers them all",
        "A8": "private by default: task and agent scopes open by an expiring grant alone",
        "A9": "scope before content: what a caller may not see is never read for it",
        "A10": "memory is data: control text inside it changes no decision",
        "A11": "atomic claims: editing one never versions another",
        "A12": "complete derivation: every derived record names its inputs and its transform",
        "A13": "active-only serving: nothing else comes out of any surface",
        "A14": "barrier first: no descendant is served once a withdrawal returns, even if killed",
        "A15": "visible conflicts: contradicting claims come together, marked",
        "A16": "current observation wins: it outranks the stored claim and opens an update",
        "A17": "bounded, may abstain: budget, citations, and nothing rather than noise",
        "A18": "no direct mutation by models: they propose",
        "A19": "no secrets or hidden reasoning: through no path, in no place",
        "A20": "purpose and sink: an item goes only where its policy names",
        "A21": "precise deletion: the receipt says which level each place reached",
        "A22": "audited and idempotent: actor, reason, versions; a repeated key changes nothing",
        "A23": "one policy: background and foreground decide alike",
        "A24": "provider-independent: index, model and adapter change no safety decision",
        "A25": "effects are not rolled back: a revision leaves recorded effects as they are",
        "A26": "reversible without resurrection: going back brings nothing withdrawn",
        "A27": "safe personalisation: a preference lowers no safety setting",
        "A28": "metadata is untrusted: titles, tags, paths and names are escaped and bounded",
        "A29": "no hidden resources: background work is bounded, cancellable and accounted",
    }
)
"""Id to one line, in order."""
