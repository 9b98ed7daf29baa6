"""Vectors in a Qdrant server, for those who outgrow files: ids, hashes and domains, never a word.

One collection a store and a model, so that no question of one store can reach another's points.
The id of a point is made of the store and the record alone: a record has one point, whatever it
says and whichever model made it. Questions are narrowed before they are asked, to blobs or to
domains that the asker may read, and what comes back is checked again by whoever asked. A
manifest beside the caches tells what was put there, and what is still to be taken out of it.
"""

from __future__ import annotations

import ipaddress
import math
import uuid
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from memfs.errors import IndexUnavailableError
from memfs.index.cosine import unit
from memfs.index.vector_manifest import read_manifest_file, write_manifest_file
from memfs.index.vector_port import VectorHit, VectorManifest, VectorPoint, place_name
from memfs.services.embedding import UNREACHABLE
from memfs.services.vectors import SERVER_FOLDER

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

TIMEOUT_S: Final = 2
"""A question waits no longer: the order is that of the words then."""
_POINTS: Final = uuid.UUID("6b0f5c38-3a55-5d0e-9b1c-2f3f1f0d5e11")
_PAGE: Final = 1_000
_PUT: Final = 256


class QdrantVectors:
    """Holds the vectors of one store and one model in a collection of a server.

    Args:
        manifest: File that tells what was put there.
        store_id: The store.
        model: Name of the model.
        connect: Makes the client, on first use.
        is_remote: Whether the server is on another machine.
    """

    def __init__(
        self,
        manifest: Path,
        *,
        store_id: str,
        model: str,
        connect: Callable[[], QdrantClient],
        is_remote: bool,
    ) -> None:
        self.collection = f"memfs-{store_id}-{place_name(model)}"
        self._path = manifest
        self._store_id = store_id
        self._model = model
        self._connect = connect
        self._client: QdrantClient | None = None
        self._is_remote = is_remote

    @property
    def is_remote(self) -> bool:
        """Whether points leave this machine: then only what may, is put there."""
        return self._is_remote

    def others(self) -> Iterator[QdrantVectors]:
        """Yields the places of other models that this store has in the same server."""
        for path in sorted(self._path.parent.glob("*.json")):
            found = read_manifest_file(path)
            if found is not None and found.model != self._model:
                yield QdrantVectors(
                    path,
                    store_id=self._store_id,
                    model=found.model,
                    connect=self._connected,
                    is_remote=self._is_remote,
                )

    def manifest(self) -> VectorManifest:
        """Returns what was put there; of a place that nobody wrote to, nothing."""
        return read_manifest_file(self._path, self._model) or VectorManifest(model=self._model)

    def held(self) -> Mapping[str, str]:
        """Returns the blob by id of every point that the server has of this store and model."""
        with self._asking() as client:
            if not client.collection_exists(self.collection):
                return {}
            return dict(self._scrolled(client))

    def put(self, points: Sequence[VectorPoint]) -> None:
        """Adds points, each in the place of the one that its record had.

        Raises:
            IndexUnavailableError: The server cannot be asked.
        """
        if not points:
            return
        dimension = len(points[0].vector)
        with self._asking() as client:
            manifest = self._ready(client, dimension)
            for start in range(0, len(points), _PUT):
                part = points[start : start + _PUT]
                client.upsert(self.collection, [self._struct(point) for point in part], wait=True)
            new = {point.id: (point.blob, point.domain) for point in points}
            self._note(
                VectorManifest(
                    model=self._model,
                    dimension=dimension,
                    entries={**manifest.entries, **new},
                    unpurged=tuple(name for name in manifest.unpurged if name not in new),
                )
            )

    def settle(self, kept: Collection[str], *, ledger: str, stale: Collection[str] = ()) -> int:
        """Takes away every point but those of ``kept``, and notes what it stands for now.

        What cannot be taken away now is noted and taken away the next time.

        Raises:
            IndexUnavailableError: The server cannot be asked.
        """
        wanted, manifest = frozenset(kept), self.manifest()
        known = manifest.entries.keys() | set(manifest.unpurged)
        # A manifest that went with the cache: the server tells what is there.
        gone = sorted((known if self._path.exists() else self.held().keys()) - wanted)
        entries = {name: item for name, item in manifest.entries.items() if name in wanted}
        settled = VectorManifest(
            model=self._model,
            dimension=manifest.dimension if entries else 0,
            ledger=ledger,
            entries=entries,
            stale=tuple(sorted(stale)),
        )
        if gone:
            # First noted, then done: a process that ends in between leaves nothing forgotten.
            self._note(replace(settled, unpurged=tuple(gone)))
            with self._asking() as client:
                from qdrant_client import models

                if client.collection_exists(self.collection):
                    numbers: list[models.ExtendedPointId] = [self._point_id(it) for it in gone]
                    chosen = models.PointIdsList(points=numbers)
                    client.delete(self.collection, points_selector=chosen, wait=True)
        self._note(settled)
        return len(gone)

    def scores(self, vector: Sequence[float], blobs: Collection[str]) -> Mapping[str, float]:
        """Returns the cosines of the points of ``blobs``, by blob; those it does not have lack."""
        wanted = sorted(set(blobs))
        hits = self._asked(vector, len(wanted), "blob", wanted)
        return {hit.blob: hit.score for hit in hits if hit.blob in blobs}

    def nearest(
        self, vector: Sequence[float], limit: int, domains: Collection[str]
    ) -> tuple[VectorHit, ...]:
        """Returns the nearest points of ``domains``, nearest first, ties by id."""
        hits = self._asked(vector, limit, "domain", sorted(set(domains)))
        return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.id)))

    # The server --------------------------------------------------------------------------

    def _asked(
        self, vector: Sequence[float], limit: int, key: str, values: list[str]
    ) -> list[VectorHit]:
        manifest = self.manifest()
        if not manifest.entries or not values or limit < 1 or len(vector) != manifest.dimension:
            return []
        asked = unit(vector)
        if not any(asked):
            return []
        with self._asking() as client:
            from qdrant_client import models

            condition = models.FieldCondition(key=key, match=models.MatchAny(any=values))
            answer = client.query_points(
                self.collection,
                query=list(asked),
                query_filter=models.Filter(must=[condition]),
                limit=limit,
                with_payload=True,
                timeout=TIMEOUT_S,
            )
        return [hit for point in answer.points if (hit := _hit_from(point.payload, point.score))]

    def _ready(self, client: QdrantClient, dimension: int) -> VectorManifest:
        """Returns the manifest of a collection that takes vectors of ``dimension``."""
        from qdrant_client import models

        manifest = self.manifest()
        exists = client.collection_exists(self.collection)
        if exists and manifest.dimension not in (0, dimension):
            client.delete_collection(self.collection)
            exists = False
        if exists and not self._path.exists():
            # The manifest was deleted with the cache: nobody knows which points are right.
            found = tuple(sorted(name for name, _ in self._scrolled(client)))
            return VectorManifest(model=self._model, dimension=dimension, unpurged=found)
        if not exists:
            parameters = models.VectorParams(size=dimension, distance=models.Distance.COSINE)
            client.create_collection(self.collection, vectors_config=parameters)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for key in ("blob", "domain"):
                    client.create_payload_index(
                        self.collection, key, models.PayloadSchemaType.KEYWORD
                    )
            return VectorManifest(model=self._model, dimension=dimension)
        return manifest

    def _scrolled(self, client: QdrantClient) -> Iterator[tuple[str, str]]:
        offset = None
        while True:
            found, offset = client.scroll(
                self.collection, limit=_PAGE, offset=offset, with_payload=True, with_vectors=False
            )
            for point in found:
                hit = _hit_from(point.payload, 0.0)
                if hit is not None:
                    yield hit.id, hit.blob
            if offset is None:
                return

    def _struct(self, point: VectorPoint) -> models.PointStruct:
        from qdrant_client import models

        return models.PointStruct(
            id=self._point_id(point.id),
            vector=list(point.vector),
            payload={"id": point.id, "blob": point.blob, "domain": point.domain},
        )

    def _point_id(self, name: str) -> str:
        return str(uuid.uuid5(_POINTS, f"{self._store_id}\0{name}"))

    @contextmanager
    def _asking(self) -> Iterator[QdrantClient]:
        """Yields the client; whatever goes wrong with the server is one error with a code."""
        try:
            from qdrant_client.http.exceptions import ApiException
        except ImportError as error:
            raise IndexUnavailableError(
                "qdrant-client is not installed",
                hint="install memfs-ledger[qdrant]",
                code="vectors.not-installed",
            ) from error
        try:
            yield self._connected()
        except (ApiException, OSError, ValueError, RuntimeError) as error:
            raise IndexUnavailableError(
                "the server of vectors was not reached, or refused", code=UNREACHABLE
            ) from error

    def _connected(self) -> QdrantClient:
        if self._client is None:
            self._client = self._connect()
        return self._client

    def _note(self, manifest: VectorManifest) -> None:
        try:
            write_manifest_file(self._path, manifest)
        except OSError as error:
            raise IndexUnavailableError(
                f"the vectors cannot be noted: {error.strerror}", code="vectors.read-only"
            ) from error


