"""The one error of this package."""


class ZnodeError(ValueError):
    """A znode whose bytes are not what its path promises; its reader decides what that stops.

    `path` names the znode, `reason` says what is wrong with which value.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"
