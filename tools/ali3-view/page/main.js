// SPDX-License-Identifier: MIT
// The page: what the source brings goes to picture, plots, time line and inputs.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const STILL = 1.0, PLOT_EVERY = 66, STATUS_EVERY = 1000, TEXT_EVERY = 200;
  const STATES = ['INIT', 'STOPPED', 'READY', 'RUNNING', 'PAUSED', 'FAULT', 'SAFE', 'EXIT'];
  const $ = (id) => document.getElementById(id);
  const clock = () => performance.now() * 1e-3;

  class Page {
    constructor(abilities) {
      this.abilities = abilities;
      this.test = /[?&]test=1/.test(location.search);
      this.times = [];
      this.plots = new ali3.Plots($('plots'), {axis: $('axis'), span: $('span'), hold: $('hold'), cursor: $('cursor'), pick: $('pick')}, (names) => {
        this.wanted = names;
        this.source.dense = names;
        this.source.again();
      });
      this.labels = new ali3.Labels($('labels'));
      this.timeline = new ali3.Timeline($('line'), $('record'));
      this.control = new ali3.Control(abilities, (text, bad) => this.answer(text, bad));
      try {
        this.scene = typeof THREE === 'undefined' ? null : new ali3.Scene($('three'), this.test);
      } catch (e) {
        this.scene = null;
        this.broken = e.message;
      }
      if (!this.scene)
        this.notice(`No 3-D picture: ${this.broken || 'three.js is missing: install the package libjs-three on the machine of ali3-view'}.`);
      this.listen();
    }

    notice(text) {
      $('notice').textContent = text;
      $('notice').hidden = !text;
    }

    answer(text, bad) {
      $('answer').textContent = text;
      $('answer').className = bad ? 'bad' : '';
    }

    // --- what the source brings

    onScene(scene) {
      this.data = scene;
      this.head = null;
      this.motion = null;
      this.lost = '';
      this.loadScene();
      this.timeline.clear();
      this.control.follow(scene.instance, scene.platform);
      this.labels.clear();
      document.title = `${scene.instance || scene.name} - ali3-view`;
      this.plots.clear();
      if (!this.source.frames) this.loadSignals();
    }

    loadScene() {
      if (this.scene) this.scene.load(this.data, (number) => this.source.mesh(number), (text) => this.notice(`${text}.`));
    }

    async loadSignals() {
      try {
        const got = await ali3.json(this.source.query('api/v1/signals'));
        this.signals = got.signals;
        $('signals').textContent = '';
        for (const [name] of got.signals.slice(0, 5000)) {
          const option = document.createElement('option');
          option.value = name;
          $('signals').append(option);
        }
        if (!this.plots.list.length) this.choosePlots();
      } catch (e) {
        this.signals = [];
      }
    }

    // Without a choice: the positions of two joints or of a body, and the energy.
    choosePlots() {
      const names = this.signals.map(([n]) => n), first = (glob) => names.filter((n) => glob.test(n)).slice(0, 2);
      const own = this.wanted || [...first(/^sensor\..*\.position\./), ...first(/^joint\..*\.position$/), ...first(/^body\..*\.position\./), 'energy.total'];
      this.plots.addText(own.slice(0, 3).join(','), this.signals);
    }

    onRecord(r, now) {
      switch (r.kind) {
      case 'head': this.onHead(r.head); break;
      case 'frame': this.onFrame(r, now); break;
      case 'loop': this.loop = r; break;
      case 'event': if (!this.seen.has(r.event.t_ns)) { this.seen.add(r.event.t_ns); this.timeline.add(r.event); } break;
      case 'dense':
        this.plots.push(this.head.dense.map(([name]) => name), r);
        break;
      default: break;
      }
    }

    onHead(head) {
      this.head = head;
      this.lost = '';
      this.motion = new ali3.Motion(head.signals, this.data.bodies.map((b) => b.name));
      if (head.recorded || !this.seen || this.seenOf !== head.instance + head.hash) {
        this.seen = new Set();
        this.timeline.clear();
      }
      this.seenOf = head.instance + head.hash;
      if (head.length_s !== undefined) this.length = head.length_s;
      if (head.period_s) this.plots.period = head.period_s;
      this.plots.offset = head.utc_offset_s === undefined ? null : head.utc_offset_s;
      if (this.source.frames && !this.plots.list.length) this.plots.addText(head.dense.map(([name]) => name).join(','), head.dense);
    }

    onFrame(frame, now) {
      const before = this.motion.newest();
      this.motion.add(frame, now);
      if (!before || before.cycle !== frame.cycle) {
        this.fresh = now;
        this.since = new Date();
      }
      if (this.first === undefined || frame.t < this.first) this.first = frame.t;
      this.fps = this.fps || [];
      this.fps.push(now);
      if (this.fps.length > 100) this.fps.shift();
    }

    onLost(reason) { this.lost = reason; }

    // --- what the user does

    listen() {
      $('fit').addEventListener('click', () => this.scene && this.scene.orbit.fit());
      $('boxes').addEventListener('change', (e) => { if (this.scene) { this.scene.bodies.visible = e.target.checked; this.scene.moved = true; } });
      $('names').addEventListener('change', () => {
        this.labels.clear();
        if (this.scene) this.scene.moved = true;
      });
      $('forces').addEventListener('change', (e) => this.chooseForces(e.target.checked));
      $('csv').addEventListener('click', () => this.plots.saveCsv(this.data.instance || this.data.name));
      $('png').addEventListener('click', () => this.plots.savePng(this.data.instance || this.data.name));
      $('pick').addEventListener('keydown', (e) => {
        if (e.key === 'Escape') this.plots.choose(null);
        if (e.key !== 'Enter') return;
        if (this.plots.addText(e.target.value, this.signals || (this.head && this.head.dense) || [])) e.target.value = '';
        else this.answer(`no further signal matches ${e.target.value}`, true);
      });
      $('instance').addEventListener('change', (e) => { this.wanted = null; this.source.dense = []; this.source.choose(e.target.value); });
      document.addEventListener('keydown', (e) => this.key(e));
      ali3.onScheme(() => { if (this.data) this.loadScene(); this.timeline.changed = true; });
      this.listenPlayer();
    }

    listenPlayer() {
      const moved = () => {
        const at = Number($('seek').value) * (this.length || 0);
        if (this.source.frames) this.source.seek(at);
        else this.play(at);
      };
      $('seek').addEventListener('change', moved);
      $('seek').addEventListener('input', () => { this.dragging = clock(); if (this.source.frames) moved(); });
      $('speed').addEventListener('change', () => { if (this.source.frames) this.source.speed = Number($('speed').value); else this.play(this.position()); });
      $('play').addEventListener('click', () => this.hold(!this.held));
    }

    hold(held) {
      this.heldAt = this.position();
      this.held = held;
      $('play').textContent = held ? 'play' : 'hold';
      if (this.source.frames) this.source.playing = !held;
      else if (held) { this.source.run++; this.source.again(); }
      else this.play(this.heldAt);
    }

    play(at) {
      this.held = false;
      $('play').textContent = 'hold';
      this.first = undefined;
      this.from = at;
      this.source.restart(at, Number($('speed').value));
    }

    // s since the begin of the recording.
    position() {
      if (this.source.frames) return this.source.at;
      if (this.held) return this.heldAt;
      const f = this.motion && this.motion.newest();
      return f && this.first !== undefined ? (this.from || 0) + f.t - this.first : 0;
    }

    key(e) {
      if (e.target.tagName === 'INPUT' || e.target.tagName === 'SELECT' || e.ctrlKey || e.metaKey || e.altKey) return;
      if (e.key === 'f' && this.scene) this.scene.orbit.fit();
      else if (e.key === ' ' && e.target.tagName !== 'BUTTON') {
        e.preventDefault();
        if (this.length !== undefined) this.hold(!this.held);
        else this.control.command(this.state === 'RUNNING' ? 'pause' : 'run');
      } else if (/^[1-9]$/.test(e.key) && this.plots.list[e.key - 1]) {
        this.plots.list[e.key - 1].box.scrollIntoView({block: 'nearest'});
      }
    }

    chooseForces(on) {
      if (!this.scene) return;
      this.scene.arrows.visible = on;
      this.scene.moved = true;
      if (on) this.source.extra.add('joint.*.force.*');
      else this.source.extra.delete('joint.*.force.*');
      this.source.again();
    }

    // --- drawing

    draw(at) {
      const now = clock();
      if (this.source.frames) this.stepPage(now);
      const poses = this.motion && this.data && !this.source.frames && this.motion.poses(now, this.startPoses());
      if (poses && poses !== this.shown && this.scene) {
        this.scene.move(poses);
        const rig = this.motion.rigState();
        if (rig) this.scene.moveRig(rig);
        if (this.scene.arrows.visible) this.showForces();
      }
      if (poses) this.shown = poses;
      if (this.scene && this.scene.draw()) {
        this.times.push(now);
        if (this.times.length > 60) this.times.shift();
        if ($('names').checked) this.placeLabels();
      }
      if (at - (this.plotted || 0) > PLOT_EVERY) {
        this.plotted = at;
        const f = this.motion && this.motion.newest();
        this.plots.draw(this.instant || {});
        this.timeline.draw(f ? f.t : 0);
      }
      if (at - (this.told || 0) > TEXT_EVERY) {
        this.told = at;
        this.tell(now);
      }
    }

    // A run inside the page shows frames by its own clock.
    stepPage(now) {
      if (!this.motion || !this.scene) return;
      const {a, b, s} = this.source.step(), start = this.startPoses();
      this.motion.frames = [s < 0.5 ? a : b];
      const mix = (x, y) => x + s * (y - x);
      this.instant = {clock: mix(a.t, b.t), time: mix(a.time, b.time), cycle: mix(a.cycle, b.cycle)};
      this.fresh = now;
      this.scene.move(start.map((_, k) => ali3.mixPose(this.motion.pose(a, k, start), this.motion.pose(b, k, start), s)));
      const rig = this.motion.rigState();
      if (rig) this.scene.moveRig(rig);
    }

    startPoses() { return this.scene ? this.scene.start : this.data.bodies; }

    showForces() {
      const names = this.data.joints.map((j) => ['x', 'y', 'z'].map((c) => `joint.${j.name}.force.${c}`));
      this.scene.showForces((i) => {
        const f = this.motion.values(names[i]);
        return f && f.every(isFinite) ? f : null;
      });
    }

    placeLabels() {
      if (!this.labels.list)
        this.labels.make([...this.data.bodies.map((b, i) => [b.name, 'body', (poses) => poses[i].position]),
                          ...this.data.joints.map((j) => [j.name, 'joint', (poses) => this.scene.at(poses, j, 0)])]);
      this.labels.place((p) => this.scene.project(p), this.scene.poses);
    }

    // The line of text at the top.
    tell(now) {
      const f = this.motion && this.motion.newest();
      this.state = f ? STATES[f.state] || '?' : '-';
      $('state').textContent = this.state;
      $('state').className = `state ${this.state}`;
      $('time').textContent = f ? `t ${f.time.toFixed(2)} s` : '';
      if (this.loop) {
        $('misses').textContent = `misses ${this.loop.misses}`;
        $('misses').className = this.loop.misses ? 'warn' : '';
      }
      const still = this.fresh === undefined ? this.lost !== '' : now - this.fresh > STILL, end = this.length !== undefined && !this.lost;
      $('still').hidden = !still;
      if (still)
        $('still').textContent = this.lost || (end ? (this.held ? 'on hold' : 'end of the recording') : `stands still: no new cycle since ${this.since ? this.since.toLocaleTimeString() : 'the start'}`);
      if (this.length !== undefined && !(now - this.dragging < 1)) $('seek').value = this.length ? this.position() / this.length : 0;
    }

    rate() {
      const n = this.times.length;
      return n > 1 ? (n - 1) / (this.times[n - 1] - this.times[0]) : 0;
    }

    // --- the state of the daemon, once a second

    async askStatus() {
      try {
        const list = (await ali3.json('api/v1/instances')).instances.map((i) => i.instance);
        const chosen = this.source.instance || (this.data && this.data.instance);
        if (list.join() !== this.list) {
          this.list = list.join();
          $('instance').textContent = '';
          for (const name of list) {
            const option = document.createElement('option');
            option.value = option.textContent = name;
            option.selected = name === chosen;
            $('instance').append(option);
          }
        }
        const s = await ali3.json(this.source.query('api/v1/status'));
        $('load').textContent = s.load && s.load[0] !== null ? `load ${(100 * s.load[0]).toFixed(1)} %` : '';
        const value = (name) => this.motion && this.motion.newest() && this.motion.at.has(name) ? this.motion.values([name])[0] : undefined;
        if (s.inputs && s.inputs.length && this.signals) this.showInputs(s.inputs, value);
      } catch (e) {
        $('load').textContent = '';
      }
    }

    showInputs(inputs, value) {
      const channels = this.signals.filter(([n]) => n.startsWith('input.'));
      if (channels.length && !this.source.extra.has('input.*')) {
        this.source.extra.add('input.*');
        this.source.again();
      }
      this.control.show(inputs, value, channels);
    }
  }

  async function main() {
    const embedded = $('ali3-run');
    const abilities = embedded ? {control: false, recorded: true} : await ali3.json('api/v1/abilities');
    const page = ali3.page = new Page(abilities);
    const on = {scene: (s) => page.onScene(s), record: (r, now) => page.onRecord(r, now), lost: (reason) => page.onLost(reason)};
    $('player').hidden = !abilities.recorded;
    $('instance').hidden = abilities.recorded;
    page.seen = new Set();
    if (embedded) {
      const run = JSON.parse(embedded.textContent);
      page.source = new ali3.PageSource(on, run.records, run.scene, run.meshes || {});
      page.source.extra = new Set();
      page.plots.whole = true;
      $('axis').value = 'time';
      document.querySelector('footer').hidden = true; // a simulated run has no misses and no events
      $('span').value = 'all';
      page.source.again = () => {};
      page.source.begin();
    } else {
      page.source = new ali3.ServerSource(on);
      const name = /[?&]name=([A-Za-z0-9_-]+)/.exec(location.search);
      page.source.instance = name ? name[1] : undefined;
      page.source.restart(abilities.recorded ? 0 : undefined);
      if (!abilities.recorded) {
        page.askStatus();
        setInterval(() => page.askStatus(), STATUS_EVERY);
      }
    }
    const draw = (at) => {
      page.draw(at);
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  }

  main().catch((e) => { $('notice').textContent = e.message; $('notice').hidden = false; });
})();
