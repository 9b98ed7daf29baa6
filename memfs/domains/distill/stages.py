"""Distillation in five stages, each of which can run alone, and all of which can be gone on with.

*collect* notes which commits, runs and turns are new; *extract* finds products in them; *link*
turns names into ids; *reconcile* hands every product in, where policy decides; *project* brings
views, pages and the core up. Between two stages a round lies in a private note (see ``state``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from memfs.domains.distill.admitting import admitted, counts_of, has_room, known_of
from memfs.domains.distill.linking import linked
from memfs.domains.distill.products import Product, counted, session_of
from memfs.domains.distill.seams import Admitted, Seams, Source
from memfs.domains.distill.state import STAGES, DistillNotes, Stage, Work
from memfs.model.values import JsonValue
from memfs.services.changed_files import FileChanged, changed_between
from memfs.services.modes import require_taking
from memfs.services.ports import Workspace
from memfs.services.receipts import write_account

ROUND_ITEMS = 80
"""Pointers of one source that a round takes at most."""
_LEAST_ITEMS = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PassReport:
    """What a pass did.

    Attributes:
        rounds: Number of rounds that were gone through, whole or in part.
        stages: Counts by stage.
        admitted: What became of the products.
        changed: Files of the ledger that differ since the pass began (O61).
        receipts: Ids of the receipts.
        left: The stage that is to be done next of a round that is under way; ``None`` for none.
        is_cut: There is more; go on.
    """

    rounds: int = 0
    stages: dict[str, dict[str, int]] = field(default_factory=dict)
    admitted: Admitted = field(default_factory=Admitted)
    changed: tuple[FileChanged, ...] = ()
    receipts: tuple[str, ...] = ()
    left: Stage | None = None
    is_cut: bool = False


def run_pass(
    workspace: Workspace,
    seams: Seams,
    *,
    only: Stage | None = None,
    most_rounds: int = 0,
    checkpoint: Callable[[], None] = lambda: None,
) -> PassReport:
    """Distils what is new; a round that another process left is gone on with first.

    Args:
        workspace: The store.
        seams: Sources, extractor and ways in.
        only: This stage alone, of the round that is under way; ``None`` for all, until nothing
            is new.
        most_rounds: At most so many rounds; 0 for all.
        checkpoint: Called after every stage; what it raises ends the pass where it is.

    Raises:
        PassRunningError: Another process distils.
        MemoryModeError: The store takes nothing in.
    """
    require_taking(workspace)
    began = workspace.store.ledger_head()
    notes = DistillNotes(workspace)
    tally = _Tally()
    with notes.held():
        going = _Pass(workspace, seams, notes, tally, checkpoint)
        if only is not None:
            going.one(only)
        else:
            going.all(most_rounds)
        work = notes.work()
        left = _next(work.done) if work is not None else None
        is_cut = work is not None or going.is_full
        is_cut = is_cut or (only is None and bool(most_rounds) and going.has_more())
    return tally.told(changed_between(workspace, began), left=left, is_cut=is_cut)


def _next(stage: Stage) -> Stage:
    return STAGES[min(STAGES.index(stage) + 1, len(STAGES) - 1)]


@dataclass(slots=True)
class _Tally:
    """Adds up what the rounds of a pass did."""

    rounds: int = 0
    stages: dict[str, dict[str, int]] = field(default_factory=dict)
    admitted: Admitted = field(default_factory=Admitted)
    receipts: list[str] = field(default_factory=list)

    def add(self, stage: Stage, counts: dict[str, int]) -> None:
        """Adds the counts of one stage of one round."""
        held = self.stages.setdefault(str(stage), {})
        for name, count in counts.items():
            held[name] = held.get(name, 0) + count

    def take(self, found: Admitted) -> None:
        """Adds what became of a round's products."""
        before = self.admitted
        refused = dict(before.refused)
        for code, count in found.refused.items():
            refused[code] = refused.get(code, 0) + count
        self.admitted = Admitted(
            activated=(*before.activated, *found.activated),
            waiting=(*before.waiting, *found.waiting),
            known=before.known + found.known,
            refused=refused,
            transactions=(*before.transactions, *found.transactions),
            results=(*before.results, *found.results),
            full=before.full | found.full,
        )

    def told(
        self, changed: Sequence[FileChanged], *, left: Stage | None, is_cut: bool
    ) -> PassReport:
        """Returns the report of the pass."""
        return PassReport(
            rounds=self.rounds,
            stages={name: dict(counts) for name, counts in self.stages.items()},
            admitted=self.admitted,
            changed=tuple(changed),
            receipts=tuple(self.receipts),
            left=left,
            is_cut=is_cut,
        )


