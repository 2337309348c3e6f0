# SPDX-License-Identifier: MIT
"""Exceptions and warnings."""


class Ali3Error(Exception):
    """Every error of this package."""


class LibraryMissingError(Ali3Error, ImportError):
    """libali3.so.0 cannot be loaded, or has another binary interface."""


class RefusedError(Ali3Error, ValueError):
    """The library refuses a model, a state or an argument."""


class DivergedError(Ali3Error, ArithmeticError):
    """A reset or a step failed; the data has the last good state. The text names the joint or body."""


class NoEquilibriumError(Ali3Error, ArithmeticError):
    """The mechanism has no static equilibrium that the search could reach."""


class BenchError(Ali3Error, RuntimeError):
    """A daemon refuses a request, or does not answer."""


class NotConvergedWarning(UserWarning):
    """A step kept the best iterate, or left a joint open by more than the tolerance."""
