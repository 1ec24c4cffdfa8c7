// Answering a decision: once, however fast, and never the next one by the second half of a double click.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { DecisionView } from "../../ipc/bindings";
import { DecisionCard } from "./DecisionCard";

const decision = (id: string) =>
  ({
    id,
    run: "r",
    task: "pay",
    kind: "effect",
    question: `Pay ${id}?`,
    options: ["allow", "deny"].map((answer) => ({
      answer,
      label: answer,
      consequence: "",
      isDefault: answer === "deny",
    })),
    form: null,
    about: null,
    provenance: null,
    openedAt: 0,
  }) as unknown as DecisionView;

function shown(id: string, sent: string[]) {
  return (
    <DecisionCard
      key={id}
      decision={decision(id)}
      where={null}
      isFocused={true}
      onAnswer={async (given) => {
        sent.push(`${id} ${given}`);
        await new Promise((done) => setTimeout(done, 5));
        return null;
      }}
    />
  );
}

describe("a decision", () => {
  it("is answered once by a double click, and the one that comes into its place not at all", async () => {
    const sent: string[] = [];
    const { rerender } = render(shown("d1", sent));
    act(() => {
      const button = screen.getByTestId("send-answer");
      button.click();
      button.click();
    });
    await waitFor(() => expect(sent).toEqual(['d1 "deny"']));
    rerender(shown("d2", sent));
    fireEvent.click(screen.getByTestId("send-answer"));
    fireEvent.keyDown(window, { key: "Enter", ctrlKey: true });
    await new Promise((done) => setTimeout(done, 450));
    expect(sent).toHaveLength(1);
    fireEvent.click(screen.getByTestId("send-answer"));
    await waitFor(() => expect(sent).toEqual(['d1 "deny"', 'd2 "deny"']));
  });
});
