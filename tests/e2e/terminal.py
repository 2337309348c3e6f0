# SPDX-License-Identifier: MIT
"""The picture of a terminal: what a program of curses has written, as cells, and these cells as HTML."""
import html
import re

# Colours of the eight of SGR, on dark paper.
COLORS = ("#171b20", "#ff8a8f", "#56d48a", "#f0b040", "#7ab7ff", "#c3a6ff", "#5fd7d7", "#e6e9ed")
TOKEN = re.compile(r"\x1b\[([?>]?)([\d;]*)([@-~])|\x1b[()][0AB]|\x1b[=>78]|\x1b\][^\x07]*\x07|[\x00-\x1f]|[^\x00-\x1f\x1b]+", re.S)


class Terminal:
    """Knows the sequences that ncurses writes for TERM=xterm."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.at = [0, 0]
        self.style = self.plain = (None, None, False, False)  # text, paper, bold, reversed
        self.last = " "
        self.clear(0, rows * columns)

    def clear(self, first, last):
        if first == 0 and last == self.rows * self.columns:
            self.cells = [(" ", self.plain)] * last
        for i in range(first, last):
            self.cells[i] = (" ", (None, self.style[1], False, False))

    def write(self, text):
        for m in TOKEN.finditer(text):
            if m.group(3):
                if not m.group(1):
                    self.control(m.group(3), [int(n or 0) for n in m.group(2).split(";")])
            elif m.group()[0] == "\r":
                self.at[1] = 0
            elif m.group()[0] == "\n":
                self.at[0] = min(self.rows - 1, self.at[0] + 1)
            elif m.group()[0] == "\b":
                self.at[1] = max(0, self.at[1] - 1)
            elif m.group()[0] >= " ":
                for c in m.group():
                    self.put(c)

    def put(self, c):
        if self.at[1] < self.columns:
            self.cells[self.at[0] * self.columns + self.at[1]] = (c, self.style)
        self.at[1] += 1
        self.last = c

    def control(self, kind, n):
        one, here = max(1, n[0]), self.at[0] * self.columns + min(self.at[1], self.columns - 1)
        row = self.at[0] * self.columns
        if kind == "H":
            self.at = [one - 1, max(1, n[1] if len(n) > 1 else 1) - 1]
        elif kind in "ABCD":
            axis, sign = {"A": (0, -1), "B": (0, 1), "C": (1, 1), "D": (1, -1)}[kind]
            self.at[axis] = max(0, min((self.rows, self.columns)[axis] - 1, self.at[axis] + sign * one))
        elif kind == "d":
            self.at[0] = one - 1
        elif kind == "G":
            self.at[1] = one - 1
        elif kind == "J":
            self.clear(0 if n[0] else here, here if n[0] == 1 else self.rows * self.columns)
        elif kind == "K":
            self.clear(row if n[0] else here, here + 1 if n[0] == 1 else row + self.columns)
        elif kind == "X":
            self.clear(here, min(here + one, row + self.columns))
        elif kind == "b":
            for _ in range(one):
                self.put(self.last)
        elif kind == "m":
            self.dress(n)

    def dress(self, numbers):
        text, paper, bold, turned = self.style
        for n in numbers:
            if n == 0:
                text, paper, bold, turned = self.plain
            elif n in (1, 22):
                bold = n == 1
            elif n in (7, 27):
                turned = n == 7
            elif 30 <= n <= 37 or 90 <= n <= 97:
                text = n % 10
            elif n == 39:
                text = None
            elif 40 <= n <= 47:
                paper = n % 10
            elif n == 49:
                paper = None
        self.style = (text, paper, bold, turned)

    def page(self, size=14):
        """The cells as a page of HTML."""
        lines = []
        for r in range(self.rows):
            line = ""
            for c, (text, paper, bold, turned) in self.cells[r * self.columns:(r + 1) * self.columns]:
                ink, back = COLORS[7 if text is None else text], COLORS[0 if paper is None else paper]
                if turned:
                    ink, back = back, ink
                line += f'<span style="color:{ink};background:{back}{";font-weight:bold" if bold else ""}">{html.escape(c)}</span>'
            lines.append(line)
        return (f'<meta charset="utf-8"><body style="margin:0;background:{COLORS[0]}"><pre style="margin:10px;font:{size}px/1.25 \'DejaVu Sans Mono\','
                f'monospace;width:max-content">' + "\n".join(lines) + "</pre>")
