// SPDX-License-Identifier: MIT
// Commands, and the table of inputs with their sliders. Without a token there are only the table and the e-stop.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const AGAIN = 150; // ms; the server sends an input on for 300 ms
  const JOG_AGAIN = 50; // ms; the daemon stops a jog after platform.jog.timeout, 0.3 s by default
  const PARTS = ['surge', 'sway', 'heave', 'roll', 'pitch', 'yaw', 'leg1', 'leg2', 'leg3', 'leg4', 'leg5', 'leg6'];

  function cell(row, text, name) {
    const td = document.createElement(name || 'td');
    td.textContent = text;
    row.append(td);
    return td;
  }

  // The token of the address. It leaves the address bar, and lasts as long as the tab.
  function token() {
    const found = /(?:^#|&)token=([^&]+)/.exec(location.hash);
    try {
      if (found) sessionStorage.setItem('ali3-token', decodeURIComponent(found[1]));
      if (found) history.replaceState(null, '', location.pathname + location.search);
      return sessionStorage.getItem('ali3-token');
    } catch (e) {
      return found ? decodeURIComponent(found[1]) : null;
    }
  }

  class Control {
    constructor(abilities, say) {
      this.token = abilities.control ? token() : null;
      this.say = say;
      this.hand = 1 + crypto.getRandomValues(new Uint32Array(1))[0] % 0x7ffffffe; // of this page, among all that are open
      this.jogged = 0; // number of the last jog; the daemon takes only one that rises
      this.sent = new Map();
      this.rows = new Map();
      this.box = document.getElementById('inputs');
      document.getElementById('commands').hidden = abilities.recorded || !this.token;
      for (const b of document.querySelectorAll('[data-command]')) {
        b.hidden = abilities.recorded || (!this.token && b.dataset.command !== 'estop');
        b.addEventListener('click', () => this.command(b.dataset.command));
      }
      if (this.token) setInterval(() => this.renew(), AGAIN);
      this.listenToJog();
    }

    // A button of the jog counts while a pointer or a key holds it. Whatever takes the hand off ends the jog.
    listenToJog() {
      for (const name of PARTS) document.getElementById('part').append(new Option(name));
      const keys = [' ', 'Enter'], release = () => { this.held = 0; };
      for (const b of document.querySelectorAll('[data-jog]')) {
        const press = () => this.press(Number(b.dataset.jog));
        b.addEventListener('pointerdown', (e) => { if (e.button === 0) press(); });
        // The browser keeps a finger on its button: one that slides off has left it.
        b.addEventListener('pointermove', (e) => { if (!b.contains(document.elementFromPoint(e.clientX, e.clientY))) release(); });
        // A finger that stays for long asks for a menu, a mouse with its other button.
        b.addEventListener('contextmenu', (e) => { e.preventDefault(); if (e.pointerType !== 'touch') release(); });
        b.addEventListener('keydown', (e) => { if (keys.includes(e.key)) { e.preventDefault(); e.stopPropagation(); if (!e.repeat) press(); } });
        for (const name of ['pointerup', 'pointerleave', 'pointercancel', 'keyup', 'blur']) b.addEventListener(name, release);
      }
      window.addEventListener('blur', release);
      document.addEventListener('visibilitychange', release);
    }

    jog(part, speed) {
      return this.post('api/v1/jog', {part, speed, hand: this.hand, number: ++this.jogged});
    }

    // One request at a time: none of them can come after the one that stops the jog. A press begins with a release, which a late
    // request of a page that has died cannot bring.
    async press(direction) {
      this.held = direction;
      if (this.jogs || !this.token) return;
      this.jogs = true;
      const choice = document.getElementById('part'), part = choice.value;
      choice.disabled = true;
      try {
        await this.jog(part, 0);
        while (this.held) {
          const got = await this.jog(part, this.held);
          this.say(`jog ${part}: ${got.text}`, got.code !== 0);
          if (got.code !== 0) break;
          await new Promise((later) => setTimeout(later, JOG_AGAIN));
        }
        await this.jog(part, 0);
      } catch (e) {
        this.say(`jog ${part}: ${e.message}`, true);
      }
      this.held = 0;
      this.jogs = choice.disabled = false;
    }

    async post(path, body) {
      const headers = {'Content-Type': 'application/json'};
      if (this.token) headers.Authorization = `Bearer ${this.token}`;
      const answer = await fetch(`${path}?name=${encodeURIComponent(this.instance)}`, {method: 'POST', headers, body: JSON.stringify(body)});
      const got = await answer.json();
      if (!answer.ok) throw new Error(got.error || answer.statusText);
      return got;
    }

    async command(name) {
      if (!this.token && name !== 'estop') return;
      try {
        const got = await this.post('api/v1/command', {command: name});
        this.say(`${name}: ${got.text}`, got.code !== 0);
      } catch (e) {
        this.say(`${name}: ${e.message}`, true);
      }
    }

    // Inputs that a slider holds go out again and again; a closed tab stops that, and the input becomes stale.
    renew() {
      for (const [name, values] of this.sent)
        this.post('api/v1/input', {name, values}).catch((e) => { this.sent.delete(name); this.say(`${name}: ${e.message}`, true); });
    }

    follow(instance, rig) {
      this.instance = instance;
      this.held = 0;
      document.getElementById('jog').hidden = !this.token || !rig;
      this.sent.clear();
      this.rows.clear();
      this.box.textContent = '';
    }

    // inputs: of /api/v1/status; value(name): the value in use, undefined while no frame has it; channels: [name, unit] of the signals of the inputs.
    show(inputs, value, channels) {
      for (const input of inputs) {
        if (!this.rows.has(input.name)) this.rows.set(input.name, this.table(input, channels));
        const t = this.rows.get(input.name), stale = input.stale || input.state === 'never';
        t.state.textContent = `${input.state}${input.age_ms === null ? '' : `, ${Math.round(input.age_ms)} ms`}` +
          `${input.owner ? `, by ${input.owner}` : ''}${input.clamped ? ', clamped' : ''}${input.rate_limited ? ', slowed' : ''}`;
        t.state.className = input.clamped || input.rate_limited ? 'bad' : stale ? 'warn' : 'faint';
        input.channels.forEach((c, i) => {
          const cells = t.cells[i];
          if (!cells) return;
          const out = c.written !== null && ((c.lower !== null && c.written < c.lower) || (c.upper !== null && c.written > c.upper));
          cells.raw.textContent = c.written === null ? '-' : ali3.number(c.written);
          cells.raw.className = out ? 'bad' : '';
          const acting = value(cells.name); // undefined: a new stream has begun
          if (acting !== undefined) cells.acting.textContent = ali3.number(acting);
          cells.limits.textContent = `${c.lower === null ? '-' : ali3.number(c.lower)} ... ${c.upper === null ? '-' : ali3.number(c.upper)}`;
        });
      }
    }

    table(input, channels) {
      const heading = document.createElement('h2'), state = document.createElement('span'), table = document.createElement('table');
      heading.append(document.createTextNode(`${input.name}  `), state);
      const head = document.createElement('tr');
      for (const word of ['channel', 'raw', 'acting', 'limits']) cell(head, word, 'th');
      if (this.token) cell(head, 'set', 'th');
      table.append(head);
      const own = channels.filter(([name]) => name.startsWith(`input.${input.name}.`)), sliders = [];
      const cells = own.map(([name, unit], i) => {
        const row = document.createElement('tr');
        cell(row, name.slice(`input.${input.name}.`.length) + (unit ? ` (${unit})` : ''));
        const raw = cell(row, ''), acting = cell(row, ''), limits = cell(row, ''), c = input.channels[i];
        if (this.token) sliders.push(this.slider(cell(row, ''), input.name, name, c, () => sliders.map((s) => Number(s.value))));
        table.append(row);
        return {name, raw, acting, limits};
      });
      this.box.append(heading, table);
      return {state, cells};
    }

    slider(parent, input, name, channel, values) {
      const s = document.createElement('input'), low = channel && channel.lower !== null ? channel.lower : -100;
      s.type = 'range';
      s.min = low;
      s.max = channel && channel.upper !== null ? channel.upper : 100;
      s.step = 'any';
      s.value = Math.max(low, Math.min(Number(s.max), channel && channel.written !== null ? channel.written : 0));
      s.dataset.signal = name;
      s.setAttribute('aria-label', name);
      s.addEventListener('input', () => this.sent.set(input, values()));
      // A double click takes the hand off: the input becomes stale.
      s.addEventListener('dblclick', () => this.sent.delete(input));
      parent.append(s);
      return s;
    }
  }

  ali3.Control = Control;
})();
