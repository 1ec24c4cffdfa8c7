// Plain React Flow with its own nodes, edges, dots and small map: what the canvas is measured beside. It must not know the app.
import { Background, MiniMap, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";

function Flow({ nodes, edges }) {
  const flow = useReactFlow();
  window.bare = flow;
  return h(
    ReactFlow,
    {
      defaultNodes: nodes,
      defaultEdges: edges,
      defaultViewport: { x: 20, y: 20, zoom: 1 },
      minZoom: 0.1,
      onlyRenderVisibleElements: true,
      panOnScroll: true,
      onInit: () =>
        requestAnimationFrame(() => requestAnimationFrame(() => document.body.setAttribute("data-open", ""))),
    },
    h(Background),
    h(MiniMap),
  );
}

function App() {
  const [graph, setGraph] = useState(null);
  window.openGraph = setGraph;
  if (!graph) return null;
  const { tasks, places, width, height } = graph;
  const nodes = tasks.map(({ id, title }) => ({
    id,
    position: places[id],
    data: { label: title },
    width: 216,
    height: 72,
  }));
  const edges = tasks.flatMap(({ id, dependencies }) =>
    dependencies.map((from) => ({ id: `${from}→${id}`, source: from, target: id, type: "smoothstep" })),
  );
  return h("div", { style: { width, height } }, h(ReactFlowProvider, null, h(Flow, { nodes, edges })));
}

createRoot(document.getElementById("root")).render(h(App));
