"""The panel of operators and kernels. Measuring runs in a thread, and only for a visible panel."""

from enum import StrEnum
from functools import partial
from typing import Final, NamedTuple

from textual.message import Message

from vpstop.measure.operators import OperatorTable, operator_table
from vpstop.read.capture import Capture
from vpstop.run import Run
from vpstop.tui.columns import Column
from vpstop.tui.measured import Grouping, kernel_columns, operator_columns
from vpstop.tui.panel import TablePanel
from vpstop.tui.rows import Sort


class Subject(StrEnum):
    """What the rows of the panel are."""

    OPERATORS = "operators"
    KERNELS = "kernels"


_FIRST_ORDER: Final = {Subject.OPERATORS: Sort("self"), Subject.KERNELS: Sort("total")}


class Wanted(NamedTuple):
    """What the panel is to show."""

    run: Run
    subject: Subject
    grouping: Grouping


class OperatorPanel(TablePanel):
    """Operators, or kernels, of all ranks together, by node or by rank."""

    class Measured(Message):
        """The columns that were wanted are there."""

        def __init__(self, wanted: Wanted, columns: list[Column]) -> None:
            super().__init__()
            self.wanted = wanted
            self.columns = columns

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._wanted = Wanted(Run((), (), (), ()), Subject.OPERATORS, Grouping.ALL)
        self._shown: Wanted | None = None
        self._is_visible = False
        self._known: dict[int, tuple[Capture, OperatorTable]] = {}

    def set_run(self, run: Run) -> None:
        """Shows this run from now on; captures that were in the last one are not measured again."""
        captures = {id(member.capture) for member in run.members}
        self._known = {key: value for key, value in self._known.items() if key in captures}
        self._want(self._wanted._replace(run=run))

    def set_subject(self, subject: Subject) -> None:
        """Shows operators or kernels."""
        if subject is not self._wanted.subject:
            self._want(self._wanted._replace(subject=subject))

    def action_cycle_grouping(self) -> None:
        """All ranks together, by node, by rank."""
        choice = list(Grouping)
        place = choice.index(self._wanted.grouping)
        self._want(self._wanted._replace(grouping=choice[(place + 1) % len(choice)]))

    def on_show(self) -> None:
        """Measures what was wanted while nobody looked."""
        self._is_visible = True
        self._want(self._wanted)

    def on_hide(self) -> None:
        """Nobody looks any more."""
        self._is_visible = False

    def on_operator_panel_measured(self, message: Measured) -> None:
        """Shows the columns, if they are still wanted."""
        if message.wanted is not self._wanted:
            return
        before, self._shown = self._shown, message.wanted
        _, subject, grouping = message.wanted
        self.table.empty_text = f"no {subject} recorded"
        keep_order = before is not None and before.subject is subject
        self.show_columns(message.columns, _FIRST_ORDER[subject], keep_order=keep_order)
        self.show_heading(f"{subject} ({self.table.total_count}) · {grouping}")

    def _want(self, wanted: Wanted) -> None:
        self._wanted = wanted
        if self._is_visible and wanted is not self._shown:
            self.show_heading(f"{wanted.subject} (measuring) · {wanted.grouping}")
            measure = partial(self._measure, wanted)
            self.run_worker(measure, thread=True, exclusive=True, group="measure")

    def _measure(self, wanted: Wanted) -> None:
        """Runs in a thread."""
        if wanted.subject is Subject.KERNELS:
            columns = kernel_columns(wanted.run, wanted.grouping)
        else:
            columns = operator_columns(wanted.run, wanted.grouping, self._operators_of)
        self.post_message(self.Measured(wanted, columns))

    def _operators_of(self, capture: Capture) -> OperatorTable:
        """Measured once: a run that is still loading is set again for every rank."""
        known = self._known.get(id(capture)) or (capture, operator_table(capture))
        self._known[id(capture)] = known
        return known[1]
