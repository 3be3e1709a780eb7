#!/usr/bin/env python3
"""Sets up .venv, then runs klamm or its checks; needs nothing but Python 3.11 or later.

    python3 tools/dev.py demo [...]   a cluster grows, hundreds of moves, live; --memory: no Java
    python3 tools/dev.py up [...]     such a cluster, yours until Ctrl-C; options go to `klamm up`
    python3 tools/dev.py test [...]   the default tests, some at a time; options go to pytest
    python3 tools/dev.py coverage     the default tests under branch coverage
    python3 tools/dev.py bench [...]  benchmarks against peers; names pick some, --smoke is short
    python3 tools/dev.py check        lint, format, types, import contracts, generated code

Everything is installed at the versions in tools/constraints.txt. The set-up is done again only
when that file, pyproject.toml or the interpreter changes.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "klamm-set-up"
CONSTRAINTS = ROOT / "tools" / "constraints.txt"
EXTRAS = "dev,planner,spark"


def wanted_stamp() -> str:
    """Return one line for the interpreter and one with a digest of what is to be installed.

    Of pyproject.toml only what installing reads counts, not how tests and checks are set up.
    """
    import tomllib  # from Python 3.11 on, which `main` demands with a clear text

    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    read = (config["build-system"], config["project"], config["tool"]["setuptools"], EXTRAS)
    digest = hashlib.sha256(repr(read).encode() + CONSTRAINTS.read_bytes())
    return f"{sys.base_prefix} {sys.version_info[:3]} {VENV}\n{digest.hexdigest()}\n"


def set_up() -> None:
    """Make .venv hold the pinned packages and klamm itself, editable; return at once if it does.

    A lock keeps two first runs apart. A set-up that failed leaves no stamp, so the next run
    tries again; another interpreter starts from nothing.
    """
    stamp = wanted_stamp()
    if found_stamp() == stamp:
        return
    with (ROOT / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = found_stamp()
        if found == stamp:
            return
        STAMP.unlink(missing_ok=True)
        if found.partition("\n")[0] != stamp.partition("\n")[0]:
            leave_environment()
            say("setting up .venv: 1.2 GB (Spark's jars hold a real ZooKeeper), about a minute")
            shutil.rmtree(VENV, ignore_errors=True)
            new = [sys.executable, "-m", "venv", str(VENV)]
            run(new, "venv (on Debian: apt install python3-venv)")
        else:
            say("pyproject.toml or constraints.txt changed: installing again")
        pip = [str(VENV / "bin" / "pip"), "install", "--quiet", "--constraint", str(CONSTRAINTS)]
        # Source archives are built with the pinned setuptools, not with whatever is newest today.
        run([*pip, "setuptools", "wheel"], "the build tools")
        run([*pip, "--no-build-isolation", "--editable", f"{ROOT}[{EXTRAS}]"], "klamm's packages")
        STAMP.write_text(stamp)


def leave_environment() -> None:
    """Start anew with the interpreter outside if we are running inside the .venv to be remade."""
    if Path(sys.prefix) == VENV:
        outside = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
        os.execv(outside, [str(outside), *sys.argv])


def found_stamp() -> str:
    """Return what the last set-up that succeeded was made from, or an empty text."""
    return STAMP.read_text() if STAMP.exists() else ""


def run(command: list[str], what: str) -> None:
    """Run a set-up step; exit with its name and status if it fails."""
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    if status:
        sys.exit(f"dev.py: setting up {what} failed with status {status}: {' '.join(command)}")


def say(text: str) -> None:
    """Tell the person what takes time; standard output stays the command's own."""
    print(f"dev.py: {text}", file=sys.stderr, flush=True)


def become(*command: str) -> None:
    """Replace this process by a program of .venv: signals and exit status are its own."""
    os.environ["PATH"] = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    # Without this the working directory would put the bare folder names on the import path.
    os.environ["PYTHONSAFEPATH"] = "1"
    os.execv(VENV / "bin" / command[0], command)


def look_for_java() -> None:
    """Say before the long set-up, not after it, that there is no Java in the usual places."""
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        say("no java on PATH and no JAVA_HOME: ZooKeeper needs Java 17 or later")


def run_all(commands: list[list[str]], *, all_of_them: bool) -> None:
    """Run programs of .venv one by one and exit 1 if any failed, naming it.

    The first failure is the last command run unless `all_of_them` are wanted.
    """
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    failed = []
    for name, *arguments in commands:
        say(" ".join([name, *arguments]))
        command = [str(VENV / "bin" / name), *arguments]
        if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
            failed.append(" ".join([name, *arguments]))
            if not all_of_them:
                break
    if failed:
        sys.exit("dev.py: failed: " + "; ".join(failed))


CHECKS = [
    ["ruff", "check"],
    ["ruff", "format", "--check"],
    ["mypy"],
    ["lint-imports"],
    ["python", "-m", "klamm.tools.codegen", "--check"],
]


#: Each process takes whole files; more than four would only start more ZooKeepers.
AT_A_TIME = ["--numprocesses", "auto", "--maxprocesses", "4", "--dist", "loadfile"]


def main(arguments: list[str]) -> None:
    """Set up, then carry out the command; an unknown one is named together with the known ones."""
    if sys.version_info < (3, 11):
        sys.exit(f"dev.py: klamm needs Python 3.11 or later; this is {sys.version.split()[0]}")
    programs = {
        "demo": ["klamm", "demo"],
        "up": ["klamm", "up"],
        "test": ["python", "-m", "pytest", *(AT_A_TIME if arguments[1:] == [] else [])],
        "bench": ["python", "-m", "klamm.tools.bench"],
    }
    names = [*programs, "coverage", "check"]
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        sys.exit(__doc__)
    name, *rest = arguments
    if name not in names:
        sys.exit(f"dev.py: no command {name!r}; there are: {', '.join(names)}")
    if name in ("test", "coverage") or (name in ("demo", "up") and "--memory" not in rest):
        look_for_java()
    set_up()
    if name == "check":
        run_all(CHECKS, all_of_them=True)
    elif name == "coverage":
        tests = ["coverage", "run", "-m", "pytest", *rest]
        run_all([tests, ["coverage", "combine"], ["coverage", "report"]], all_of_them=False)
    else:
        if programs[name][0] == "python":
            os.chdir(ROOT)  # names of tests are relative to it; klamm's own files to the caller
        become(*programs[name], *rest)


if __name__ == "__main__":
    main(sys.argv[1:])
