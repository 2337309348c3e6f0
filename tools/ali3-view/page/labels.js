// SPDX-License-Identifier: MIT
// Names of bodies and joints beside their points. No name lies on another one: a name without a free place does not show.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const GAP = 6, RINGS = 3, LINE = 13;
  const SIDES = [[1, -1], [1, 0], [1, 1], [-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1]];

  // All places around a point, near ones first: [factor of the width, x, y], from the point to the left top corner.
  const PLACES = [];
  for (let ring = 0; ring < RINGS; ring++) for (const [x, y] of SIDES) PLACES.push([x, y, GAP + ring * LINE]);

  class Labels {
    // box: the element over the picture.
    constructor(box) {
      this.box = box;
      this.clear();
    }

    clear() {
      this.box.textContent = '';
      this.list = null;
    }

    // names: [[text, kind, point(poses)]]
    make(names) {
      this.list = names.map(([text, kind, at]) => {
        const span = document.createElement('span');
        span.textContent = text;
        span.className = kind;
        this.box.append(span);
        return {span, at, place: 0};
      });
      for (const l of this.list) [l.w, l.h] = [l.span.offsetWidth, l.span.offsetHeight];
    }

    // project(point): its pixel, or null. A name keeps its place as long as it is free and no place of a nearer ring is.
    place(project, poses) {
      const taken = [], width = this.box.clientWidth, height = this.box.clientHeight;
      for (const l of this.list) {
        const p = project(l.at(poses));
        const at = (k) => {
          const [x, y, gap] = PLACES[k];
          return {x: p[0] + x * gap - 0.5 * (1 - x) * l.w, y: p[1] + y * gap - 0.5 * (1 - y) * l.h, w: l.w, h: l.h};
        };
        const free = (r) => r.x >= 0 && r.y >= 0 && r.x + r.w <= width && r.y + r.h <= height &&
          taken.every((o) => r.x >= o.x + o.w || o.x >= r.x + r.w || r.y >= o.y + o.h || o.y >= r.y + r.h);
        const nearer = [...PLACES.keys()].slice(0, l.place - l.place % SIDES.length);
        const k = p ? [...nearer, l.place, ...PLACES.keys()].find((n) => free(at(n))) : undefined;
        l.span.hidden = k === undefined;
        if (k === undefined) continue;
        const r = at(k);
        l.place = k;
        l.span.style.transform = `translate(${Math.round(r.x)}px, ${Math.round(r.y)}px)`;
        taken.push(r);
      }
    }
  }

  ali3.Labels = Labels;
})();
