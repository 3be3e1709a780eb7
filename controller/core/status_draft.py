"""What a turn does to what is kept of requests, until `klamm.controller.core.status_writes`."""

from dataclasses import dataclass, field

from klamm.controller.core.status_book import StatusBook


@dataclass(slots=True)
class StatusDraft:
    """The book as decided so far in this turn; `carried` is what its Commits make of it.

    `causes` are settled by its writes. `is_due`: missing chunks are to be made, `with_progress`:
    and all is to be written that could wait.
    """

    book: StatusBook
    carried: StatusBook
    causes: list[int] = field(default_factory=list)
    is_due: bool = False
    with_progress: bool = False
