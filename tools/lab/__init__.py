"""The lab: the real controller code in a world where everything may fail, and repeats exactly.

A `world.World` has controller nodes n1, n2, ... (ids 901, 902, ...; `klamm.controller.node.Node`
itself), brokers b1, b2, ... (ids 1, 2, ...; the model of `klamm.tools.brokers`), a ZooKeeper in
memory "zk", clients, rogue tools, and a clock that moves only when somebody lets time pass. It has
no I/O. Whatever happens is an action with a name, and after each action the invariants are checked
(`invariants`) and `world.events` has one more `events.Happened`. What a scope contains, and what
may go wrong in it, is a value: `scope.Scope`; those with names are in `scopes`.

Chance. `world.step()` lets `choices` pick one of the actions that are possible: seeded, recorded
or enumerated. `run.Opening(scope, variant)` makes worlds in their beginning (n1 in office, topics
created), `run.run(opening, seed)` does a run: faults first, then healing, then rest (`liveness`).
`world.script` says what was chosen; `run.again` repeats it, `shrink` shortens it, `replaying` has
it as a file.

An exhibit tells a story over the same world by calling actions by name; it needs no choices:

    world = Opening(scope).world(Enumerator())
    world.ask("n1", move("t", 0, 2, 3))            # or do("client asks n1: ...") of the scope's
    world.until(lambda: world.happened.replied)    # regular actions, in their order
    world.do("crash n1 in its turn", effects_done="2")
    world.do("zk expires session 1 of n1")
    world.settle(but=lambda name: "b3" in name)    # all regular actions but those of b3
    world.advance(30.0)                            # time, with everything that it brings
    world.write("a rogue tool", SetData(...))
    rest(world)                                    # heal, settle, and what is not quiet then
    assert world.violation is None, world.violation.text

`world.do("nonsense")` raises an error that lists every action possible at that moment. Regular ones
are "n1 turn", "zk serves n1", "zk tells n1", "zk connects n1", "b3 serves n1" (it takes n1's
request in), "b3 answers n1", "n1 takes AlterPartition of b3", "b3 hears of AlterPartition", "n1
opens a session", "n1 notices" (that its session is over), "start n1", "wake n1", "start b3";
"client asks n1: ..." and "time passes"; faults are in `faults`, recipes of tools in `rogue`.
What failed does not come back in `settle` and `until`; call `do("start n1")`, or `heal()`.

A variant is the product with one bug put back in: `variant.Variant`, one module each in `variants`,
which defines `VARIANT`. It replaces the class of nodes (another `transitions` table, or `handle`
wrapped to filter inputs and effects), what decides, a rule, or the broker's model, by names that
can be imported, for worlds are pickled. It says what exposes it: an exhibit, a scope (those of
`studies` are made for it), or a script of its own module. `matrix` puts each one in there, and
klamm beside it in the same runs: red and green. `variants.NOT_EXPRESSED` are the rows without one.
"""
