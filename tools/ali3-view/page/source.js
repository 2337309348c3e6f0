// SPDX-License-Identifier: MIT
// Where records come from: the server, live or from a recording, or this page itself.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const RETRY = 1000;

  // GET of a path that gives JSON. An error has the text of the server.
  async function json(path) {
    const answer = await fetch(path, {cache: 'no-store'}), got = await answer.json();
    if (!answer.ok) throw new Error(got.error || (got.reasons && got.reasons[0]) || answer.statusText);
    return got;
  }

  function bytesOf(base64) {
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  class ServerSource {
    // on: {scene(scene), record(record, now), lost(reason)}
    constructor(on) {
      this.on = on;
      this.dense = [];
      this.signals = 'pose,platform,loop,events';
      this.extra = new Set(); // signals of the frames, beside the usual ones
      this.history = 60; // s of the plots that a stream begins with
      this.run = 0;
    }

    choose(instance) { this.instance = instance; this.restart(); }

    query(path, more) {
      const q = new URLSearchParams(more || {});
      if (this.instance) q.set('name', this.instance);
      return `${path}?${q}`;
    }

    // The bytes of a mesh of the scene, as an ArrayBuffer.
    async mesh(number) {
      for (;;) {
        const answer = await fetch(this.query('api/v1/mesh', {shape: number}), {cache: 'no-store'});
        if (answer.ok) return answer.arrayBuffer();
        if (answer.status !== 503) throw new Error((await answer.json()).error);
        await new Promise((done) => setTimeout(done, RETRY)); // the server sends other meshes
      }
    }

    // Begins anew, with the present wishes. seek: s, of a recording.
    restart(seek, speed) {
      const run = ++this.run;
      this.place = {seek, speed};
      if (this.stop) this.stop.abort();
      this.loop(run);
    }

    // Only the stream: the scene is the same.
    again() {
      if (this.stop) this.stop.abort();
    }

    async loop(run) {
      let known = '';
      while (run === this.run) {
        try {
          const scene = await json(this.query('api/v1/scene'));
          if (run !== this.run) return;
          const text = JSON.stringify(scene);
          if (text !== known) this.on.scene(scene);
          known = text;
          await this.stream(run);
        } catch (e) {
          if (run === this.run && e.name !== 'AbortError') this.on.lost(e.message);
        }
        if (!this.hurry) await new Promise((done) => setTimeout(done, RETRY));
        this.hurry = false;
      }
    }

    async stream(run) {
      const more = {signals: [this.signals, ...this.extra].join(','), rate: 30};
      if (this.dense.length) Object.assign(more, {dense: this.dense.join(','), history: this.history});
      if (this.place.seek !== undefined) more.seek = Math.max(0, this.place.seek);
      if (this.place.speed) more.speed = this.place.speed;
      this.stop = new AbortController();
      const stop = this.stop;
      stop.signal.addEventListener('abort', () => { this.hurry = true; });
      const answer = await fetch(this.query('api/v1/stream', more), {signal: stop.signal, cache: 'no-store'});
      if (!answer.ok) throw new Error((await answer.json()).error);
      const reader = answer.body.getReader(), records = new ali3.Records();
      for (;;) {
        const {done, value} = await reader.read();
        if (done || run !== this.run) return;
        const now = performance.now() * 1e-3;
        for (const r of records.take(value)) {
          if (r.kind === 'gone') this.on.lost(r.reason);
          else this.on.record(r, now);
        }
      }
    }
  }

  // A run inside the page: all records at once, then shown by their time.
  class PageSource {
    constructor(on, base64, scene, meshes) {
      this.on = on;
      this.meshes = meshes;
      const all = new ali3.Records().take(bytesOf(base64));
      this.head = all.find((r) => r.kind === 'head');
      this.frames = all.filter((r) => r.kind === 'frame');
      this.rows = all.filter((r) => r.kind === 'dense');
      this.scene = scene;
      this.first = this.frames.length ? this.frames[0].t : 0;
      this.length = this.frames.length ? this.frames[this.frames.length - 1].t - this.first : 0;
      this.at = 0;
      this.speed = 1;
      this.playing = true;
    }

    begin() {
      this.on.scene(this.scene);
      this.on.record({kind: 'head', head: Object.assign({length_s: this.length}, this.head.head)}, 0);
      for (const d of this.rows) this.on.record(d, 0);
      this.last = performance.now() * 1e-3;
    }

    seek(s) { this.at = s; }

    async mesh(number) { return bytesOf(this.meshes[number]).buffer; }

    // The frames on both sides of this instant, and where it lies between them.
    step() {
      const now = performance.now() * 1e-3;
      if (this.playing) this.at += this.speed * (now - this.last);
      this.last = now;
      if (this.at > this.length) this.at = this.playing ? 0 : this.length;
      let low = 0, high = this.frames.length;
      while (high > low + 1) {
        const middle = (low + high) >> 1;
        if (this.frames[middle].t - this.first <= this.at) low = middle;
        else high = middle;
      }
      const a = this.frames[low], b = this.frames[Math.min(low + 1, this.frames.length - 1)];
      return {a, b, s: b.t > a.t ? Math.min(1, Math.max(0, (this.at + this.first - a.t) / (b.t - a.t))) : 0};
    }
  }

  Object.assign(ali3, {ServerSource, PageSource, json});
})();
