// Steps of methods, one after the other: buttons, a slider and keys move through them. The steps stand in the page as JSON;
// a line is [a, b, c], and its positive side is where a x + b y + c > 0, in the units of the drawing.
{
  const told = JSON.parse(document.getElementById("steps").textContent);
  const [left, top, right, bottom] = told.frame;
  const corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
  const controls = document.querySelector(".controls");
  const [back, play, next] = ["back", "play", "next"].map(name => controls.querySelector("." + name));
  const slider = controls.querySelector("input"), pace = controls.querySelector("select"), where = controls.querySelector("output");
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const panels = [...document.querySelectorAll(".panel")].map((own, k) => ({
    run: told.runs[k],
    words: own.querySelector(".words"), when: own.querySelector(".when"),
    sides: ["p", "n"].map(side => own.querySelector(".side." + side)),
    plane: own.querySelector(".plane"), was: own.querySelector(".was"),
    arrow: own.querySelector(".arrow"), ring: own.querySelector(".ring"), away: own.querySelector(".away"),
    now: document.getElementById("now" + k),
    line: told.runs[k].steps[0].line,
  }));
  const last = Math.max(...panels.map(panel => panel.run.steps.length)) - 1;
  let at = 0, timer = 0, frame = 0;

  const value = ([a, b, c], [x, y]) => a * x + b * y + c;
  const path = points => points.length ? "M" + points.map(point => point.map(v => v.toFixed(1)).join(" ")).join("L") : "";

  // What of the frame is on the positive side of a line, and where the line cuts its border.
  function split(line) {
    const side = [], cut = [];
    corners.forEach((corner, k) => {
      const other = corners[(k + 1) % 4], here = value(line, corner), there = value(line, other);
      if (here >= 0) side.push(corner);
      if ((here >= 0) === (there >= 0)) return;
      const share = here / (here - there);
      const point = corner.map((v, i) => v + share * (other[i] - v));
      side.push(point);
      cut.push(point);
    });
    return [side, cut];
  }

  function foot(line, point) {
    const off = value(line, point);
    return [point[0] - off * line[0], point[1] - off * line[1]];
  }

  function drawLine(panel, line) {
    const [side, cut] = split(line), [other] = split(line.map(v => -v));
    // A vector of zeros has no side.
    const none = line.every(v => v === 0);
    panel.sides[0].setAttribute("d", none ? "" : path(side));
    panel.sides[1].setAttribute("d", none ? "" : path(other));
    panel.plane.setAttribute("d", path(cut));
    panel.away.textContent = cut.length ? "" :
      line[0] === 0 && line[1] === 0 ? "no line: its weights are 0" : "the line is outside of the picture";
    panel.line = line;
  }

  function drawStep(panel, animated) {
    const { steps } = panel.run, k = Math.min(at, steps.length - 1);
    const step = steps[k], before = steps[Math.max(k - 1, 0)].line;
    panel.words.textContent = step.words;
    panel.words.dataset.kind = step.kind;
    panel.when.textContent = step.when;
    panel.plane.classList.toggle("together", step.kind === "together");
    const changed = step.kind !== "start" && step.kind !== "end" && step.kind !== "separated";
    panel.was.setAttribute("d", changed ? path(split(before)[1]) : "");
    panel.ring.setAttribute("class", "ring " + step.kind);
    panel.ring.style.display = step.at ? "" : "none";
    panel.arrow.style.display = "none";
    if (step.at) {
      panel.ring.setAttribute("cx", step.at[0]);
      panel.ring.setAttribute("cy", step.at[1]);
      const [from, to] = [foot(before, step.at), foot(step.line, step.at)];
      const flat = [before, step.line].some(([a, b]) => a === 0 && b === 0);
      const seen = to[0] >= left && to[0] <= right && to[1] >= top && to[1] <= bottom;
      if (seen && !flat && Math.hypot(to[0] - from[0], to[1] - from[1]) > 4) {
        panel.arrow.style.display = "";
        panel.arrow.setAttribute("d", path([from, to]));
      }
    }
    if (panel.now && panel.run.places.length) {
      const place = panel.run.places[Math.min(Math.max(step.epoch, 1), panel.run.places.length) - 1];
      panel.now.setAttribute("cx", place[0]);
      panel.now.setAttribute("cy", place[1]);
    }
    if (!animated) drawLine(panel, step.line);
    return [panel, panel.line, step.line];
  }

  function show(step, moving) {
    at = Math.min(Math.max(step, 0), last);
    cancelAnimationFrame(frame);
    const lasts = Math.min(500, 0.6 * pace.value);
    const animated = moving && !still.matches && lasts >= 40;
    const moves = panels.map(panel => drawStep(panel, animated));
    slider.value = at;
    where.textContent = `step ${at} of ${last}`;
    slider.setAttribute("aria-valuetext", `${where.textContent}: ${panels.map(panel => panel.words.textContent).join("; ")}`);
    back.disabled = at === 0;
    next.disabled = at === last;
    if (!animated) return;
    const began = performance.now();
    const turn = time => {
      const share = Math.min(Math.max((time - began) / lasts, 0), 1), ease = share * share * (3 - 2 * share);
      for (const [panel, from, to] of moves) {
        drawLine(panel, share < 1 ? from.map((v, i) => v + ease * (to[i] - v)) : to);
      }
      if (share < 1) frame = requestAnimationFrame(turn);
    };
    frame = requestAnimationFrame(turn);
  }

  function pause() {
    clearTimeout(timer);
    timer = 0;
    play.setAttribute("aria-label", "play");
    play.firstElementChild.className = "to-play";
    // What is read aloud would lag behind while it plays.
    panels.forEach(panel => panel.words.setAttribute("aria-live", "polite"));
  }

  function go() {
    if (at === last) show(0, false);
    play.setAttribute("aria-label", "pause");
    play.firstElementChild.className = "to-pause";
    panels.forEach(panel => panel.words.setAttribute("aria-live", "off"));
    const on = () => {
      show(at + 1, true);
      if (at === last) pause(); else timer = setTimeout(on, pace.value);
    };
    timer = setTimeout(on, Math.min(300, pace.value));
  }

  const toggle = () => timer ? pause() : go();
  const jump = step => { pause(); show(step, Math.abs(step - at) === 1); };
  play.addEventListener("click", toggle);
  back.addEventListener("click", () => jump(at - 1));
  next.addEventListener("click", () => jump(at + 1));
  slider.addEventListener("input", () => { pause(); show(Number(slider.value), false); });
  document.addEventListener("keydown", event => {
    const { target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || target.matches("select, summary, a")) return;
    if (event.key === " ") {
      // A button that has the focus is pressed by it anyway.
      if (target.matches("button")) return;
      event.preventDefault();
      toggle();
      return;
    }
    const step = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    jump(step);
  });
  slider.max = last;
  controls.hidden = false;
  show(0, false);
}
