"""Which embedder a name stands for: the offline one, the one for tests, or a model of a server."""

from __future__ import annotations

from memfs.services.ports import Embedder


def embedder_named(name: str, *, url: str = "", key: str = "") -> Embedder:
    """Returns the embedder of a name; nothing is loaded and nobody is asked yet.

    Args:
        name: ``wordllama`` for the offline one, ``hashing`` for the one that knows no meaning,
            anything else for a model of an OpenAI-compatible or Ollama endpoint.
        url: Its address; Ollama on this machine when empty.
        key: Secret for it.
    """
    match name:
        case "wordllama":
            from memfs.services.embedder_wordllama import WordLlamaEmbedder

            return WordLlamaEmbedder()
        case "hashing":
            from memfs.services.embedder_hashing import HashingEmbedder

            return HashingEmbedder()
        case _:
            from memfs.services.embedder_client import EmbedderClient

            return EmbedderClient(name=name, url=url, key=key)
