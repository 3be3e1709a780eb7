"""--progress as an action: look, show, sleep, until all is done or the time is over."""

from __future__ import annotations

from typing import Final

from klamm.tools.admin import Admin
from klamm.tools.reassign.exits import Exit
from klamm.tools.reassign.output import Output
from klamm.tools.reassign.progress import Targets, Watch, look
from klamm.tools.reassign.show import Display
from klamm.tools.reassign.waiting import DeadlineError, Patience

STUCK: Final = (
    "All that is left waits for something that will not come by itself; klamm explain says what"
    " to do."
)


def watch(
    admin: Admin, plan: Targets | None, display: Display, output: Output, patience: Patience
) -> Exit:
    """Watch a plan, or without one all that moves; return the exit code. Raises AdminError.

    Ctrl-C ends the watch and nothing else.
    """
    watched = Watch(plan, patience.clock.monotonic())
    told: set[str] = set()

    def say_once(text: str) -> None:
        if text not in told:
            told.add(text)
            output.warn(text)

    try:
        while True:
            sight = look(admin, watched, say_once)
            moment = watched.update(sight, patience.clock.monotonic())
            display.show(moment)
            if not moment.unfinished:
                return Exit.DONE
            patience.sleep(moment.unfinished)
    except DeadlineError as error:
        display.close()
        output.warn(str(error))
        if not moment.is_stuck:
            return Exit.NOT_FINISHED
        output.warn(STUCK)
        return Exit.STUCK
    except KeyboardInterrupt:
        return Exit.NOT_FINISHED
    finally:
        display.close()
