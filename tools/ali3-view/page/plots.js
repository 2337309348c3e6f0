// SPDX-License-Identifier: MIT
// All plots: what they show, over which axis, the cursor that they share, and what is seen as CSV and PNG.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const MOST = 64, LONGEST = 60, TITLE = 18, WIDE = 900;
  const two = (n) => String(n).padStart(2, '0');

  function save(blob, name) {
    const a = document.createElement('a');
    a.href = URL.createObjectURL(blob);
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 10000);
  }

  class Plots {
    // box: for the plots; elements: {axis, span, hold, cursor} of the page; changed(names): other signals are wanted.
    constructor(box, elements, changed) {
      this.box = box;
      this.elements = elements;
      this.changed = changed;
      this.list = [];
      this.period = 0.01;
      this.cursor = null;
      this.offset = null; // s from the clock of the daemon to UTC; null: unknown
      this.whole = false; // a run inside the page: the plots show all of it
    }

    get axis() { return this.elements.axis.value; }
    get names() { return this.list.flatMap((p) => p.series.map((s) => s.name)); }
    get held() { return this.elements.hold.checked; }

    clear() {
      for (const p of this.list) p.remove();
      this.list = [];
      this.target = null;
      this.cursor = null;
    }

    // Texts with commas, of names and globs: a plot for each signal. Names with + between them share a plot. False: nothing is new.
    addText(text, known) {
      const before = this.names.length;
      for (const one of text.split(',')) {
        let plot = this.target;
        const together = one.includes('+') || plot;
        for (const part of one.split('+')) {
          const glob = new RegExp(`^${part.trim().replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.')}$`);
          for (const [name, unit] of known.filter(([n]) => glob.test(n))) {
            if (this.names.length >= MOST || (plot || {series: []}).series.some((s) => s.name === name)) continue;
            if (!together && this.names.includes(name)) continue;
            const to = together && plot ? plot : this.make();
            to.add(name, unit, Math.ceil(LONGEST / this.period) + 1);
            if (together) plot = to;
          }
        }
      }
      this.choose(null);
      if (this.names.length === before) return false;
      this.changed(this.names);
      return true;
    }

    make() {
      const plot = new ali3.Plot(this.box, {
        drop: (p, name) => {
          p.drop(name);
          if (!p.series.length) this.list = this.list.filter((o) => o !== p);
          if (this.target === p && !p.series.length) this.choose(null);
          this.changed(this.names);
        },
        target: (p) => this.choose(this.target === p ? null : p),
        cursor: (x) => { this.cursor = x; },
      });
      this.list.push(plot);
      return plot;
    }

    // The plot that gets the next signal; null: a new one.
    choose(plot) {
      this.target = plot;
      for (const p of this.list) p.join.setAttribute('aria-pressed', p === plot);
      const pick = this.elements.pick;
      pick.placeholder = plot ? `signal to add to the plot of ${plot.series[0].name}` : 'add a signal';
      if (plot) pick.focus();
    }

    // A dense record. names: of its columns.
    push(names, record) {
      if (this.held) return;
      names.forEach((name, c) => {
        for (const p of this.list) {
          const s = p.series.find((one) => one.name === name);
          for (let i = 0; s && i < record.time.length; i++) s.ring.push(record.cycle[i], record.time[i], record.clock[i], record.values[c][i]);
        }
      });
    }

    // The part of the axis that is seen. at: {clock, time, cycle} of the present instant of a run inside the page.
    window(at) {
      const axis = this.axis, rings = this.list.flatMap((p) => p.series.map((s) => s.ring)).filter((r) => r.count);
      const newest = Math.max(...rings.map((r) => r[axis][r.last()]));
      if (!rings.length) return {axis, from: 0, span: 1};
      const whole = this.elements.span.value === 'all';
      if (whole) {
        const first = Math.min(...rings.map((r) => r[axis][r.places(axis).next().value]));
        return {axis, from: first, span: Math.max(newest - first, 1e-9)};
      }
      const seconds = Number(this.elements.span.value), span = axis === 'cycle' ? seconds / this.period : seconds;
      const end = this.whole ? Math.min(newest, Math.max(at[axis] + 0.5 * span, rings[0][axis][0] + span)) : newest;
      return {axis, from: end - span, span};
    }

    // at: see window().
    draw(at) {
      if (!this.list.length) return;
      if (!this.held) this.seen = this.window(at);
      if (!this.seen || this.seen.axis !== this.axis) this.seen = this.window(at);
      const cursor = this.cursor !== null ? this.cursor : this.whole ? at[this.axis] : null;
      for (const p of this.list) p.draw({...this.seen, cursor, label: this});
      const shown = this.list.flatMap((p) => p.series).map((s) => s.shown).find((s) => s);
      this.elements.cursor.textContent = this.cursor !== null && shown ?
        `${this.offset === null ? '' : `${this.clockText(shown.clock, 0.001)}, `}cycle ${shown.cycle}, t ${ali3.number(shown.time)} s` : '';
    }

    // --- texts of the axis

    clockText(t, step) {
      const ms = Math.round((t + this.offset) * 1000), d = new Date(ms), rest = step < 1 ? `.${String(ms % 1000).padStart(3, '0').slice(0, step < 0.01 ? 3 : step < 0.1 ? 2 : 1)}` : '';
      return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}${rest}`;
    }

    // Clock times have ticks at whole seconds of the clock; without a known clock, and for the other axes, at plain numbers.
    ticks(low, high, wanted) {
      if (this.axis !== 'clock' || this.offset === null) {
        const found = ali3.ticks(low, high, wanted);
        return {list: found.list.map(({at}) => ({at, text: this.axis === 'cycle' ? String(Math.round(at)) : String(Number(at.toPrecision(10)))})), step: found.step};
      }
      const shift = this.offset, found = ali3.ticks((low + shift) % 86400, (low + shift) % 86400 + high - low, wanted), back = low - (low + shift) % 86400;
      return {list: found.list.map(({at}) => ({at: at + back, text: this.clockText(at + back, found.step)})), step: found.step};
    }

    // --- what is seen, as files

    // A row for each cycle, a column for each signal. The title of a column has the unit.
    csv() {
      const {axis, from, span} = this.seen || {}, series = this.list.flatMap((p) => p.series), rows = new Map();
      series.forEach((s, c) => {
        for (const i of s.ring.places(axis)) {
          const x = s.ring[axis][i];
          if (x < from || x > from + span) continue;
          const cycle = s.ring.cycle[i];
          if (!rows.has(cycle)) rows.set(cycle, {time: s.ring.time[i], clock: s.ring.clock[i], values: new Array(series.length).fill('')});
          rows.get(cycle).values[c] = ali3.exact(s.ring.value[i]);
        }
      });
      const utc = this.offset !== null, head = ['cycle', 'time [s]', ...(utc ? ['utc'] : []), ...series.map((s) => s.name + (s.unit ? ` [${s.unit}]` : ''))];
      const lines = [...rows].sort(([a], [b]) => a - b).map(([cycle, r]) =>
        [cycle, String(Number(r.time.toPrecision(12))), ...(utc ? [new Date(Math.round((r.clock + this.offset) * 1000)).toISOString()] : []), ...r.values].join(','));
      return [head.join(','), ...lines, ''].join('\n');
    }

    // A canvas with all plots and their titles, as wide as on the page, twice as fine.
    picture() {
      const w = Math.max(WIDE, ...this.list.map((p) => p.canvas.clientWidth)), canvas = document.createElement('canvas');
      const high = this.list.map((p) => p.series.length * TITLE + ali3.PLOT_HEIGHT + 40), g = canvas.getContext('2d');
      canvas.width = 2 * w;
      canvas.height = 2 * high.reduce((sum, h) => sum + h, 0);
      g.scale(2, 2);
      g.fillStyle = ali3.color('paper');
      g.fillRect(0, 0, w, canvas.height);
      this.list.forEach((p, k) => {
        p.series.forEach((s, i) => {
          g.font = 'bold 12px system-ui, sans-serif';
          g.textAlign = 'left';
          g.textBaseline = 'middle';
          g.fillStyle = ali3.color(p.series.length > 1 ? s.color : 'ink');
          g.fillText(`${s.label.textContent}  ${s.now.textContent}`, 8, (i + 0.6) * TITLE);
        });
        g.save();
        g.translate(0, p.series.length * TITLE);
        p.paintOn(g, w, ali3.PLOT_HEIGHT + 36, {...this.seen, cursor: p.cursor, label: this});
        g.restore();
        g.translate(0, high[k]);
      });
      return canvas;
    }

    saveCsv(name) { save(new Blob([this.csv()], {type: 'text/csv'}), `${name}.csv`); }
    savePng(name) { this.picture().toBlob((blob) => save(blob, `${name}.png`)); }
  }

  ali3.Plots = Plots;
})();
