// What is measured on a page with a canvas, as text that runs there: opening, panning, zooming, dragging, editing. It must
// not know which engine runs it. Each body gets its arguments and, last, what to call when it is done.

const TOOLS = `
  const given = [...arguments], done = given.pop();
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  const wait = async (is) => { while (!is()) await frame(); };
  const sleep = (ms) => new Promise((next) => setTimeout(next, ms));
  const pane = () => document.querySelector(".react-flow__pane");
  const middle = () => { const r = pane().getBoundingClientRect(); return { clientX: r.left + r.width / 2, clientY: r.top + r.height / 2 }; };
  const wheel = (more, about) => pane().dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, deltaMode: 0, ...(about ?? middle()), ...more }));
  const key = (key, more) => (document.querySelector(".react-flow") ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  const zoomNow = () => new DOMMatrix(getComputedStyle(document.querySelector(".react-flow__viewport")).transform).a;
  const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
  /** Acts once in each frame; answers frames per second and the 95th percentile of the time between them. */
  const frames = async (ms, act) => {
    await frame(); await frame();
    const gaps = []; let last = performance.now(); const start = last;
    while (last - start < ms) { act((last - start) / ms); await frame(); const now = performance.now(); gaps.push(now - last); last = now; }
    gaps.sort((a, b) => a - b);
    return [Math.round((gaps.length * 10000) / (last - start)) / 10, Math.round(gaps[Math.floor(gaps.length * 0.95)])];
  };
  /** The card nearest the middle: a large plan is not everywhere, and where there is no card nothing is drawn. */
  const nearest = () => {
    const to = middle(), off = ({ clientX, clientY }) => Math.hypot(clientX - to.clientX, clientY - to.clientY);
    const at = [...document.querySelectorAll(".react-flow__node")].map((n) => { const r = n.getBoundingClientRect(); return { clientX: r.left + r.width / 2, clientY: r.top + r.height / 2 }; });
    return at.reduce((best, next) => (best && off(best) <= off(next) ? best : next), null);
  };
  /** With a card in the middle before and after, so that the same is measured at any size. */
  const centre = async () => {
    const card = nearest(), to = middle();
    if (card) wheel({ deltaX: (card.clientX - to.clientX) * 2, deltaY: (card.clientY - to.clientY) * 2 });
    await frame(); await frame();
  };
  const zoomTo = async (wanted) => {
    await centre();
    for (let n = 0; n < 200 && Math.abs(Math.log(zoomNow() / wanted)) > 0.05; n++) { wheel({ ctrlKey: true, deltaY: zoomNow() > wanted ? 12 : -12 }); await frame(); }
    await centre();
    await sleep(400);
  };
  /** Away and back: however many frames it takes, the view ends where it was. */
  const wander = async (ms, far, send) => {
    let sent = 0;
    const to = (wanted) => { send(wanted - sent); sent = wanted; };
    const found = await frames(ms, (at) => to(far * Math.sin(Math.PI * Math.min(1, at))));
    to(0); await frame();
    return found;
  };
  const pan = () => wander(4000, 4000, (by) => wheel({ deltaY: by, deltaX: by / 8 }));
  const zoom = () => wander(2000, 160, (by) => wheel({ ctrlKey: true, deltaY: by }));
  const seen = () => [...document.querySelectorAll(".react-flow__node")].find((n) => { const r = n.getBoundingClientRect(), p = pane().getBoundingClientRect(); return r.left > p.left + 80 && r.top > p.top + 80 && r.right < p.right - 80 && r.bottom < p.bottom - 80; });
  const drag = async () => {
    const node = seen(), r = node.getBoundingClientRect(), from = { clientX: r.left + r.width / 2, clientY: r.top + r.height / 2 };
    const mouse = (type, at, on) => on.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, view: window, button: 0, buttons: 1, ...at }));
    mouse("mousedown", from, node);
    const found = await frames(2000, (at) => mouse("mousemove", { clientX: from.clientX + Math.sin(at * 9) * 60, clientY: from.clientY + at * 40 }, window));
    mouse("mouseup", from, window);
    return found;
  };
  const all = async () => {
    await zoomTo(1);
    const [near, nearP95] = await pan();
    const nodes = document.querySelectorAll("*").length;
    const [zoomed] = await zoom();
    await zoomTo(1);
    const [dragged] = await drag();
    await sleep(300);
    await zoomTo(0.3);
    const [far, farP95] = await pan();
    return { nodes, pan: near, panP95: nearP95, far, farP95, zoom: zoomed, drag: dragged };
  };
`;