def qdrant_place(
    cache_dir: Path, *, store_id: str, model: str, url: str, key: str = ""
) -> QdrantVectors:
    """Returns the place of a store's vectors in a server; nobody is asked yet.

    Args:
        cache_dir: Private folder of the store.
        store_id: The store.
        model: Name of the model.
        url: Address of the server.
        key: Secret for it; sent over TLS or within this machine alone.
    """
    is_remote = _is_remote(url)

    def connect() -> QdrantClient:
        if key and is_remote and urlsplit(url).scheme != "https":
            raise ValueError("expected https for a key")
        return _client_of(url, key)

    return QdrantVectors(
        server_manifest(cache_dir, model),
        store_id=store_id,
        model=model,
        connect=connect,
        is_remote=is_remote,
    )


@lru_cache(maxsize=2)
def _client_of(url: str, key: str) -> QdrantClient:
    """Keeps the connection of a long-lived process, which opens the store for each call."""
    from qdrant_client import QdrantClient

    with warnings.catch_warnings():
        # A key without TLS stays on this machine: that was looked at.
        warnings.simplefilter("ignore")
        return QdrantClient(
            url=url, api_key=key or None, timeout=TIMEOUT_S, check_compatibility=False
        )


def server_manifest(cache_dir: Path, model: str) -> Path:
    """Returns the file that tells what was put into a server for a model."""
    return cache_dir / SERVER_FOLDER / f"{place_name(model)}.json"


def _hit_from(payload: Mapping[str, object] | None, score: float) -> VectorHit | None:
    """Returns a hit of an answer; ``None`` for anything that memfs did not put there."""
    name, blob = (payload or {}).get("id"), (payload or {}).get("blob")
    if not isinstance(name, str) or not isinstance(blob, str) or not math.isfinite(score):
        return None
    return VectorHit(id=name, blob=blob, score=max(-1.0, min(1.0, score)))


def _is_remote(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return True
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"
