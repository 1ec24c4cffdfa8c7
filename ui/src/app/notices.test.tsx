// A notice whose button belongs to a screen goes with it; plain ones stay their time.
import { act, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { notify, useNotices } from "../state/notices";
import { go } from "../state/route";
import { Notices } from "./Notices";

it("a notice with an act ends with the screen that it is for", () => {
  useNotices.setState({ notices: [] });
  render(<Notices />);
  act(() => {
    notify("Copied 2 tasks");
    notify("Deleted 1 task", { action: { label: "Undo", act: () => undefined } });
  });
  expect(screen.getAllByTestId("notice-plain")).toHaveLength(2);
  act(() => go({ screen: "runs" }));
  expect(screen.queryByText("Deleted 1 task")).toBeNull();
  expect(screen.getByText("Copied 2 tasks")).toBeTruthy();
});
