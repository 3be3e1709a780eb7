"""What can keep an embedded service from running; every message says what to do about it."""


class EmbeddedError(Exception):
    """An embedded service cannot start, or ended when it should not have."""


class JavaNotFoundError(EmbeddedError):
    """No Java of the wanted version is on this machine."""


class JarsNotFoundError(EmbeddedError):
    """The jars that hold the service are not installed."""


class PortInUseError(EmbeddedError):
    """Somebody else listens on the wanted port."""


class DataInUseError(EmbeddedError):
    """Another server works on the same data directory."""
