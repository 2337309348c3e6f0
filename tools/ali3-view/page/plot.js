// SPDX-License-Identifier: MIT
// One plot on a canvas: the least and the largest value of each column of pixels, so that a peak is seen. Signals with the first unit
// count on the left axis, all others on the right one.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const MOST = 60000, LEFT = 62, RIGHT = 8, BOTTOM = 14, TOP = 5, ROUNDING = 2e-7, NOTHING = 1e-12, HEIGHT = 96;
  const COLORS = ['blue', 'warn', 'good', 'bad', 'violet', 'ink'];

  // The last samples of a signal. A cycle that is no later than the one before begins a new run.
  class Ring {
    constructor(size) {
      this.size = Math.min(MOST, Math.max(100, size));
      for (const key of ['cycle', 'time', 'clock']) this[key] = new Float64Array(this.size);
      this.value = new Float32Array(this.size);
      this.clear();
    }
    clear() {
      this.count = 0;
      this.from = 0;
    }
    // False: the sample is known.
    push(cycle, time, clock, value) {
      if (this.count) {
        const last = this.last();
        if (cycle <= this.cycle[last] && clock <= this.clock[last]) return false;
        if (cycle <= this.cycle[last]) this.clear();
        else if (time < this.time[last]) this.from = this.count; // the simulated time has gone back
      }
      const at = this.count++ % this.size;
      this.cycle[at] = cycle;
      this.time[at] = time;
      this.clock[at] = clock;
      this.value[at] = value;
      return true;
    }
    last() { return (this.count - 1) % this.size; }
    // Places of all samples, in order. axis: a signal over the simulated time has those since it has last gone back.
    *places(axis) {
      for (let k = Math.max(this.count - this.size, axis === 'time' ? this.from : 0); k < this.count; k++) yield k % this.size;
    }
    // The place of the last sample at or before x; -1: none.
    find(axis, x) {
      let low = Math.max(this.count - this.size, axis === 'time' ? this.from : 0) - 1, high = this.count;
      while (high > low + 1) {
        const middle = (low + high) >> 1;
        if (this[axis][middle % this.size] <= x) low = middle;
        else high = middle;
      }
      return low >= Math.max(0, this.count - this.size) ? low % this.size : -1;
    }
  }

  // The room above and below the values. Rounding errors of numbers with 24 bits, or about 0, stay a flat line.
  function padding(least, most) {
    const size = Math.max(Math.abs(least), Math.abs(most)), wide = most - least;
    if (wide > Math.max(ROUNDING * size, NOTHING)) return 0.06 * wide;
    return size > NOTHING ? 0.05 * size : size > 0 ? NOTHING : 1;
  }

  class Plot {
    constructor(parent, on) {
      this.on = on; // {remove(plot), drop(plot, name), target(plot), cursor(plot, x)}
      this.series = [];
      this.box = document.createElement('div');
      this.box.className = 'plot';
      this.box.setAttribute('role', 'group');
      this.titles = document.createElement('div');
      this.canvas = document.createElement('canvas');
      this.canvas.tabIndex = 0;
      this.canvas.setAttribute('role', 'img');
      this.join = this.button('+', 'add a signal to this plot', () => on.target(this));
      this.join.className = 'join';
      this.box.append(this.titles, this.canvas);
      parent.append(this.box);
      this.canvas.addEventListener('pointermove', (e) => this.point(e));
      this.canvas.addEventListener('pointerdown', (e) => this.point(e));
      this.canvas.addEventListener('pointerleave', (e) => { if (e.pointerType === 'mouse') on.cursor(null); });
      this.canvas.addEventListener('keydown', (e) => this.key(e));
    }

    button(text, label, act) {
      const b = document.createElement('button');
      b.type = 'button';
      b.textContent = text;
      b.title = label;
      b.setAttribute('aria-label', label);
      b.addEventListener('click', act);
      return b;
    }

    add(name, unit, size) {
      const title = document.createElement('div'), series = {name, unit, ring: new Ring(size)};
      title.className = 'title';
      series.mark = document.createElement('i');
      series.label = document.createElement('b');
      series.label.textContent = name + (unit ? ` (${unit})` : '');
      series.label.title = name;
      series.now = document.createElement('span');
      series.range = document.createElement('span');
      series.range.className = 'faint range';
      series.title = title;
      title.append(series.mark, series.label, series.now, series.range, this.button('\u00d7', `remove ${name}`, () => this.on.drop(this, name)));
      this.titles.append(title);
      this.series.push(series);
      this.series[0].title.insertBefore(this.join, this.series[0].title.lastChild);
      this.paint();
    }

    drop(name) {
      const at = this.series.findIndex((s) => s.name === name);
      this.series[at].title.remove();
      this.series.splice(at, 1);
      if (!this.series.length) this.box.remove();
      else this.series[0].title.insertBefore(this.join, this.series[0].title.lastChild);
      this.paint();
    }

    paint() {
      this.series.forEach((s, i) => {
        s.color = COLORS[i % COLORS.length];
        s.mark.style.background = `var(--${s.color})`;
        s.mark.hidden = this.series.length < 2;
      });
      const names = this.series.map((s) => s.name).join(', ');
      this.box.setAttribute('aria-label', `plot of ${names}`);
      this.canvas.setAttribute('aria-label', `plot of ${names}; arrow keys move the cursor, Escape removes it`);
    }

    remove() { this.box.remove(); }

    point(e) {
      if (this.view) this.on.cursor(this.view.from + (e.offsetX - LEFT) / this.view.columns * this.view.span);
    }

    key(e) {
      const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20}[e.key];
      if (e.key === 'Escape') this.on.cursor(null);
      if (!step || !this.view) return;
      e.preventDefault();
      const x = this.cursor === null || this.cursor === undefined ? this.view.from + this.view.span : this.cursor;
      this.on.cursor(x + step * this.view.span / this.view.columns);
    }

    // axis: clock, time or cycle; from, span: in its units; cursor: x or null; label(x, step): text of a tick.
    draw({axis, from, span, cursor, label}) {
      const ratio = Math.min(2, window.devicePixelRatio || 1), w = this.canvas.clientWidth, h = this.canvas.clientHeight;
      if (!w || !h) return;
      if (this.canvas.width !== Math.round(w * ratio)) { this.canvas.width = Math.round(w * ratio); this.canvas.height = Math.round(h * ratio); }
      const g = this.canvas.getContext('2d');
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      g.clearRect(0, 0, w, h);
      this.paintOn(g, w, h, {axis, from, span, cursor, label});
    }

    // All of it, without the titles.
    paintOn(g, w, h, {axis, from, span, cursor, label}) {
      const other = this.series.some((s) => s.unit !== this.series[0].unit), right = other ? LEFT : RIGHT;
      const columns = Math.max(1, Math.floor(w - LEFT - right));
      this.view = {from, span, columns};
      this.cursor = cursor;
      const sides = [[], []];
      for (const s of this.series) {
        this.gather(s, axis, from, span, columns, cursor);
        sides[s.unit === this.series[0].unit ? 0 : 1].push(s);
      }
      g.font = '11px system-ui, sans-serif';
      g.lineWidth = 1;
      this.timeAxis(g, h, columns, from, span, label);
      sides.forEach((side, k) => this.drawSide(g, w, h, side, k, columns));
      if (cursor === null || cursor === undefined) return;
      const x = LEFT + (cursor - from) / span * columns;
      if (x < LEFT || x > LEFT + columns) return;
      g.strokeStyle = ali3.color('ink');
      g.beginPath();
      g.moveTo(Math.round(x) + 0.5, 0);
      g.lineTo(Math.round(x) + 0.5, h - BOTTOM + 1);
      g.stroke();
    }

    // The least and the largest value of each column, and the texts.
    gather(s, axis, from, span, columns, cursor) {
      const low = new Float32Array(columns).fill(Infinity), high = new Float32Array(columns).fill(-Infinity), gap = new Uint8Array(columns);
      let least = Infinity, most = -Infinity, newest = -1;
      const xs = s.ring[axis], values = s.ring.value;
      for (const i of s.ring.places(axis)) {
        if (xs[i] < from || xs[i] > from + span) continue;
        newest = i;
        const c = Math.min(columns - 1, Math.floor((xs[i] - from) / span * columns)), v = values[i];
        if (!isFinite(v)) { gap[c] = 1; continue; }
        if (v < low[c]) low[c] = v;
        if (v > high[c]) high[c] = v;
        if (v < least) least = v;
        if (v > most) most = v;
      }
      const at = cursor === null || cursor === undefined ? newest : s.ring.find(axis, cursor);
      Object.assign(s, {low, high, gap, least, most});
      s.shown = at < 0 ? null : {cycle: s.ring.cycle[at], time: s.ring.time[at], clock: s.ring.clock[at], value: values[at]};
      s.now.textContent = s.shown ? ali3.number(s.shown.value) : '';
      s.now.className = !s.shown || isFinite(s.shown.value) ? '' : 'bad';
      s.range.textContent = least <= most ? `${ali3.number(least)} to ${ali3.number(most)}` : '';
    }

    drawSide(g, w, h, side, k, columns) {
      const least = Math.min(...side.map((s) => s.least)), most = Math.max(...side.map((s) => s.most));
      if (!(least <= most)) return;
      const pad = padding(least, most), low = least - pad, high = most + pad, y = (v) => h - BOTTOM - (v - low) / (high - low) * (h - BOTTOM - TOP);
      this.valueAxis(g, w, h, k, low, high, y, columns);
      side.forEach((s) => this.line(g, s, y, columns, h));
    }

    // From column to column, as high as the values of the column. A value that is no number interrupts it.
    line(g, s, y, columns) {
      g.strokeStyle = ali3.color(s.color);
      g.lineWidth = 1.3;
      g.beginPath();
      let begun = false;
      for (let c = 0; c < columns; c++) {
        if (s.gap[c]) begun = false;
        if (s.low[c] > s.high[c]) continue;
        const x = LEFT + c + 0.5;
        if (begun) g.lineTo(x, y(s.high[c]));
        else g.moveTo(x, y(s.high[c]));
        begun = true;
        if (s.low[c] < s.high[c]) g.lineTo(x, y(s.low[c]));
      }
      g.stroke();
      g.lineWidth = 1;
    }

    timeAxis(g, h, columns, from, span, label) {
      g.strokeStyle = ali3.color('line');
      g.fillStyle = ali3.color('faint');
      g.textAlign = 'center';
      g.textBaseline = 'middle';
      g.beginPath();
      const {list, step} = label.ticks(from, from + span, Math.max(2, Math.floor(columns / 110)));
      for (const {at, text} of list) {
        const x = LEFT + (at - from) / span * columns;
        g.moveTo(Math.round(x) + 0.5, TOP);
        g.lineTo(Math.round(x) + 0.5, h - BOTTOM + 1);
        const wide = 0.5 * g.measureText(text).width;
        if (x - wide > LEFT - 30 && x + wide < LEFT + columns + RIGHT) g.fillText(text, x, h - 6);
      }
      g.stroke();
      return step;
    }

    valueAxis(g, w, h, k, low, high, y, columns) {
      const {list, base} = ali3.ticks(low, high, Math.max(2, Math.floor(h / 45)));
      g.strokeStyle = ali3.color('line');
      g.fillStyle = ali3.color('faint');
      g.textAlign = k ? 'left' : 'right';
      g.textBaseline = 'middle';
      g.beginPath();
      for (const {at, text} of list) {
        if (!k) {
          g.moveTo(LEFT, Math.round(y(at)) + 0.5);
          g.lineTo(LEFT + columns, Math.round(y(at)) + 0.5);
        }
        g.fillText(text, k ? LEFT + columns + 5 : LEFT - 5, Math.min(h - BOTTOM, Math.max(TOP, y(at))));
      }
      g.stroke();
      if (!base) return;
      g.textAlign = 'left';
      g.fillText(ali3.number(base), k ? LEFT + columns + 5 : 2, h - 5);
    }
  }

  Object.assign(ali3, {Plot, Ring, PLOT_HEIGHT: HEIGHT});
})();
