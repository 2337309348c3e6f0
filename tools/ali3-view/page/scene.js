// SPDX-License-Identifier: MIT
// The mechanism in 3-D. The only file, beside orbit.js, that knows three.js: one instanced mesh for each kind of part and colour.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const LEGS = [0x4a86c5, 0xd98b3a, 0x5aa469, 0xb5668f, 0x7c77b9, 0xc0a32e];
  const TEST_COLORS = [0xff0000, 0x00ff00, 0x0000ff, 0xff00ff, 0x00ffff, 0xffff00, 0x800000, 0x008000, 0x000080, 0x808000, 0x008080,
                       0x800080, 0xff8000, 0x0080ff, 0x80ff00, 0xff0080];
  const SPRING = 0x2d7d46, CONTACT = 0x6b7785, ARROW = 0xc21f2b, RIG = 0x8a94a3, NEAR_LIMIT = 0xc21f2b;
  // On light and on dark paper: joints, lines, and two kinds of lines of the grid.
  const LIGHT = {plate: 0xc4ccd6, steel: 0x3b424c, cable: 0x444444, middle: 0xb9bfc8, grid: 0xdde1e6};
  const DARK = {plate: 0x5b6675, steel: 0x9aa5b1, cable: 0xb0b7bf, middle: 0x4a535e, grid: 0x2f363f};
  const PLAIN = '#8a94a3'; // a mesh that has no colour
  // A solid that stands for the inertia of a body hides no joint.
  const GLASS = {transparent: true, opacity: 0.35, depthWrite: false};
  const EDGE_ANGLE = 30; // degrees between faces, from which on a line shows
  const BELOW = 0.003; // of the size of the picture: the grid lies so far below faces that are in its plane, or the two would flicker
  const DRIVEN = 3; // times the radius of the picture: a mechanism that has moved this far is followed

  // A processor that draws in place of a graphics card has no time for smooth edges and shadows.
  function isSlow() {
    try {
      const g = document.createElement('canvas').getContext('webgl'), info = g.getExtension('WEBGL_debug_renderer_info');
      const name = info ? g.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
      const lose = g.getExtension('WEBGL_lose_context');
      if (lose) lose.loseContext();
      return /swiftshader|llvmpipe|software/i.test(name);
    } catch (e) {
      return false;
    }
  }

  // The matrix of a unit part: from `a`, along z to `b`, with this width.
  function between(a, b, width, out) {
    const d = new THREE.Vector3(b[0] - a[0], b[1] - a[1], b[2] - a[2]), length = Math.max(d.length(), 1e-9);
    const q = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), d.divideScalar(length));
    return out.compose(new THREE.Vector3(...a), q, new THREE.Vector3(width, width, length));
  }

  // A geometry of three.js. Newer versions have dropped "Buffer" from the names.
  function geometry(kind, ...numbers) {
    return new (THREE[`${kind}BufferGeometry`] || THREE[`${kind}Geometry`])(...numbers);
  }

  // Unit parts along z, from 0 to 1, of radius 1.
  function unitRod(sides) {
    return geometry('Cylinder', 1, 1, 1, sides).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  }
  function unitArrow() {
    return geometry('Cone', 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  }
  function unitCoil() {
    const long = 14; // times its radius: the usual shape, in which the wire is round
    class Coil extends THREE.Curve {
      getPoint(s) {
        const r = s < 0.06 || s > 0.94 ? 0.05 : 1, angle = 2 * Math.PI * 7 * s;
        return new THREE.Vector3(r * Math.cos(angle), r * Math.sin(angle), long * s);
      }
    }
    return geometry('Tube', new Coil(), 160, 0.2, 5).scale(1, 1, 1 / long);
  }

  // Along z with its round ends, centred. The ends stay round along the shorter diameter.
  function capsule([x, y, z]) {
    const steps = 8, end = 0.5 * Math.min(x, y, z), straight = 0.5 * z - end, profile = [];
    for (let i = 0; i <= 2 * steps; i++) {
      const angle = 0.5 * Math.PI * (i / steps - 1);
      profile.push(new THREE.Vector2(0.5 * Math.cos(angle), (i <= steps ? -straight : straight) + end * Math.sin(angle)));
      if (i === steps) profile.push(new THREE.Vector2(0.5, straight));
    }
    return geometry('Lathe', profile, 24).rotateX(Math.PI / 2).scale(x, y, 1);
  }

  // A cylinder with the diameter 1 and a hole along z.
  function tube(inner) {
    const r = 0.5 * inner, corner = [[r, -0.5], [0.5, -0.5], [0.5, 0.5], [r, 0.5], [r, -0.5]];
    // Each edge stands twice, so that light falls on it as on an edge.
    const profile = corner.slice(1).reduce((p, to, i) => p.concat([corner[i], to]), []).map(([x, y]) => new THREE.Vector2(x, y));
    const shape = geometry('Lathe', profile, 32);
    shape.computeVertexNormals();
    return shape.rotateX(Math.PI / 2);
  }

  // The bytes of a mesh: a geometry and a colour, or null, for each of its parts. src/picture/mesh/mesh.h describes them.
  function meshParts(bytes) {
    const head = new Uint32Array(bytes, 0, 4), table = new Int32Array(bytes, 16, 2 * head[1]), parts = [];
    let at = 16 + 8 * head[1];
    for (let i = 0; i < head[1]; i++) {
      const count = table[2 * i], shape = new THREE.BufferGeometry();
      shape.setAttribute('position', new THREE.BufferAttribute(new Float32Array(bytes, at, 9 * count), 3));
      shape.computeVertexNormals();
      if (count) parts.push({shape, color: table[2 * i + 1] < 0 ? null : table[2 * i + 1]});
      at += 36 * count;
    }
    return parts;
  }

  // The image of a mesh in a mirror across one of its axes. Its triangles run the other way round, so that they keep their outer side.
  function mirrored(shape, axis) {
    const from = shape.attributes.position.array, to = new Float32Array(from.length), image = new THREE.BufferGeometry();
    for (let i = 0; i < from.length; i += 9)
      for (let k = 0; k < 9; k++) to[i + k] = (k % 3 === axis ? -1 : 1) * from[i + [0, 2, 1][Math.floor(k / 3)] * 3 + k % 3];
    image.setAttribute('position', new THREE.BufferAttribute(to, 3));
    image.computeVertexNormals();
    return image;
  }

  // Parts of one kind and colour. A part has a body and its matrix in the frame of the body, or a function that gives its matrix.
  class Batch {
    constructor(geometry, color, more) {
      this.geometry = geometry.clone(); // three.js keeps the number of instances with the geometry
      this.material = new THREE.MeshLambertMaterial(Object.assign({color}, more));
      this.parts = [];
      this.geometry.computeBoundingBox();
    }
    add(body, local) { this.parts.push({body, local}); }
    follow(write) { this.parts.push({write}); }
    build(parent) {
      if (!this.parts.length) return;
      this.mesh = new THREE.InstancedMesh(this.geometry, this.material, this.parts.length);
      this.mesh.frustumCulled = false;
      this.mesh.castShadow = !this.material.transparent;
      parent.add(this.mesh);
    }
    // Calls visit(point) for the corners of the box around each part, as update() has placed them.
    corners(visit) {
      if (!this.mesh) return;
      const {min, max} = this.geometry.boundingBox, m = new THREE.Matrix4(), p = new THREE.Vector3();
      this.parts.forEach((_, i) => {
        m.fromArray(this.mesh.instanceMatrix.array, 16 * i);
        for (let k = 0; k < 8; k++) {
          p.set(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).applyMatrix4(m);
          visit(this.mesh.parent && this.mesh.parent.isRig ? p.applyMatrix4(this.mesh.parent.matrixWorld) : p);
        }
      });
    }
    update(worlds, poses) {
      if (!this.mesh) return;
      const m = new THREE.Matrix4();
      this.parts.forEach((part, i) => {
        if (part.write) part.write(m, poses);
        else if (part.body < 0) m.copy(part.local);
        else m.multiplyMatrices(worlds[part.body], part.local);
        this.mesh.setMatrixAt(i, m);
      });
      this.mesh.instanceMatrix.needsUpdate = true;
    }
  }

  class Scene {
    constructor(canvas, test) {
      this.canvas = canvas;
      this.test = test;
      this.plain = test || (isSlow() && !/[?&]smooth=1/.test(location.search));
      this.renderer = new THREE.WebGLRenderer({canvas, antialias: !this.plain, preserveDrawingBuffer: test});
      this.renderer.setPixelRatio(this.plain ? 1 : Math.min(2, window.devicePixelRatio || 1));
      this.renderer.shadowMap.enabled = !this.plain;
      this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
      this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
      this.orbit = new ali3.Orbit(canvas, this.camera, (see) => this.corners(see));
      this.world = new THREE.Scene();
      this.pictures = 0;
    }

    // Builds everything from the JSON of /api/v1/scene. mesh(number): a promise of the bytes of a mesh; lost(text): it did not come.
    load(scene, mesh, lost) {
      const arrows = this.arrows ? this.arrows.visible : false, bodies = this.bodies ? this.bodies.visible : true;
      this.look = ali3.isDark() ? DARK : LIGHT;
      this.renderer.setClearColor(new THREE.Color(ali3.color('paper')));
      this.data = scene;
      this.mesh = mesh;
      this.lost = lost;
      this.meshes = new Map();
      this.world = new THREE.Scene();
      this.addLight(scene);
      this.rig = this.ground = null;
      this.bodies = new THREE.Group();
      this.arrows = new THREE.Group();
      this.bodies.visible = bodies;
      this.arrows.visible = arrows;
      this.batches = [];
      this.edges = [];
      this.arrowBatch = null;
      this.start = scene.bodies.map((b) => ({position: b.position, orientation: b.orientation}));
      if (this.test) this.addMarks(scene);
      else this.addParts(scene);
      for (const batch of this.batches) batch.build(batch.parent || this.world);
      this.world.add(this.bodies, this.arrows);
      this.moved = true;
      this.placed = false;
      // The colour scheme has changed: the view stays.
      if (this.aimed === scene) return;
      this.aimed = scene;
      this.poses = this.start;
      this.follows = false;
      this.mean = null;
      this.aim(scene);
    }

    // The sun comes along with what it shines on, so that its shadow has a fine grain.
    addLight(scene) {
      const up = new THREE.Vector3(...scene.up);
      this.world.add(new THREE.HemisphereLight(0xffffff, 0x8a8f99, 0.72));
      this.sun = new THREE.DirectionalLight(0xffffff, 0.55);
      this.sunWay = up.clone().multiplyScalar(2).add(new THREE.Vector3(0.6, 0.9, 0.4));
      this.sun.castShadow = !this.plain;
      this.sun.shadow.mapSize.set(2048, 2048);
      this.sun.shadow.radius = 3;
      this.world.add(this.sun, this.sun.target);
    }

    placeSun() {
      const wide = 2.2 * this.orbit.home.radius, s = this.sun.shadow.camera;
      this.sun.target.position.copy(this.orbit.centre);
      this.sun.position.copy(this.sunWay).normalize().multiplyScalar(2 * wide).add(this.orbit.centre);
      if (this.shone === wide) return;
      this.shone = wide;
      Object.assign(s, {left: -wide, right: wide, top: wide, bottom: -wide, near: 0.01 * wide, far: 5 * wide});
      this.sun.shadow.bias = -0.002;
      s.updateProjectionMatrix();
    }

    // Calls visit(point) for points around everything that the picture has to show.
    corners(visit) {
      if (!this.data) return;
      if (this.test) {
        const {low, high} = this.data, p = new THREE.Vector3(), wider = (i, k) => 0.5 * (low[i] + high[i]) + (k ? 0.8 : -0.8) * Math.max(high[i] - low[i], 0.5 * this.data.size);
        for (let k = 0; k < 8; k++) visit(p.set(wider(0, k & 1), wider(1, k & 2), wider(2, k & 4)));
        return;
      }
      this.place();
      for (const batch of this.batches) if (batch !== this.arrowBatch) batch.corners(visit);
    }

    batch(geometry, color, more, parent) {
      const b = new Batch(geometry, color, more);
      b.parent = parent;
      this.batches.push(b);
      return b;
    }

    // For tests: a disc of one colour at each centre of mass, and nothing else.
    addMarks(scene) {
      this.marks = scene.bodies.map((body, i) => {
        const material = new THREE.MeshBasicMaterial({color: TEST_COLORS[i % TEST_COLORS.length], depthTest: false});
        const mark = new THREE.Mesh(geometry('Sphere', 0.02 * scene.size, 24, 16), material);
        this.world.add(mark);
        return mark;
      });
    }

    addParts(scene) {
      // Many parts have fewer faces each.
      const fine = scene.bodies.length <= 64, ball = (f) => geometry('Sphere', 1, fine ? f : 8, fine ? Math.ceil(0.7 * f) : 6);
      const rod = unitRod(fine ? 12 : 6), box = geometry('Box', 1, 1, 1), m = new THREE.Matrix4();
      // A batch for each kind and colour.
      const made = new Map(), solid = (name, g, more) => (color) => {
        const key = name + color;
        if (!made.has(key)) made.set(key, this.batch(g, color, more, this.bodies));
        return made.get(key);
      };
      const boxes = solid('box', box, GLASS), rods = solid('rod', rod), balls = solid('ball', ball(20), GLASS);
      const discs = solid('disc', geometry('Cylinder', 1, 1, 1, 28).rotateX(Math.PI / 2), GLASS);
      const own = new Map();
      this.fine = fine;
      for (const v of scene.visual || []) own.set(v.body, (own.get(v.body) || []).concat(v));
      for (const v of own.get('ground') || []) this.addVisual(-1, v);
      scene.bodies.forEach((b, i) => {
        if (own.has(b.name)) for (const v of own.get(b.name)) this.addVisual(i, v);
        else if (b.edge) this.addInertia(i, b, {box: boxes, cylinder: discs, sphere: balls});
      });
      for (const r of scene.rods)
        if ((own.get(scene.bodies[r.body].name) || [{rods: true}]).some((v) => v.rods))
          rods(scene.bodies[r.body].color).add(r.body, between(r.from, r.to, scene.thickness, m.clone()));
      this.addJoints(scene, rod, box, ball(14));
      this.addForces(scene, rod);
      this.addGround(scene);
      if (scene.platform) this.addRig(scene, rod);
    }

    // The solid with the inertia of a body. Boxes have edges of 1, discs and balls a radius of 1.
    addInertia(body, b, kinds) {
      const size = {box: [1, 1, 1], cylinder: [0.5, 0.5, 1], sphere: [0.5, 0.5, 0.5]}[b.solid], batch = kinds[b.solid](b.color);
      const matrix = this.solidMatrix(b.axes, b.edge.map((e, i) => e * size[i]));
      batch.add(body, matrix);
      if (b.solid !== 'sphere') this.addEdges(body, batch.geometry, matrix, b.color);
    }

    // Lines along the edges of a shape, in its colour but darker, or lighter on dark paper.
    addEdges(body, shape, local, color) {
      if (!this.fine) return;
      const c = new THREE.Color(color), material = new THREE.LineBasicMaterial({color: ali3.isDark() ? c.lerp(new THREE.Color(0xffffff), 0.35) : c.multiplyScalar(0.45)});
      const lines = new THREE.LineSegments(new THREE.EdgesGeometry(shape, EDGE_ANGLE), material);
      lines.matrixAutoUpdate = false;
      lines.frustumCulled = false;
      this.bodies.add(lines);
      this.edges.push({lines, body, local});
    }

    solidMatrix(a, e) {
      return new THREE.Matrix4().set(a[0] * e[0], a[1] * e[1], a[2] * e[2], 0, a[3] * e[0], a[4] * e[1], a[5] * e[2], 0, a[6] * e[0],
                                     a[7] * e[1], a[8] * e[2], 0, 0, 0, 0, 1);
    }

    // A shape of the file: size in m along the axes of the shape.
    addVisual(body, v) {
      const size = v.size || [0.1, 0.1, 0.1], q = v.orientation || [1, 0, 0, 0], p = v.position || [0, 0, 0];
      const shapes = {box: () => geometry('Box', 1, 1, 1), sphere: () => geometry('Sphere', 0.5, 28, 20), tube: () => tube(v.inner),
                      cylinder: () => geometry('Cylinder', 0.5, 0.5, 1, 32).rotateX(Math.PI / 2), capsule: () => capsule(size),
                      cone: () => geometry('Cylinder', 0, 0.5, 1, 32).rotateX(Math.PI / 2)};
      const place = (x, y, z) => new THREE.Matrix4().compose(
        new THREE.Vector3(...p), new THREE.Quaternion(q[1], q[2], q[3], q[0]), new THREE.Vector3(x, y, z));
      if (v.shape === 'mesh') {
        this.addMesh(body, v, place(v.scale, v.scale, v.scale));
        return;
      }
      const batch = this.batch((shapes[v.shape] || shapes.box)(), v.color, v.shape === 'tube' ? {side: THREE.DoubleSide} : {}, this.bodies);
      const matrix = v.shape === 'capsule' ? place(1, 1, 1) : place(...size);
      batch.add(body, matrix);
      if (v.shape !== 'capsule' && v.shape !== 'sphere') this.addEdges(body, batch.geometry, matrix, v.color);
    }

    // A mesh comes later than the picture. Shapes with one file share its parts.
    async addMesh(body, v, matrix) {
      const scene = this.data, world = this.world, bodies = this.bodies;
      try {
        if (!this.meshes.has(v.mesh)) this.meshes.set(v.mesh, this.mesh(v.mesh).then(meshParts));
        const parts = await this.meshes.get(v.mesh);
        if (this.world !== world) return; // another scene
        for (const {shape: own, color} of parts) {
          const shape = v.mirror === undefined ? own : mirrored(own, v.mirror);
          const batch = this.batch(shape, v.color || (color === null ? PLAIN : color), {side: THREE.DoubleSide}, bodies);
          batch.add(body, matrix);
          batch.build(bodies);
        }
        this.moved = true;
        this.placed = false;
        if (!this.orbit.touched) this.orbit.fit();
      } catch (e) {
        if (this.world !== world) return;
        // Without its mesh the body shows as the box of its inertia.
        const b = scene.bodies[body];
        if (b && b.edge) {
          const batch = this.batch(geometry('Box', 1, 1, 1), b.color, GLASS, bodies);
          batch.add(body, this.solidMatrix(b.axes, b.edge));
          batch.build(bodies);
          this.moved = true;
        }
        this.lost(`No mesh ${v.file}: ${e.message}`);
      }
    }

    addJoints(scene, rod, box, ball) {
      const steel = this.batch(rod, this.look.steel), balls = this.batch(ball, this.look.steel);
      const cubes = this.batch(box, this.look.steel), plates = this.batch(rod, this.look.steel, {transparent: true, opacity: 0.35});
      const bars = this.batch(rod, this.look.cable), t = scene.thickness, at = (p, k) => new THREE.Matrix4().makeScale(k, k, k).setPosition(...p);
      const along = (batch, j, side, half, width) => {
        const p = j.point[side], a = j.axis[side];
        batch.add(j.body[side], between(p.map((x, c) => x - half * a[c]), p.map((x, c) => x + half * a[c]), width, new THREE.Matrix4()));
      };
      const draw = {
        revolute: (j) => along(steel, j, 0, 2.6 * t, 1.6 * t),
        cylindrical: (j) => along(steel, j, 0, 5 * t, 1.4 * t),
        prismatic: (j) => { along(steel, j, 0, 5 * t, 0.7 * t); cubes.add(j.body[1], at(j.point[1], 2.6 * t)); },
        universal: (j) => { along(steel, j, 0, 2.6 * t, 0.8 * t); along(steel, j, 1, 2.6 * t, 0.8 * t); },
        spherical: (j) => balls.add(j.body[0], at(j.point[0], 1.8 * t)),
        fixed: (j) => cubes.add(j.body[0], at(j.point[0], 2.8 * t)),
        point_on_line: (j) => { along(steel, j, 0, 8 * t, 0.4 * t); balls.add(j.body[1], at(j.point[1], 1.4 * t)); },
        planar: (j) => along(plates, j, 0, 0.15 * t, 7 * t),
        point_in_plane: (j) => { along(plates, j, 0, 0.15 * t, 7 * t); balls.add(j.body[1], at(j.point[1], 1.4 * t)); },
        distance: (j) => this.span(bars, j, 0.8 * t),
      };
      for (const j of scene.joints) if (draw[j.type]) draw[j.type](j);
    }

    // A part between two points that move.
    span(batch, element, width) {
      batch.follow((m, poses) => between(this.at(poses, element, 0), this.at(poses, element, 1), width, m));
    }

    at(poses, element, side) {
      const body = element.body[side];
      return body < 0 ? element.point[side] : ali3.place(poses[body], element.point[side]);
    }

    addForces(scene, rod) {
      const t = scene.thickness, coils = this.batch(unitCoil(), SPRING), lines = this.batch(rod, this.look.cable);
      // Glass lies behind a face in its own plane, or the two would flicker: a road in the top of a table.
      const glass = {transparent: true, opacity: 0.3, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4};
      const balls = this.batch(geometry('Sphere', 1, 24, 16), CONTACT, glass), discs = this.batch(rod, CONTACT, glass);
      for (const f of scene.forces) {
        if (f.type === 'spring_damper' || f.type === 'bushing') this.span(coils, f, 2.2 * t);
        else if (f.type === 'cable') this.span(lines, f, 0.35 * t);
        else if (f.type === 'end_stop') this.span(lines, f, 0.2 * t);
        else if (f.type === 'hydraulic_cylinder') this.span(lines, f, 0.9 * t);
        if (f.axle) {
          const side = (k) => f.point[1].map((x, c) => x + k * f.radius[1] * f.axle[c]);
          discs.add(f.body[1], between(side(-0.25), side(0.25), f.radius[1], new THREE.Matrix4()));
        }
        f.radius.forEach((r, side) => {
          if (f.axle) return;
          if (r > 0) balls.add(f.body[side], new THREE.Matrix4().makeScale(r, r, r).setPosition(...f.point[side]));
        });
        if (f.normal && !(f.body[0] < 0)) {
          const p = f.point[0], n = f.normal, h = 0.1 * t;
          discs.add(f.body[0], between(p.map((x, c) => x - h * n[c]), p, 2 * f.radius[1], new THREE.Matrix4()));
        }
      }
    }

    // A grid below everything, or in the plane of contact of the ground.
    addGround(scene) {
      const up = new THREE.Vector3(...scene.up), plane = scene.forces.find((f) => f.normal && f.body[0] < 0);
      const normal = plane ? new THREE.Vector3(...plane.normal) : up;
      const middle = new THREE.Vector3(...scene.low.map((x, i) => 0.5 * (x + scene.high[i])));
      let level = Infinity;
      for (const x of [scene.low[0], scene.high[0]])
        for (const y of [scene.low[1], scene.high[1]])
          for (const z of [scene.low[2], scene.high[2]]) level = Math.min(level, normal.dot(new THREE.Vector3(x, y, z)));
      level = plane ? normal.dot(new THREE.Vector3(...plane.point[0])) - BELOW * scene.size : level - 0.05 * scene.size;
      const step = Math.pow(10, Math.floor(Math.log10(scene.size / 2))), cells = 2 * Math.ceil(1.2 * scene.size / step);
      const grid = new THREE.GridHelper(cells * step, Math.min(60, cells), this.look.middle, this.look.grid);
      grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), normal);
      grid.position.copy(middle).addScaledVector(normal, level - normal.dot(middle));
      this.world.add(grid);
      if (!this.plain) {
        const floor = new THREE.Mesh(geometry('Plane', cells * step, cells * step).rotateX(-Math.PI / 2), new THREE.ShadowMaterial({opacity: ali3.isDark() ? 0.4 : 0.16}));
        floor.receiveShadow = true;
        grid.add(floor);
      }
      this.ground = {grid, step: cells * step / Math.min(60, cells), home: grid.position.clone(), turn: grid.quaternion.clone()};
    }

    // The grid comes along in whole cells, so that its lines stand still under a mechanism that drives.
    moveGround(offset) {
      const g = this.ground, back = g.turn.clone().conjugate(), d = new THREE.Vector3(...offset).applyQuaternion(back);
      d.set(Math.round(d.x / g.step) * g.step, 0, Math.round(d.z / g.step) * g.step);
      g.grid.position.copy(g.home).add(d.applyQuaternion(g.turn));
    }

    // The motion platform stands beside the mechanism, in its own frame.
    addRig(scene, rod) {
      const g = scene.platform, far = (p) => Math.hypot(p[0], p[1]);
      const radius = Math.max(...g.base.map(far), ...g.top.map(far)), width = 0.03 * radius, group = new THREE.Group();
      this.orbit.turnUp(scene.up);
      const side = this.orbit.side.clone();
      const middle = scene.low.map((x, i) => 0.5 * (x + scene.high[i])), reach = 0.5 * scene.size + 1.6 * radius;
      group.position.set(...middle).addScaledVector(side, reach);
      group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...scene.up));
      group.isRig = true;
      const frame = this.batch(rod, RIG, {}, group);
      this.rigTop = g.top.map(() => [0, 0, 0]);
      this.legs = g.base.map((b, i) => {
        const leg = this.batch(rod, LEGS[i], {}, group);
        leg.follow((m) => between(g.crank ? this.tips[i] : b, this.rigTop[i], width, m));
        if (g.crank) leg.follow((m) => between(b, this.tips[i], 1.5 * width, m));
        // The cylinder of a leg ends where its rod is drawn in.
        else frame.follow((m) => between(b, b.map((x, c) => x + 0.8 * g.leg_min / this.rigLength(i) * (this.rigTop[i][c] - x)), 1.7 * width, m));
        return leg;
      });
      this.addRigPlates(g, width, group);
      g.base.forEach((b, i) => {
        frame.follow((m) => between(b, g.base[(i + 1) % 6], 0.6 * width, m));
        frame.follow((m) => between(this.rigTop[i], this.rigTop[(i + 1) % 6], 0.9 * width, m));
      });
      this.world.add(group);
      this.rig = {group, home: group.position.clone()};
      this.moveRig({pose: [0, 0, 0, 0, 0, 0], legs: g.neutral, normalised: [0, 0, 0, 0, 0, 0]});
    }

    rigLength(i) { return Math.hypot(...this.data.platform.base[i].map((x, c) => this.rigTop[i][c] - x)); }

    // The moving plate, and the base.
    addRigPlates(g, width, group) {
      const disc = geometry('Cylinder', 1, 1, 1, 48).rotateX(Math.PI / 2), plates = this.batch(disc, this.look.plate, {}, group);
      const flat = (points, m) => {
        const p = points.map((a) => new THREE.Vector3(...a)), middle = p.reduce((sum, a) => sum.add(a), new THREE.Vector3()).divideScalar(p.length);
        const normal = new THREE.Vector3().crossVectors(p[2].clone().sub(p[0]), p[4].clone().sub(p[0])).normalize(), r = Math.max(...p.map((a) => a.distanceTo(middle)));
        m.compose(middle, new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal), new THREE.Vector3(1.06 * r, 1.06 * r, width));
      };
      plates.follow((m) => flat(this.rigTop, m));
      plates.follow((m) => flat(g.base, m));
    }

    // pose: m and rad about neutral; legs: m or rad; normalised: -1 .. 1 between the limits.
    moveRig(rig) {
      const g = this.data.platform;
      if (!g || !this.legs) return;
      // Before the first order the pose is not known: the rig is drawn at neutral, in grey.
      const known = rig.pose.every(isFinite) && rig.legs.every(isFinite);
      if (!known) rig = {pose: [0, 0, 0, 0, 0, 0], legs: g.neutral, normalised: [0, 0, 0, 0, 0, 0]};
      const [x, y, z, roll, pitch, yaw] = rig.pose;
      this.rigTop = g.top.map((a) => {
        const r = ali3.turnByAngles(roll, pitch, yaw, a);
        return [x + r[0], y + r[1], z + g.height + r[2]];
      });
      this.tips = g.base.map((b, i) => {
        const flat = g.crank_length * Math.cos(rig.legs[i]), h = g.crank_heading[i];
        return [b[0] + flat * Math.cos(h), b[1] + flat * Math.sin(h), b[2] + g.crank_length * Math.sin(rig.legs[i])];
      });
      this.legs.forEach((leg, i) => leg.material.color.setHex(!known ? RIG : Math.abs(rig.normalised[i]) > 0.9 ? NEAR_LIMIT : LEGS[i]));
      this.moved = true;
      this.placed = false;
    }

    // Reactions of joints: force(j) gives N in world axes, or null.
    showForces(force) {
      const largest = Math.max(1e-9, ...this.data.joints.map((j, i) => { const f = force(i); return f ? Math.hypot(...f) : 0; }));
      if (!this.arrowBatch) {
        this.arrowForces = [];
        this.arrowBatch = new Batch(unitArrow(), ARROW);
        this.data.joints.forEach((j, i) => this.arrowBatch.follow((m, poses) => {
          const a = this.at(poses, j, 1), f = this.arrowForces[i] || [0, 0, 0];
          between(a, a.map((x, c) => x + f[c]), this.data.thickness, m);
        }));
        this.arrowBatch.build(this.arrows);
        this.batches.push(this.arrowBatch);
      }
      const scale = 0.3 * this.data.size / largest;
      this.arrowForces = this.data.joints.map((j, i) => { const f = force(i); return f ? f.map((x) => x * scale) : [0, 0, 0]; });
      this.moved = true;
      this.placed = false;
    }

    // The first view: from the usual side, everything in the picture.
    aim(scene) {
      this.width = this.height = 0;
      this.world.updateMatrixWorld(true);
      this.orbit.set(scene.up, 0.5 * scene.size);
      this.firstRadius = this.orbit.home.radius;
      this.resize();
    }

    move(poses) {
      this.poses = poses;
      this.moved = true;
      this.placed = false;
      if (!this.test && poses.length) this.keepInView();
    }

    // What swings out of the picture makes it wider, until somebody turns the camera; what drives away is followed.
    keepInView() {
      const mean = [0, 1, 2].map((c) => this.poses.reduce((sum, p) => sum + p.position[c], 0) / this.poses.length);
      // The rig stands beside the mechanism wherever that is, so the picture follows both from the start.
      if (!this.mean) this.home = this.start.length ? [0, 1, 2].map((c) => this.start.reduce((sum, p) => sum + p.position[c], 0) / this.start.length) : mean;
      const before = this.mean || this.home, offset = mean.map((x, c) => x - this.home[c]);
      const begins = !this.follows && (this.rig || Math.hypot(...offset) > DRIVEN * this.firstRadius);
      if (begins) {
        this.follows = true;
        this.orbit.seen = null; // the way up to here need not stay in the picture
      }
      if (this.follows) {
        if (this.ground) this.moveGround(offset);
        if (this.rig) {
          this.rig.group.position.copy(this.rig.home).add(new THREE.Vector3(...offset));
          this.rig.group.updateMatrixWorld(true);
        }
        this.orbit.shift(mean.map((x, c) => x - before[c]));
      }
      this.mean = mean;
      if (begins && !this.rig && !this.orbit.touched) this.orbit.fit();
      else if (!this.orbit.touched) this.orbit.widen();
    }

    resize() {
      const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
      if (!w || !h || (w === this.width && h === this.height)) return;
      this.width = w;
      this.height = h;
      this.renderer.setSize(w, h, false);
      this.camera.aspect = w / h;
      if (this.orbit.touched) this.orbit.update();
      else this.orbit.fit();
    }

    // Places all parts by the poses.
    place() {
      if (this.placed) return;
      this.placed = true;
      const one = new THREE.Vector3(1, 1, 1), at = new THREE.Vector3(), turn = new THREE.Quaternion();
      const worlds = this.worlds = this.worlds && this.worlds.length === this.poses.length ? this.worlds : this.poses.map(() => new THREE.Matrix4());
      this.poses.forEach((p, i) => {
        const [e0, e1, e2, e3] = p.orientation;
        worlds[i].compose(at.set(p.position[0], p.position[1], p.position[2]), turn.set(e1, e2, e3, e0), one);
      });
      for (const batch of this.batches) batch.update(worlds, this.poses);
      for (const {lines, body, local} of this.edges) {
        if (body < 0) lines.matrix.copy(local);
        else lines.matrix.multiplyMatrices(worlds[body], local);
        lines.matrixWorldNeedsUpdate = true;
      }
      if (this.marks) this.marks.forEach((mark, i) => mark.position.set(...this.poses[i].position));
    }

    // Draws, if anything has changed. True: it has drawn.
    draw() {
      this.resize();
      if (!this.data || (!this.moved && !this.orbit.changed)) return false;
      if (this.moved) this.place();
      this.placed = false;
      this.placeSun();
      this.renderer.render(this.world, this.camera);
      this.moved = this.orbit.changed = false;
      this.pictures++;
      return true;
    }

    // Pixels of a point of the world, from the left and the top of the canvas; null behind the camera.
    project(p) {
      const v = new THREE.Vector3(...p).project(this.camera);
      return v.z < 1 ? [0.5 * (v.x + 1) * this.width, 0.5 * (1 - v.y) * this.height] : null;
    }
  }

  ali3.Scene = Scene;
})();
