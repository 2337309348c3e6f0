// SPDX-License-Identifier: MIT
// From frames to the poses of an instant. The picture is 50 ms behind the newest frame, and poses between frames are interpolated:
// smooth at 30 frames a second over a network that is not. Frames that repeat stop the motion.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const BEHIND = 0.05, MOST = 60, FORGET = 0.002;

  class Motion {
    // signals: [name, unit] of the values of a frame; names: of the bodies.
    constructor(signals, names) {
      const at = new Map(signals.map(([name], i) => [name, i]));
      this.bodies = names.map((n) => ({position: at.get(`body.${n}.position.x`), orientation: at.get(`body.${n}.orientation.e0`)}));
      const rig = (g) => ['surge', 'sway', 'heave', 'roll', 'pitch', 'yaw'].map((c) => at.get(`platform.pose.${c}`))[g];
      this.rig = at.has('platform.pose.surge') ? [0, 1, 2, 3, 4, 5].map(rig) : null;
      this.at = at;
      this.frames = [];
      this.offset = null;
    }

    // now: s on the clock of the page, when the frame came.
    add(frame, now) {
      const last = this.frames[this.frames.length - 1];
      if (last && (frame.t < last.t || frame.cycle < last.cycle)) this.frames = [];
      this.frames.push(frame);
      if (this.frames.length > MOST) this.frames.shift();
      // The clock of the daemon as seen here: the quickest frame counts, and old ones are slowly forgotten.
      const offset = now - frame.t;
      if (this.offset === null || offset < this.offset || Math.abs(offset - this.offset) > 2) this.offset = offset;
      else this.offset += FORGET * (offset - this.offset);
    }

    newest() { return this.frames[this.frames.length - 1]; }

    pose(frame, i, start) {
      const b = this.bodies[i], v = frame.values;
      if (b.position === undefined || b.orientation === undefined) return start[i];
      return {position: [v[b.position], v[b.position + 1], v[b.position + 2]],
              orientation: [v[b.orientation], v[b.orientation + 1], v[b.orientation + 2], v[b.orientation + 3]]};
    }

    // Poses of all bodies now; `start` where the frames have none. Null without a frame.
    poses(now, start) {
      const n = this.frames.length;
      if (!n) return null;
      const wanted = now - this.offset - BEHIND;
      let i = n - 1;
      while (i > 0 && this.frames[i].t > wanted) i--;
      const a = this.frames[i], b = this.frames[Math.min(i + 1, n - 1)];
      const s = b.t > a.t ? Math.max(0, Math.min(1, (wanted - a.t) / (b.t - a.t))) : 1;
      if (this.shown && this.shown.a === a && this.shown.b === b && this.shown.s === s) return this.shown.poses;
      const poses = this.bodies.map((_, k) => s >= 1 || a === b ? this.pose(b, k, start) : ali3.mixPose(this.pose(a, k, start), this.pose(b, k, start), s));
      this.shown = {a, b, s, poses};
      return poses;
    }

    values(names) {
      const f = this.newest();
      return f ? names.map((n) => this.at.has(n) ? f.values[this.at.get(n)] : NaN) : null;
    }

    rigState() {
      if (!this.rig || !this.frames.length) return null;
      const list = (part) => [1, 2, 3, 4, 5, 6].map((i) => this.leg(part, i));
      return {pose: this.rig.map((i) => this.newest().values[i]), legs: list('legs'), normalised: list('legs_normalised')};
    }

    leg(part, i) {
      const at = this.at.get(`platform.${part}.${i}`);
      return at === undefined ? 0 : this.newest().values[at];
    }
  }

  ali3.Motion = Motion;
})();
