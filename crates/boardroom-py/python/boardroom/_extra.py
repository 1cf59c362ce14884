"""The error of a module whose extra is not installed."""

from __future__ import annotations


def missing(extra: str, error: ImportError) -> ImportError:
    """An ImportError that names the extra."""
    return ImportError(
        f"boardroom.{extra if extra != 'ray' else 'sweep'} needs an extra: "
        f"pip install 'boardroom-sim[{extra}]' ({error})"
    )
