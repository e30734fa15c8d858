"use strict";
// What a point is: under the mouse, or, with Tab and the arrow keys, without one.
const tip = document.getElementById("tip");
function show(point) {
  tip.textContent = point.getAttribute("aria-label");
  tip.hidden = false;
  const place = point.getBoundingClientRect(), own = tip.getBoundingClientRect();
  const left = Math.min(Math.max(place.left + 14, 4), window.innerWidth - own.width - 4);
  const below = place.bottom + 10 + own.height > window.innerHeight;
  tip.style.left = left + "px";
  tip.style.top = (below ? place.top - own.height - 10 : place.bottom + 10) + "px";
}
function hide() { tip.hidden = true; }
for (const group of document.querySelectorAll(".points")) {
  const points = [...group.querySelectorAll(".dot")];
  const order = [...points].sort((a, b) => a.getAttribute("cx") - b.getAttribute("cx"));
  let current = order[0];
  if (current) current.setAttribute("tabindex", "0");
  function choose(point) {
    current.setAttribute("tabindex", "-1");
    point.setAttribute("tabindex", "0");
    point.focus();
    current = point;
  }
  // On the figure: a part of a drawing that listens for focus is a stop of its own for Tab.
  const figure = group.closest("figure");
  group.addEventListener("mouseover", event => { if (event.target.matches(".dot")) show(event.target); });
  group.addEventListener("mouseout", hide);
  figure.addEventListener("focusin", event => {
    if (!event.target.matches(".dot")) return;
    current = event.target;
    show(current);
  });
  figure.addEventListener("focusout", hide);
  group.addEventListener("click", event => { if (event.target.matches(".dot")) choose(event.target); });
  figure.addEventListener("keydown", event => {
    const at = order.indexOf(current), last = order.length - 1;
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last }[event.key];
    if (event.key === "Escape") hide();
    if (next === undefined) return;
    event.preventDefault();
    choose(order[Math.min(Math.max(next, 0), last)]);
  });
}
