"""The error of all mechanisms."""


class AuthenticationError(Exception):
    """The other side is not who it says, or breaks the mechanism's rules.

    The text is for the log of this side.
    """
