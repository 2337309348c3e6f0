// SPDX-License-Identifier: MIT
// Numbers as texts, and the ticks of an axis.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const DIGITS = 5, SMALL = 1e-4, LARGE = 1e6;

  // A number for people: five digits, 10000 and -0.25, 1e-23 and 2.5e6. A dash: there is no value yet.
  function number(x) {
    if (!isFinite(x)) return isNaN(x) ? '-' : String(x);
    const a = Math.abs(x);
    if (a === 0) return '0';
    if (a < SMALL || a >= LARGE) return x.toExponential(DIGITS - 1).replace(/\.?0*e/, 'e').replace('e+', 'e');
    return a >= Math.pow(10, DIGITS - 1) ? String(Math.round(x)) : String(Number(x.toPrecision(DIGITS)));
  }

  // The fewest digits that read back to the same number of 24 bits.
  function exact(x) {
    if (!isFinite(x)) return isNaN(x) ? 'nan' : x > 0 ? 'inf' : '-inf';
    for (let digits = 6; digits < 9; digits++) {
      const text = String(Number(x.toPrecision(digits)));
      if (Math.fround(Number(text)) === Math.fround(x)) return text;
    }
    return String(Number(x.toPrecision(9)));
  }

  // Numbers of one axis: at least two ticks of 1, 2 or 5 times a power of ten, and as many digits as tell them apart.
  function ticks(low, high, wanted) {
    const wide = high - low, list = [];
    if (!(wide > 0) || !isFinite(wide)) return {list, base: 0, step: 0};
    let power = Math.pow(10, Math.ceil(Math.log10(wide))), step = power;
    for (let k = 0; Math.floor(high / step) - Math.ceil(low / step) + 1 < wanted && k < 12; k++) step = power * [0.5, 0.2, 0.1][k % 3] * Math.pow(10, -Math.floor(k / 3));
    // So far from zero that its digits would not fit: ticks count from a base.
    const far = Math.max(Math.abs(low), Math.abs(high)), base = far > 1e5 * step ? Math.round(0.5 * (low + high) / step) * step : 0;
    const decimals = Math.max(0, Math.min(20, -Math.floor(Math.log10(step) + 1e-9)));
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step && list.length < 100; i++) {
      const at = i * step, shown = base ? (i - Math.round(base / step)) * step : at, a = Math.max(Math.abs(shown), step);
      const text = a < SMALL || a >= LARGE ? number(Math.abs(shown) < 1e-9 * step ? 0 : shown) : shown.toFixed(decimals).replace(/^-0(\.0*)?$/, '0');
      list.push({at, text: base && shown > 0 ? `+${text}` : text});
    }
    return {list, base, step};
  }

  Object.assign(ali3, {number, exact, ticks});
})();
