"""Work for executors: it stands here because they import the module that it is in."""

import msgspec


class Number(msgspec.Struct):
    value: int


class Square(msgspec.Struct):
    of: Number
    value: int


def squared(number: Number) -> Square:
    if number.value == 13:
        raise ValueError(f"{number.value} brings bad luck")
    return Square(number, number.value**2)
