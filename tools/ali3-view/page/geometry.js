// SPDX-License-Identifier: MIT
// Small algebra of poses, without three.js: Euler parameters are e0 e1 e2 e3, body to world.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  // p + R(e) a
  function place(pose, a) {
    const [e0, e1, e2, e3] = pose.orientation, p = pose.position;
    const cx = e2 * a[2] - e3 * a[1] + e0 * a[0], cy = e3 * a[0] - e1 * a[2] + e0 * a[1], cz = e1 * a[1] - e2 * a[0] + e0 * a[2];
    return [p[0] + a[0] + 2 * (e2 * cz - e3 * cy), p[1] + a[1] + 2 * (e3 * cx - e1 * cz), p[2] + a[2] + 2 * (e1 * cy - e2 * cx)];
  }

  function turn(pose, a) {
    return place({position: [0, 0, 0], orientation: pose.orientation}, a);
  }

  const GROUND = {position: [0, 0, 0], orientation: [1, 0, 0, 0]};

  function mixOrientation(a, b, s) {
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const sign = dot < 0 ? -1 : 1;
    dot = Math.min(1, Math.abs(dot));
    let ka = 1 - s, kb = s;
    if (dot < 0.9999) {
      const angle = Math.acos(dot), k = 1 / Math.sin(angle);
      ka = Math.sin((1 - s) * angle) * k;
      kb = Math.sin(s * angle) * k;
    }
    const out = a.map((x, i) => ka * x + sign * kb * b[i]), n = Math.hypot(...out) || 1;
    return out.map((x) => x / n);
  }

  // Position linear, orientation along the great circle.
  function mixPose(a, b, s) {
    return {position: a.position.map((x, i) => x + s * (b.position[i] - x)), orientation: mixOrientation(a.orientation, b.orientation, s)};
  }

  // R = Rz(yaw) Ry(pitch) Rx(roll) a
  function turnByAngles(roll, pitch, yaw, a) {
    const cr = Math.cos(roll), sr = Math.sin(roll), cp = Math.cos(pitch), sp = Math.sin(pitch), cy = Math.cos(yaw), sy = Math.sin(yaw);
    const y = cr * a[1] - sr * a[2], z = sr * a[1] + cr * a[2], x = cp * a[0] + sp * z;
    return [cy * x - sy * y, sy * x + cy * y, -sp * a[0] + cp * z];
  }

  Object.assign(ali3, {place, turn, GROUND, mixPose, turnByAngles});
})();
