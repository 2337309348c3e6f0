// SPDX-License-Identifier: MIT
// The camera: turns about a point with mouse, finger or arrow keys. Knows the up direction of the model.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const TURN = 0.008, KEY_TURN = 0.1, ZOOM = 1.0015;

  class Orbit {
    constructor(canvas, camera) {
      this.canvas = canvas;
      this.camera = camera;
      this.pointers = new Map();
      this.set([0, 0, 0], 1, [0, 0, 1]);
      canvas.addEventListener('pointerdown', (e) => { canvas.setPointerCapture(e.pointerId); this.pointers.set(e.pointerId, e); });
      canvas.addEventListener('pointermove', (e) => this.move(e));
      for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, (e) => this.pointers.delete(e.pointerId));
      canvas.addEventListener('wheel', (e) => { e.preventDefault(); this.zoom(Math.pow(ZOOM, e.deltaY)); }, {passive: false});
      canvas.addEventListener('contextmenu', (e) => e.preventDefault());
      canvas.addEventListener('keydown', (e) => this.key(e));
      canvas.style.touchAction = 'none';
    }

    // Looks at `centre` from the side, slightly from above, so that a sphere of this radius fills the picture.
    set(centre, radius, up) {
      this.home = {centre, radius, up};
      this.up = new THREE.Vector3(...up).normalize();
      // Two directions across `up`: along x where that is across it.
      const x = Math.abs(this.up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 0, 1);
      this.side = x.clone().addScaledVector(this.up, -x.dot(this.up)).normalize();
      this.back = new THREE.Vector3().crossVectors(this.side, this.up).normalize();
      this.centre = new THREE.Vector3(...centre);
      this.radius = radius;
      this.azimuth = 0.45;
      this.height = 0.32;
      this.fit();
    }

    fit() {
      const half = this.camera.fov * Math.PI / 360, across = Math.atan(Math.tan(half) * this.camera.aspect);
      this.centre.set(...this.home.centre);
      this.touched = false;
      this.distance = this.home.radius / Math.sin(Math.min(half, across));
      this.update();
    }

    // Another home, seen from the same side.
    settle(centre, radius) {
      this.home = {centre, radius, up: this.home.up};
      this.fit();
    }

    shift(d) {
      this.centre.x += d[0];
      this.centre.y += d[1];
      this.centre.z += d[2];
      this.update();
    }

    update() {
      const c = Math.cos(this.height), eye = this.centre.clone();
      eye.addScaledVector(this.side, this.distance * c * Math.sin(this.azimuth));
      eye.addScaledVector(this.back, this.distance * c * Math.cos(this.azimuth));
      eye.addScaledVector(this.up, this.distance * Math.sin(this.height));
      this.camera.up.copy(this.up);
      this.camera.position.copy(eye);
      this.camera.near = Math.max(1e-4, 0.01 * this.distance);
      this.camera.far = 10 * this.distance + 50 * this.home.radius;
      this.camera.lookAt(this.centre);
      this.camera.updateProjectionMatrix();
      this.camera.updateMatrixWorld();
      this.changed = true;
    }

    zoom(factor) {
      this.touched = true;
      this.distance = Math.min(1e4 * this.home.radius, Math.max(0.02 * this.home.radius, this.distance * factor));
      this.update();
    }

    turn(right, up) {
      this.touched = true;
      this.azimuth -= right;
      this.height = Math.max(-1.55, Math.min(1.55, this.height + up));
      this.update();
    }

    pan(right, up) {
      this.touched = true;
      const m = this.camera.matrixWorld.elements, k = this.distance * 2 * Math.tan(this.camera.fov * Math.PI / 360) / this.canvas.clientHeight;
      this.centre.addScaledVector(new THREE.Vector3(m[0], m[1], m[2]), -right * k);
      this.centre.addScaledVector(new THREE.Vector3(m[4], m[5], m[6]), up * k);
      this.update();
    }

    move(e) {
      const before = this.pointers.get(e.pointerId);
      if (!before) return;
      const dx = e.clientX - before.clientX, dy = e.clientY - before.clientY;
      if (this.pointers.size === 2) {
        const other = [...this.pointers.values()].find((p) => p.pointerId !== e.pointerId);
        const far = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY) || 1;
        this.zoom(far(before) / far(e));
      } else if (e.buttons & 2 || e.shiftKey) {
        this.pan(dx, dy);
      } else {
        this.turn(dx * TURN, dy * TURN);
      }
      this.pointers.set(e.pointerId, e);
    }

    key(e) {
      const act = {ArrowLeft: () => this.turn(-KEY_TURN, 0), ArrowRight: () => this.turn(KEY_TURN, 0), ArrowUp: () => this.turn(0, KEY_TURN),
                   ArrowDown: () => this.turn(0, -KEY_TURN), '+': () => this.zoom(0.9), '-': () => this.zoom(1.1)}[e.key];
      if (!act) return;
      e.preventDefault();
      act();
    }
  }

  ali3.Orbit = Orbit;
})();
