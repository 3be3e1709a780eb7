"""Exploration: every order of everything that can happen in a small world, each world once.

`search.Exploration` goes breadth first from the opening of a scope (`scopes`). A world is kept as
values that are shared and the rest pickled (`copying`), and is known again by its fingerprint
(`fingerprint`; `fields` says what counts). Where nothing happens any more by itself, the world is
left alone with the passing of time and has to come to rest.

No time passes before that: no timer runs out, followers of an empty log have all of it at once,
and so I6, which counts acknowledged bytes, has nothing to count. Only controllers fail. Messages
of a link keep their order, and are lost with their connection alone. Which orders are tried is
`search.Order`: each but the last is a bound, not a reduction that is proven to lose nothing.

Brokers are not exchanged for each other. In a move of 1,2 to 2,3 each has another part: leader,
follower, and the one that comes; no permutation of them maps the scope to itself.
"""
