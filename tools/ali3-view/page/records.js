// SPDX-License-Identifier: MIT
// The records of a stream: wire.h of ali3-view has their layout.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const KIND = {STILL: 0, HEAD: 1, FRAME: 2, LOOP: 3, EVENT: 4, GONE: 5, DENSE: 6};
  const HEADER = 8, LONGEST = 64 << 20;
  const text = new TextDecoder();

  // 64-bit integers as numbers: cycles and nanoseconds stay below 2^53 for a hundred days.
  function u64(view, at) {
    return view.getUint32(at, true) + view.getUint32(at + 4, true) * 4294967296;
  }

  function decode(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), kind = bytes[4];
    const json = () => JSON.parse(text.decode(bytes.subarray(HEADER)));
    switch (kind) {
    case KIND.HEAD: return {kind: 'head', head: json()};
    case KIND.EVENT: return {kind: 'event', event: json()};
    case KIND.GONE: return {kind: 'gone', reason: json().reason};
    case KIND.FRAME: {
      const count = view.getUint32(44, true), values = new Float32Array(count);
      for (let i = 0; i < count; i++) values[i] = view.getFloat32(48 + 4 * i, true);
      return {kind: 'frame', cycle: u64(view, 8), time: view.getFloat64(16, true), t: u64(view, 24) * 1e-9,
              state: view.getUint32(32, true), flags: view.getUint32(36, true), fault: view.getUint32(40, true), values};
    }
    case KIND.LOOP:
      return {kind: 'loop', wakeup: view.getUint32(8, true), step: view.getUint32(12, true), cycle: view.getUint32(16, true),
              cycles: view.getUint32(20, true), misses: u64(view, 24)};
    case KIND.DENSE: {
      const cycles = view.getUint32(8, true), count = view.getUint32(12, true), step = 24 + 4 * (count + count % 2);
      const [cycle, time, clock] = [1, 2, 3].map(() => new Float64Array(cycles)), values = [];
      for (let c = 0; c < count; c++) values.push(new Float32Array(cycles));
      for (let i = 0; i < cycles; i++) {
        const at = 16 + i * step;
        cycle[i] = u64(view, at);
        time[i] = view.getFloat64(at + 8, true);
        clock[i] = u64(view, at + 16) * 1e-9;
        for (let c = 0; c < count; c++) values[c][i] = view.getFloat32(at + 24 + 4 * c, true);
      }
      return {kind: 'dense', cycle, time, clock, values};
    }
    default: return {kind: 'still'};
    }
  }

  // Collects pieces of a stream and hands out its whole records.
  class Records {
    constructor() { this.rest = new Uint8Array(0); }

    // The records that are whole with this piece. An error: the bytes are no stream.
    take(piece) {
      const all = this.rest.length ? new Uint8Array(this.rest.length + piece.length) : piece, out = [];
      if (this.rest.length) { all.set(this.rest); all.set(piece, this.rest.length); }
      let at = 0;
      while (all.length - at >= HEADER) {
        const size = new DataView(all.buffer, all.byteOffset + at, 4).getUint32(0, true);
        if (size < HEADER || size > LONGEST) throw new Error('the stream of the server has a record of ' + size + ' bytes');
        if (size > all.length - at) break;
        out.push(decode(all.subarray(at, at + size)));
        at += size;
      }
      this.rest = all.slice(at);
      return out;
    }
  }

  ali3.Records = Records;
})();