export const measureWith = (body) =>
  `${TOOLS} (async () => { ${body} })().then(done, (error) => done({ error: String(error) }));`;

async function asked(drive, body, ...given) {
  const answer = await drive(body, ...given);
  if (answer?.error) throw new Error(answer.error);
  return answer;
}

/** How long the engine takes to tell the whole plan, until the page has read it: every edit is answered by that. */
const ASK = `
  const times = [];
  for (let n = 0; n < 7; n++) {
    const start = performance.now();
    await window.__TAURI_INTERNALS__.invoke("draft", { run: given[0] });
    times.push(performance.now() - start);
    await sleep(100);
  }
  return { engine: Math.round(median(times)) };`;

/** The app's own canvas: a plan from a file in the real window, or pasted in a browser. */
export async function measureOurs(drive, { path = null, text = null }) {
  const run = await asked(
    drive,
    path
      ? `const view = await window.__TAURI_INTERNALS__.invoke("open_plan", { path: given[0] }); return view.run;`
      : `await wait(() => document.querySelector('[data-testid="new-plan"]'));
         document.querySelector('[data-testid="new-plan"]').click();
         await wait(() => document.querySelector('[data-testid="canvas"][data-ready="true"]'));
         const data = new DataTransfer(); data.setData("text/plain", given[0]);
         document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
         await wait(() => document.querySelector(".react-flow__node"));
         const run = location.hash.split("/")[2];
         location.hash = "#/home"; await wait(() => !document.querySelector('[data-testid="canvas"]')); await sleep(500);
         return run;`,
    path ?? text,
  );
  const opened = await asked(
    drive,
    `const start = performance.now();
     location.hash = "#/plan/" + given[0];
     await wait(() => document.querySelector('[data-testid="canvas"][data-ready="true"]') && document.querySelector(".react-flow__node"));
     await frame();
     const open = Math.round(performance.now() - start);
     const most = document.querySelectorAll("*").length;
     const { width, height } = document.querySelector(".react-flow").getBoundingClientRect();
     await sleep(1200);
     return { open, most, width, height };`,
    run,
  );
  const rest = await asked(drive, "return all();");
  const edit = await asked(
    drive,
    `await zoomTo(1);
     const times = [];
     for (let n = 0; n < 12; n++) {
       const card = seen(), r = card.getBoundingClientRect();
       if (n === 0) {
         // What was pasted is chosen, and an edit would be one of all of it.
         key("Escape"); await sleep(200);
         card.querySelector(".card").click(); card.click(); await sleep(400); document.querySelector(".react-flow").focus();
         const many = document.querySelectorAll(".card.selected").length;
         if (many !== 1) throw new Error(many + " tasks are chosen, not one");
       }
       const chosen = document.querySelector(".react-flow__node:has(.card.selected) .node");
       if (!chosen) return { edit: "none chosen" };
       const was = chosen.dataset.status, start = performance.now();
       key("d");
       await wait(() => document.getElementById(chosen.id)?.dataset.status !== was);
       await frame();
       times.push(performance.now() - start);
       await sleep(250);
     }
     return { edit: Math.round(median(times)) };`,
  );
  const told = path === null ? {} : await asked(drive, ASK, run);
  return { ...rest, ...opened, ...edit, ...told, nodes: Math.max(opened.most, rest.nodes) };
}

/** The same graph in plain React Flow, in a box of the same size. */
export async function openBare(drive, tasks, { width, height }) {
  const across = 10;
  const places = Object.fromEntries(
    tasks.map(({ id }, ix) => [id, { x: (ix % across) * 240, y: Math.floor(ix / across) * 104 }]),
  );
  const opened = await asked(
    drive,
    `await wait(() => window.openGraph);
     const start = performance.now();
     window.openGraph(given[0]);
     await wait(() => document.body.hasAttribute("data-open"));
     await frame();
     return { open: Math.round(performance.now() - start) };`,
    { tasks: tasks.map(({ id, title, dependencies }) => ({ id, title, dependencies })), places, width, height },
  );
  const rest = await asked(drive, "return all();");
  const edit = await asked(
    drive,
    `const times = [];
     for (let n = 0; n < 12; n++) {
       const start = performance.now(), id = seen().dataset.id;
       window.bare.updateNodeData(id, { label: "Changed " + n });
       await wait(() => document.querySelector('[data-id="' + id + '"]')?.textContent === "Changed " + n);
       await frame();
       times.push(performance.now() - start);
       await sleep(100);
     }
     return { edit: Math.round(median(times)) };`,
  );
  return { ...rest, ...opened, ...edit };
}
