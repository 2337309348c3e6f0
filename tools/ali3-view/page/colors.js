// SPDX-License-Identifier: MIT
// Colours of canvases: those of the style sheet, which has a light and a dark scheme.
'use strict';
var ali3 = window.ali3 || (window.ali3 = {});

(function () {
  const wish = window.matchMedia('(prefers-color-scheme: dark)'), known = new Map(), hear = [];

  // A variable of the style sheet, as text: color('ink').
  function color(name) {
    if (!known.has(name)) known.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
    return known.get(name);
  }

  function onScheme(tell) { hear.push(tell); }

  wish.addEventListener('change', () => {
    known.clear();
    for (const tell of hear) tell();
  });

  Object.assign(ali3, {color, onScheme, isDark: () => wish.matches});
})();
