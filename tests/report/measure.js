// What the browser makes of the page, as JSON in an element named "measured": runs inside a copy of the page.
(() => {
  const rgb = (text) => text.match(/[\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const background = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgb(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const words = [...document.querySelectorAll("h1, h2, p, td, th, caption, figcaption, summary, pre, li")];
  const ratios = words.map((e) => contrast(rgb(getComputedStyle(e).color), background(e)));
  // A wide drawing is there twice: for a wide window, and on its side.
  const shown = (e) => [".broad", ".side"].every((name) => !e.closest(name) || getComputedStyle(e.closest(name)).display !== "none");
  const letters = [...document.querySelectorAll("svg text")].filter(shown);
  for (const e of letters) ratios.push(contrast(rgb(getComputedStyle(e).fill), background(e)));
  const bars = ["before", "after"].map((name) => rgb(getComputedStyle(document.querySelector("svg rect." + name)).fill));
  document.querySelectorAll("details").forEach((e) => { e.open = true; });
  // Letters beyond the edge of their drawing are cut off; those of a box must not leave it.
  const cut = letters.filter((e) => {
    const box = e.getBBox(), view = e.ownerSVGElement.viewBox.baseVal;
    return box.x < -0.5 || box.y < -0.5 || box.x + box.width > view.width + 0.5 || box.y + box.height > view.height + 0.5;
  });
  const inBox = (e) => {  // what leaves the box that it is written in, or is shortened
    const at = e.getBBox(), x = at.x + at.width / 2, y = at.y + at.height / 2;
    const boxes = [...e.ownerSVGElement.querySelectorAll("rect.place, rect.inner, rect.free")].map((box) => box.getBBox());
    const box = boxes.find((b) => b.x <= x && x <= b.x + b.width && b.y <= y && y <= b.y + b.height);
    return !e.textContent.includes("\u2026") && (!box || (box.x - 1 <= at.x && at.x + at.width <= box.x + box.width + 1 &&
      box.y - 1 <= at.y && at.y + at.height <= box.y + box.height + 2));
  };
  const clipped = letters.filter((e) => !inBox(e));
  // What is wider than the page must be in something that scrolls.
  const wide = [...document.querySelectorAll("main *")].filter((e) =>
    e.getBoundingClientRect().right > innerWidth + 0.5 && !e.closest(".scroll, pre"));
  // Tables, commands and drawings that can only be seen by scrolling them sideways.
  const sideways = [...document.querySelectorAll("main pre, main .scroll")].filter((e) => e.scrollWidth > e.clientWidth + 1);
  const result = {
    width: innerWidth, scroll: document.documentElement.scrollWidth, contrast: Math.min(...ratios),
    bars: bars.map((bar) => contrast(bar, background(document.body))), between: Math.abs(bars[0][2] - bars[1][2]),
    sideways: sideways.map((e) => e.textContent.slice(0, 60)),
    cut: cut.map((e) => e.textContent), clipped: clipped.map((e) => e.textContent), wide: wide.map((e) => e.tagName + " " + e.textContent.slice(0, 40)),
    smallest: Math.min(...letters.map((e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)),
    unlabelled: [...document.querySelectorAll("svg:not([aria-label])")].length, drawings: document.querySelectorAll("svg").length,
  };
  const out = document.createElement("pre");
  out.id = "measured";
  out.textContent = JSON.stringify(result);
  document.body.append(out);
})();