@dataclass(slots=True)
class _Pass:
    """One pass: the notes are held for as long as it runs."""

    workspace: Workspace
    seams: Seams
    notes: DistillNotes
    tally: _Tally
    checkpoint: Callable[[], None]
    is_full: bool = False

    def all(self, most_rounds: int) -> None:
        """Goes through the stages of a round after the other; projects once, behind the last."""
        work = self.notes.work() or self._collected()
        while work is not None:
            if work.done is not Stage.RECONCILE:
                work = self._after(work)
                continue
            self.tally.rounds += 1
            is_last = bool(most_rounds) and self.tally.rounds >= most_rounds
            # What found no room would be collected again at once, and find none.
            following = None if is_last or self.is_full else self._collected()
            if following is None:
                self._projected(work)
            work = following

    def one(self, stage: Stage) -> None:
        """Does one stage, where the round under way has come to it."""
        work = self.notes.work()
        if stage is Stage.COLLECT:
            if work is None:
                self._collected()
        elif work is not None and _next(work.done) is stage:
            self._after(work)
        self.tally.rounds += 1

    def has_more(self) -> bool:
        """Whether anything is new that no round has taken."""
        marks = self.notes.marks()
        return any(source.collect(marks.get(name), 1).items for name, source in self._chosen())

    def _chosen(self) -> Iterator[tuple[str, Source]]:
        is_open = has_room(self.workspace)
        for name, source in self.seams.sources.items():
            if name in self.seams.collected and (is_open or not source.is_seen):
                yield name, source

    def _after(self, work: Work) -> Work | None:
        match _next(work.done):
            case Stage.EXTRACT:
                return self._extracted(work)
            case Stage.LINK:
                return self._linked(work)
            case Stage.RECONCILE:
                return self._reconciled(work)
            case _:
                self._projected(work)
                return None

    def _collected(self, limit: int = ROUND_ITEMS) -> Work | None:
        marks = self.notes.marks()
        parts = {
            name: part
            for name, source in self._chosen()
            if (part := source.collect(marks.get(name), limit)).items
        }
        counts = {name: len(part.items) for name, part in parts.items()}
        if not parts:
            return None
        work = Work(done=Stage.COLLECT, parts=parts).after(Stage.COLLECT, (), counts)
        if not self.notes.write_work(work) and limit > _LEAST_ITEMS:
            return self._collected(limit // 2)
        self.tally.add(Stage.COLLECT, counts)
        self.checkpoint()
        return work

    def _extracted(self, work: Work) -> Work | None:
        products: list[Product] = []
        read = 0
        for name, part in work.parts.items():
            source = self.seams.sources.get(name)
            for material in source.read(part.items) if source is not None else ():
                read += 1
                products.extend(self.seams.extract(material))
        counts = {"read": read, **counted(products)}
        done = work.after(Stage.EXTRACT, products, counts)
        if self.notes.write_work(done):
            self.tally.add(Stage.EXTRACT, counts)
            self.checkpoint()
            return done
        # More was found than a note holds: the same sources again, fewer of each.
        most = max(len(part.items) for part in work.parts.values())
        if most <= _LEAST_ITEMS:
            return self._kept(done.after(Stage.EXTRACT, products[: len(products) // 2], counts))
        self.notes.end_work()
        smaller = self._collected(most // 2)
        return self._extracted(smaller) if smaller is not None else None

    def _kept(self, work: Work) -> Work | None:
        """Writes a round of one item that tells more than a note holds: half of it, and again."""
        while not self.notes.write_work(work):
            work = replace(work, products=work.products[: len(work.products) // 2])
        return work

    def _linked(self, work: Work) -> Work:
        found = linked(
            self.workspace.scope,
            work.products,
            lambda keys, ids: known_of(self.workspace, tuple(keys), tuple(ids)),
        )
        counts = {"new": len(found.products), "known": found.known, "loose": found.loose}
        done = work.after(Stage.LINK, found.products, counts)
        self.notes.write_work(done)
        self.tally.add(Stage.LINK, counts)
        self.checkpoint()
        return done

    def _reconciled(self, work: Work) -> Work:
        found = admitted(self.workspace, self._standing(work), self.seams)
        counts = dict(counts_of(found))
        done = work.after(Stage.RECONCILE, (), counts)
        marks = dict(self.notes.marks())
        for name, part in work.parts.items():
            source = self.seams.sources.get(name)
            if source is not None:
                source.settle(part, work.products, found.full)
            marks[name] = part.mark
        self.is_full = bool(found.full)
        self._receipt(done)
        self.notes.write_marks(marks)
        self.notes.write_work(done)
        self.tally.add(Stage.RECONCILE, counts)
        self.tally.take(found)
        self.checkpoint()
        return done

    def _standing(self, work: Work) -> list[Product]:
        """Returns the products of a round without those of sessions that were deleted since."""
        gone: set[str] = set()
        for name, part in work.parts.items():
            source = self.seams.sources.get(name)
            gone |= source.gone(part) if source is not None else frozenset()
        return [item for item in work.products if session_of(item) not in gone]

    def _receipt(self, work: Work) -> None:
        """Accounts for a round that handed something in, once, however often it is repeated."""
        handed_in = work.report.get(str(Stage.LINK))
        if not isinstance(handed_in, dict) or not handed_in.get("new"):
            return
        details: dict[str, JsonValue] = dict(work.report)
        receipt = write_account(
            self.workspace,
            operation="distill",
            key=work.id,
            details={**details, "extractor": self.seams.extract.name},
        )
        if receipt.id:
            self.tally.receipts.append(receipt.id)

    def _projected(self, work: Work) -> None:
        written = self.seams.project()
        self.notes.end_work()
        self.tally.add(Stage.PROJECT, {"written": len(written)})
        self.checkpoint()
