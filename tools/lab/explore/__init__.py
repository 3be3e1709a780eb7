"""Exploration: every order of everything that can happen in a small world, each world once.

`search.Exploration` begins at the opening of a scope (`scopes`), which may lie in the middle of a
move. It looks first at what takes the fewest steps, or at what deviates least from the usual run.
A world that is gone on from more than once is copied (`copying`), and each is known again by
its fingerprint (`fingerprint`; `fields` says what counts, and `special`). What of the past decides
how a world is judged in the end, such as what clients were promised, counts as well. Where nothing
happens any more by itself, no client may wait for an answer, and the world is left alone with the
passing of time and has to come to rest. `finds` lists bugs that are found so, and says of the
others why they are not.

What is covered, if no bound was reached:

- Every order in which messages reach controllers, brokers and ZooKeeper, as far as `steps.Order`
  tells them apart. Each order of it but the last is a bound, not a reduction that is proven to
  lose nothing.
- The end of a controller's process before every turn and between any two effects of one, and of
  its session, as often as `Bounds.ends` says; other faults, and what clients ask, as the scope has
  it, at every moment after the opening.

What is not:

- Time. No timer runs out before all is still; followers of an empty log have all of it at once,
  and so I6, which counts acknowledged bytes, has nothing to count.
- Messages of one link never change places, and are lost with their connection alone.
- Brokers do not fail, unless the scope says so.
- What only a story tells: that a client got what it was told it would.

With a bound on depth all ways of so many steps are covered, with one on deviations all runs with
so many; with one on worlds or on time, those that came first, and no more is claimed.

Partial orders are not reduced. What could be spared without a proof of what commutes are steps to
worlds known before, which are one in thirty with two ends of processes allowed: what is many are
worlds, for each end at each moment leaves others behind.

Brokers are not exchanged for each other. In a move of 1,2 to 2,3 each has another part: leader,
follower, and the one that comes; no permutation of them maps the scope to itself.
"""
