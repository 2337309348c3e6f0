// SPDX-License-Identifier: MIT
// Plots over the simulated time, on a canvas: the least and the largest value of each column of pixels, so that a peak is seen.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const SECONDS = 60, MOST = 60000, MARGIN = 62, ROUNDING = 2e-7, NOTHING = 1e-12;

  // Numbers of the last minute. Time runs forward; where it jumps back the ring begins anew.
  class Ring {
    constructor(period) {
      this.size = Math.min(MOST, Math.max(100, Math.ceil(SECONDS / period) + 1));
      this.time = new Float64Array(this.size);
      this.value = new Float32Array(this.size);
      this.count = 0;
    }
    push(time, value) {
      if (this.count && time < this.last()) this.count = 0;
      if (this.count && time === this.last()) return;
      this.time[this.count % this.size] = time;
      this.value[this.count % this.size] = value;
      this.count++;
    }
    last() { return this.time[(this.count - 1) % this.size]; }
    each(from, visit) {
      const n = Math.min(this.count, this.size);
      for (let k = this.count - n; k < this.count; k++) if (this.time[k % this.size] >= from) visit(this.time[k % this.size], this.value[k % this.size]);
    }
  }

  function nice(x) {
    const k = Math.pow(10, Math.floor(Math.log10(x)));
    return [1, 2, 5, 10].map((m) => m * k).find((m) => m >= x);
  }

  function number(x) {
    if (!isFinite(x)) return String(x);
    const a = Math.abs(x);
    return a !== 0 && (a < 1e-3 || a >= 1e5) ? x.toExponential(2) : x.toPrecision(4).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  }

  // The room above and below the values. Rounding errors of numbers with 24 bits, or about 0, stay a flat line.
  function padding(least, most) {
    const size = Math.max(Math.abs(least), Math.abs(most)), wide = most - least;
    return wide > Math.max(ROUNDING * size, NOTHING) ? 0.06 * wide : Math.max(0.5 * size, 1e-3);
  }

  class Plot {
    constructor(parent, name, unit, period, remove) {
      this.name = name;
      this.ring = new Ring(period);
      this.box = document.createElement('div');
      this.box.className = 'plot';
      const title = document.createElement('div'), close = document.createElement('button');
      title.className = 'title';
      this.label = document.createElement('b');
      this.label.textContent = name + (unit ? ` (${unit})` : '');
      this.label.title = name;
      this.now = document.createElement('span');
      this.range = document.createElement('span');
      this.range.className = 'faint';
      close.textContent = '\u00d7';
      close.setAttribute('aria-label', `remove ${name}`);
      close.addEventListener('click', remove);
      title.append(this.label, this.now, this.range, close);
      this.canvas = document.createElement('canvas');
      this.box.append(title, this.canvas);
      parent.append(this.box);
    }

    remove() { this.box.remove(); }

    // end: simulated time at the right edge; span: s.
    draw(end, span) {
      const ratio = Math.min(2, window.devicePixelRatio || 1), w = this.canvas.clientWidth, h = this.canvas.clientHeight;
      if (!w || !h) return;
      if (this.canvas.width !== Math.round(w * ratio)) { this.canvas.width = Math.round(w * ratio); this.canvas.height = Math.round(h * ratio); }
      const g = this.canvas.getContext('2d'), columns = Math.max(1, Math.floor(w - MARGIN)), from = end - span;
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      g.clearRect(0, 0, w, h);
      // The least and the largest value of each column.
      const low = new Float32Array(columns).fill(Infinity), high = new Float32Array(columns).fill(-Infinity);
      let least = Infinity, most = -Infinity, newest = NaN;
      this.ring.each(from, (t, v) => {
        newest = v;
        if (!isFinite(v)) return;
        const c = Math.min(columns - 1, Math.max(0, Math.floor((t - from) / span * columns)));
        if (v < low[c]) low[c] = v;
        if (v > high[c]) high[c] = v;
        if (v < least) least = v;
        if (v > most) most = v;
      });
      this.now.textContent = number(newest);
      this.now.className = isFinite(newest) || !this.ring.count ? '' : 'bad';
      this.range.textContent = least <= most ? `${number(least)} to ${number(most)}` : '';
      if (!(least <= most)) return;
      const pad = padding(least, most), y = (v) => h - 14 - (v - least + pad) / (most - least + 2 * pad) * (h - 18);
      this.axes(g, w, h, from, span, least, most, pad, y);
      // A line from column to column, as high as the values of the column.
      g.strokeStyle = ali3.color('blue');
      g.lineWidth = 1.2;
      g.beginPath();
      let begun = false;
      for (let c = 0; c < columns; c++) {
        if (low[c] > high[c]) continue;
        const x = MARGIN + c + 0.5;
        if (begun) g.lineTo(x, y(high[c]));
        else g.moveTo(x, y(high[c]));
        begun = true;
        if (low[c] < high[c]) g.lineTo(x, y(low[c]));
      }
      g.stroke();
      this.scale = {least, most, y};
    }

    axes(g, w, h, from, span, least, most, pad, y) {
      const step = nice((most - least + 2 * pad) / 3), second = nice(span / 6);
      g.strokeStyle = ali3.color('line');
      g.fillStyle = ali3.color('faint');
      g.font = '11px system-ui, sans-serif';
      g.lineWidth = 1;
      g.textAlign = 'right';
      g.textBaseline = 'middle';
      g.beginPath();
      for (let v = Math.ceil((least - pad) / step) * step; v <= most + pad; v += step) {
        g.moveTo(MARGIN, Math.round(y(v)) + 0.5);
        g.lineTo(w, Math.round(y(v)) + 0.5);
        if (y(v) > 6) g.fillText(number(Math.abs(v) < 1e-9 * step ? 0 : v), MARGIN - 5, y(v));
      }
      g.textAlign = 'center';
      for (let t = Math.ceil(from / second) * second; t <= from + span; t += second) {
        const x = MARGIN + (t - from) / span * (w - MARGIN);
        g.moveTo(Math.round(x) + 0.5, 0);
        g.lineTo(Math.round(x) + 0.5, h - 13);
        if (x > MARGIN + 12 && x < w - 12) g.fillText(number(t), x, h - 6);
      }
      g.stroke();
    }
  }

  Object.assign(ali3, {Plot, plotNumber: number});
})();
