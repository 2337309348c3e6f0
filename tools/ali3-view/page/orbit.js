// SPDX-License-Identifier: MIT
// The camera: turns about a point with mouse, finger or arrow keys. Knows the up direction of the model.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const TURN = 0.008, KEY_TURN = 0.1, ZOOM = 1.0015, FILLED = 0.9, WIDER = 1e-3;

  class Orbit {
    // corners(visit): calls visit(point) for points around everything that the picture has to show.
    constructor(canvas, camera, corners) {
      this.canvas = canvas;
      this.camera = camera;
      this.corners = corners;
      this.pointers = new Map();
      this.home = {radius: 1};
      this.centre = new THREE.Vector3();
      this.distance = 1;
      this.set([0, 0, 1], 1);
      canvas.addEventListener('pointerdown', (e) => { canvas.setPointerCapture(e.pointerId); this.pointers.set(e.pointerId, e); });
      canvas.addEventListener('pointermove', (e) => this.move(e));
      for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, (e) => this.pointers.delete(e.pointerId));
      canvas.addEventListener('wheel', (e) => { e.preventDefault(); this.zoom(Math.pow(ZOOM, e.deltaY)); }, {passive: false});
      canvas.addEventListener('contextmenu', (e) => e.preventDefault());
      canvas.addEventListener('keydown', (e) => this.key(e));
      canvas.style.touchAction = 'none';
    }

    turnUp(up) {
      this.up = new THREE.Vector3(...up).normalize();
      // Two directions across `up`: along x where that is across it.
      const x = Math.abs(this.up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 0, 1);
      this.side = x.clone().addScaledVector(this.up, -x.dot(this.up)).normalize();
      this.back = new THREE.Vector3().crossVectors(this.side, this.up).normalize();
    }

    // Looks from the side, slightly from above. radius: of the mechanism, for a picture without points.
    set(up, radius) {
      this.home = {radius};
      this.turnUp(up);
      this.azimuth = 0.45;
      this.height = 0.32;
      this.seen = this.shifted = null;
      this.fit();
    }

    // From the centre to the eye.
    toEye() {
      const c = Math.cos(this.height);
      return this.side.clone().multiplyScalar(c * Math.sin(this.azimuth)).addScaledVector(this.back, c * Math.cos(this.azimuth))
        .addScaledVector(this.up, Math.sin(this.height));
    }

    // How far everything reaches on the planes of the view, since the camera has looked in this direction. The plane through the eye
    // on each side of the picture must have all points on one side, so four numbers are enough.
    look() {
      const eye = this.toEye(), right = new THREE.Vector3().crossVectors(this.up, eye).normalize(), up = new THREE.Vector3().crossVectors(eye, right);
      const tall = FILLED * Math.tan(this.camera.fov * Math.PI / 360), wide = tall * this.camera.aspect, shift = this.shifted || new THREE.Vector3();
      const key = [this.azimuth, this.height, this.camera.aspect].join();
      if (!this.seen || this.seen.key !== key)
        this.seen = {key, right: -Infinity, left: -Infinity, top: -Infinity, bottom: -Infinity, near: Infinity, far: -Infinity};
      const s = this.seen, q = new THREE.Vector3();
      this.corners((p) => {
        q.subVectors(p, shift);
        const x = q.dot(right), y = q.dot(up), z = -q.dot(eye);
        s.right = Math.max(s.right, x - wide * z);
        s.left = Math.max(s.left, -x - wide * z);
        s.top = Math.max(s.top, y - tall * z);
        s.bottom = Math.max(s.bottom, -y - tall * z);
        s.near = Math.min(s.near, z);
        s.far = Math.max(s.far, z);
      });
      if (s.far === -Infinity) return null;
      const z = Math.min(-(s.right + s.left) / (2 * wide), -(s.top + s.bottom) / (2 * tall));
      const middle = Math.max(0.5 * (s.near + s.far), z + 1e-6);
      const centre = right.multiplyScalar(0.5 * (s.right - s.left)).addScaledVector(up, 0.5 * (s.top - s.bottom)).addScaledVector(eye, -middle).add(shift);
      return {centre, distance: middle - z, radius: (middle - z) * Math.tan(this.camera.fov * Math.PI / 360)};
    }

    // Everything fills the picture, seen from the present side.
    fit() {
      this.touched = false;
      this.take(this.look());
    }

    take(view) {
      if (view) {
        this.centre.copy(view.centre);
        this.distance = view.distance;
        this.home.radius = view.radius;
      }
      this.update();
    }

    // Moves if something has left the picture.
    widen() {
      const view = this.look(), little = WIDER * this.home.radius;
      if (view && (Math.abs(view.distance - this.distance) > little || view.centre.distanceTo(this.centre) > little)) this.take(view);
    }

    // The points and the picture move together.
    shift(d) {
      this.centre.x += d[0];
      this.centre.y += d[1];
      this.centre.z += d[2];
      this.shifted = (this.shifted || new THREE.Vector3()).add(new THREE.Vector3(...d));
      this.update();
    }

    update() {
      const eye = this.centre.clone().addScaledVector(this.toEye(), this.distance);
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
