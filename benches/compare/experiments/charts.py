"""Draws what was measured: one SVG for each question, for a printed page.

Started as `python -m experiments.charts FOLDER` in the environment of the peers, where the plotting
packages are. In goes the JSON of each experiment; out come bars from the fastest class member to the
slowest, ours in another colour, with their figures beside them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import seaborn as sns
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from experiments.results import Results, Row
from experiments.tables import figure_text, peak, speed, times, works_in

OURS, OTHERS = "#c1440e", "#8a9bb0"
WIDTH = 7.0
"""Inches: the text width of a printed page."""
BAR, PANEL = 0.17, 0.5
"""Inches that a bar and the frame of a panel take."""

Value = Callable[[Row], float | None]


@dataclass(frozen=True)
class Measure:
    """What the bars of a column show."""

    label: str
    value: Value
    larger_is_better: bool = False


@dataclass(frozen=True)
class Chart:
    """A figure: a row of panels for each class of a part, a column for each measure."""

    file: str
    experiment: str
    title: str
    measures: tuple[Measure, ...]
    shows: Callable[[str], bool] = lambda part: True
    """Which parts."""


def milliseconds(what: str) -> Value:
    """The best run."""
    return times(1e3, what)


SPEED = Measure("GB/s (more is better)", speed, larger_is_better=True)
PEAK = Measure("peak memory, MB (less is better)", peak)


def counting(file: str, title: str, shows: Callable[[str], bool], *more: Measure) -> Chart:
    """A figure of the first experiment."""
    return Chart(f"counting-{file}.svg", "counting", f"Counting events, {title}", (SPEED, *more), shows)


def of_part(experiment: str, part: str, title: str, *measures: Measure) -> Chart:
    """A figure of one thing that was read."""
    file = f"{experiment}-{part.replace(' ', '-')}.svg"
    return Chart(file, experiment, title, measures, lambda name: name == part)


READING = Measure("reading and decoding, ms (less is better)", milliseconds("seconds"))
DECODING = Measure("decoding, ms (less is better)", milliseconds("seconds"))
ENCODING = Measure("encoding, ms (less is better; ndskim: not yet)", milliseconds("encode_seconds"))
PROCESSOR = Measure("processor time, ms (less is better)", milliseconds("cpu_seconds"))

CHARTS = (
    counting("memory", "in memory, one thread", lambda part: part == "in memory, 1 thread"),
    counting("process", "whole process, one thread", lambda part: part == "whole process, 1 thread", PEAK),
    counting("threads", "more threads", lambda part: not part.endswith(" 1 thread")),
    of_part("payloads", "a very long string", "One record with a very long string", READING, PEAK),
    of_part("payloads", "many small objects", "One record with many small objects", READING, PEAK),
    of_part("payloads", "numbers", "One record of numbers", READING, PEAK),
    of_part("documents", "small documents", "Small documents, one a file", PROCESSOR),
    of_part("codecs", "items", "A list of small objects", DECODING, ENCODING),
    of_part("codecs", "users", "A list of users with ten numbers each", DECODING, ENCODING),
)


@dataclass(frozen=True)
class Panel:
    """One class of one part."""

    title: str
    rows: list[Row]


def panels(chart: Chart, results: Results) -> list[Panel]:
    """The panels that have bars, rows in the order of the first measure."""
    first, found = chart.measures[0], []
    parts = list(filter(chart.shows, results.parts()))
    for part in parts:
        for work in works_in(results, part):
            rows = [row for row in results.of(part, work) if first.value(row) is not None and work != "search"]
            rows.sort(key=lambda row: first.value(row) or 0.0, reverse=first.larger_is_better)
            if rows:
                found.append(Panel(f"{part}: {work}" if len(parts) > 1 else work, rows))
    return found


def draw(chart: Chart, results: Results, path: Path) -> None:
    """Draws a chart into a file, if there is anything to draw."""
    shown = panels(chart, results)
    if not shown:
        return
    heights = [PANEL + BAR * len(panel.rows) for panel in shown]
    figure, axes = plt.subplots(
        len(shown),
        len(chart.measures),
        figsize=(WIDTH, sum(heights) + 0.9),
        gridspec_kw={"height_ratios": heights},
        squeeze=False,
        layout="constrained",
    )
    for panel, line in zip(shown, axes, strict=True):
        for number, (measure, axis) in enumerate(zip(chart.measures, line, strict=True)):
            draw_panel(panel, measure, axis, is_first=number == 0)
    for measure, axis in zip(chart.measures, axes[-1], strict=True):
        axis.set_xlabel(measure.label, fontsize=8)
    figure.suptitle(chart.title, fontsize=11, fontweight="bold", x=0.01, ha="left")
    figure.legend(
        handles=[Patch(color=OURS, label="ndskim"), Patch(color=OTHERS, label="others")],
        loc="outside lower right",
        ncols=2,
        frameon=False,
        fontsize=8,
    )
    figure.text(0.01, 0.005, source(results), fontsize=6, color="#555555", va="bottom")
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def draw_panel(panel: Panel, measure: Measure, axis: Axes, is_first: bool) -> None:
    """Bars with their figures. Each panel has a scale of its own: classes are not compared."""
    places = range(len(panel.rows))
    values = [measure.value(row) for row in panel.rows]
    if not any(values):
        axis.set_visible(False)
        return
    longest = limit(values)
    colours = [OURS if row.ours else OTHERS for row in panel.rows]
    bars = axis.barh(places, [min(value or 0.0, longest) for value in values], color=colours, height=0.8)
    axis.bar_label(bars, [label(value, longest) for value in values], padding=2, fontsize=6)
    axis.set_yticks(places, [name(row) for row in panel.rows] if is_first else [""] * len(panel.rows), fontsize=6.5)
    for tick, row in zip(axis.get_yticklabels(), panel.rows, strict=True):
        tick.set_fontweight("bold" if row.ours else "normal")
    axis.set_ylim(len(panel.rows) - 0.45, -0.55)
    axis.margins(x=0.2)
    axis.xaxis.set_major_locator(MaxNLocator(5))
    axis.tick_params(axis="both", pad=1)
    axis.tick_params(axis="x", labelsize=6)
    axis.grid(axis="y", visible=False)
    if is_first:
        axis.set_title(panel.title, fontsize=8, loc="left", pad=3)


def name(row: Row) -> str:
    """The row's name, with a mark if it reads another format."""
    return f"{row.name} (not JSON)" if (row.note or "").startswith("reads ") else row.name


def limit(values: list[float | None]) -> float:
    """The longest bar: a few that are far longer than the rest are cut, or the rest could not be seen."""
    there = sorted(value for value in values if value)
    return min(there[-1], 6 * there[len(there) * 3 // 4])


def label(value: float | None, longest: float) -> str:
    """What stands at the end of a bar."""
    if value is None:
        return ""
    return figure_text(value) + (" (bar cut)" if value > longest else "")


def source(results: Results) -> str:
    """When and on what it was measured."""
    about = results.about
    computer = about["machine"]
    return f"{about['date']}, {computer['cores']} cores of {computer['cpu']}, Python {about['versions']['Python']}"


def main(folder: Path) -> None:
    """Draws every chart of the experiments in a folder."""
    sns.set_theme(style="whitegrid", context="paper", font="DejaVu Sans")
    # Text stays text, which keeps files small; the ids are the same each time.
    mpl.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "ndskim"}
    for chart in CHARTS:
        stored = folder / f"{chart.experiment}.json"
        if stored.exists():
            draw(chart, Results.from_json(json.loads(stored.read_text())), folder / chart.file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
