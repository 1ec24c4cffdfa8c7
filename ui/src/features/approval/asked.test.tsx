// The approval says who is told: each model with its host and its tasks, and who is asked where a task fails.
import { fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import type { ApprovalView } from "../../ipc/bindings";
import { demoHost } from "../../ipc/demo";
import { setHost } from "../../ipc/host";
import { Asked } from "./Asked";

const host = demoHost({ pace: 0.002 });
let approval: ApprovalView;

beforeEach(async () => {
  setHost(host);
  const { run } = await host.openPlan("samples/margin-report");
  const asked = { host: null, tasks: [], standsIn: [], writesAnswer: false };
  approval = {
    ...(await host.approval(run)),
    models: [
      {
        ...asked,
        model: "openai/gpt-6.1-mini",
        host: "api.openai.com",
        tasks: ["a", "b", "c", "d"],
        writesAnswer: true,
      },
      { ...asked, model: "ollama/qwen3:4b", standsIn: ["a"] },
    ],
  };
});

it("names models with their hosts, and lights their tasks", () => {
  const onLight = vi.fn();
  render(<Asked approval={approval} name={(id) => id} onLight={onLight} />);
  const model = screen.getByText("openai/gpt-6.1-mini").closest("li");
  expect(model?.textContent).toContain("at api.openai.com, off this machine");
  fireEvent.pointerEnter(model as Element);
  expect(onLight).toHaveBeenLastCalledWith(new Set(["a", "b", "c", "d"]));
  expect(model?.textContent).toContain("a, b, c and 1 more · the final answer");
  expect(screen.getByText(/^stands in for/).closest("li")?.textContent).toContain("on this machine");
  expect(screen.getByTestId("told-on-failure").textContent).toContain("Private data only by your word");
});

it("is not there where nobody is told", () => {
  const alone = { ...approval, models: [], replanner: null };
  const { container } = render(<Asked approval={alone} name={(id) => id} onLight={() => undefined} />);
  expect(container.textContent).toBe("");
});
