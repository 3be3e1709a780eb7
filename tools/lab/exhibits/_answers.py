"""What clients were answered."""

from klamm.tools.lab.brief import errors_of
from klamm.tools.lab.clients import Asked


def error(asked: Asked) -> int | None:
    """Return the error code of the answer, the first that is not 0; None if there is no answer."""
    if not asked.responses:
        return None
    found = (code for response in asked.responses for code, _ in errors_of(response))
    return next(found, 0)
