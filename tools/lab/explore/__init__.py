"""Exploration: every order of everything that can happen in a small world, each world once.

`search.Exploration` begins at the opening of a scope (`scopes`), which may lie in the middle of a
move. It looks first at what takes the fewest steps, or at what deviates least from the usual run.
A world that is gone on from more than once is copied (`copying`), and each is known again by
its fingerprint (`fingerprint`; `fields` says what counts, and `special`). What of the past decides
how a world is judged in the end, such as what clients were promised, counts as well. Where nothing
happens any more by itself, the world is left alone with the passing of time and has to come to
rest. `finds` lists bugs that are found so, and says of the others why they are not.

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
- What only a story tells: whether a request was refused that should not have been.

With a bound on depth all ways of so many steps are covered, with one on deviations all runs with
so many; with one on worlds or on time, those that came first, and no more is claimed.

The full scope, `explore-full` with two ends, is too large: with one end not even
`explore-tiny`, of a thousand worlds without, is seen whole in ten minutes. The bound that fits
is on deviations, each of which is an end, the tool, an early request or another order:
`klamm lab explore --scope explore-full --crashes 2 --first usual --deviations 1`.

Partial orders are not reduced. Sleep sets would spare steps to worlds known before alone: a third
of all while nothing ends, but one in 26 in the full scope with that bound. What is many are worlds,
for each end at each moment leaves others behind, and an end depends on whatever its node does.

Brokers are not exchanged for each other. In a move of 1,2 to 2,3 each has another part: leader,
follower, and the one that comes; no permutation of them maps the scope to itself.
"""
