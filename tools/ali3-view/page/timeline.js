// SPDX-License-Identifier: MIT
// Misses and events of the last minutes. A click, or the keys left and right, show the record of one.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const MOST = 2000, SPAN = 120;
  const COLORS = {miss: 'bad', state: 'blue', mark: 'good', parameter: 'warn', other: 'faint'};

  class Timeline {
    constructor(canvas, record) {
      this.canvas = canvas;
      this.record = record;
      this.span = SPAN;
      canvas.addEventListener('click', (e) => this.pick(e.offsetX));
      canvas.addEventListener('wheel', (e) => { e.preventDefault(); this.span = Math.min(3600, Math.max(5, this.span * Math.pow(1.001, e.deltaY))); this.changed = true; },
                              {passive: false});
      canvas.addEventListener('keydown', (e) => {
        const step = {ArrowLeft: -1, ArrowRight: 1}[e.key];
        if (!step || !this.events.length) return;
        e.preventDefault();
        const at = this.events.indexOf(this.chosen);
        this.show(this.events[Math.min(this.events.length - 1, Math.max(0, at < 0 ? this.events.length - 1 : at + step))]);
      });
      this.clear();
    }

    clear() {
      this.events = [];
      this.now = 0;
      this.show(null);
    }

    add(event) {
      this.events.push(Object.assign({t: event.t_ns * 1e-9}, event));
      if (this.events.length > MOST) this.events.shift();
      this.changed = true;
    }

    x(t) { return (1 - (this.now - t) / this.span) * this.canvas.clientWidth; }

    pick(x) {
      let best = null;
      for (const e of this.events) if (!best || Math.abs(this.x(e.t) - x) < Math.abs(this.x(best.t) - x)) best = e;
      this.show(best && Math.abs(this.x(best.t) - x) < 12 ? best : null);
    }

    show(event) {
      this.chosen = event;
      this.changed = true;
      this.record.textContent = event ? `cycle ${event.cycle}: ${event.text}` : '';
      this.record.className = event && event.kind === 'miss' ? 'bad' : '';
    }

    // now: s on the clock of the daemon.
    draw(now) {
      if (!this.changed && Math.abs(now - this.now) < this.span / Math.max(1, this.canvas.clientWidth)) return;
      this.now = Math.max(now, this.events.length ? this.events[this.events.length - 1].t : 0);
      this.changed = false;
      const ratio = Math.min(2, window.devicePixelRatio || 1), w = this.canvas.clientWidth, h = this.canvas.clientHeight;
      if (!w) return;
      this.canvas.width = Math.round(w * ratio);
      this.canvas.height = Math.round(h * ratio);
      const g = this.canvas.getContext('2d');
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      g.font = '11px system-ui, sans-serif';
      g.fillStyle = ali3.color('faint');
      g.fillText('misses and events', 6, 12);
      g.textAlign = 'right';
      g.fillText(`last ${Math.round(this.span)} s`, w - 6, 12);
      g.textAlign = 'left';
      this.free = {}; // by height: where the last text ends
      const longest = Math.max(1, ...this.events.filter((e) => e.kind === 'miss').map((e) => e.cycle_us));
      const seen = this.events.map((e) => ({e, x: this.x(e.t)})).filter(({x}) => x >= -2);
      for (const {e, x} of seen) {
        const high = e.kind === 'miss' ? 8 + 20 * e.cycle_us / longest : 12;
        g.fillStyle = ali3.color(COLORS[e.kind] || COLORS.other);
        g.fillRect(x - 1, h - 4 - high, e === this.chosen ? 4 : 2, high);
      }
      // Texts over all marks.
      g.lineWidth = 3;
      g.lineJoin = 'round';
      g.strokeStyle = ali3.color('panel');
      for (const {e, x} of seen) {
        g.fillStyle = ali3.color(COLORS[e.kind] || COLORS.other);
        if (e.kind === 'state' && e.from !== e.to) this.write(g, e.to, x, h - 6, w);
        else if (e.kind === 'miss' && e.cause) this.write(g, e.cause, x, h - 18, w);
      }
    }

    // Right of the mark, or left of it at the right edge; not over another text, because a click on the mark shows it, too.
    write(g, text, x, y, w) {
      const wide = g.measureText(text).width, at = x + 4 + wide > w - 4 ? x - 5 - wide : x + 4;
      if (at < (this.free[y] || 0)) return;
      this.free[y] = at + wide + 4;
      g.strokeText(text, at, y);
      g.fillText(text, at, y);
    }
  }

  ali3.Timeline = Timeline;
})();
