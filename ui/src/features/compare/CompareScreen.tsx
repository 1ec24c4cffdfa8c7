// Two runs side by side: where they come from, their numbers, their plans, and what differs of their outputs.
import { useEffect, useRef, useState } from "react";
import { Button } from "../../components/controls/controls";
import { printKeys, useKeys } from "../../components/controls/keys";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { Workbench } from "../../components/controls/Workbench";
import type { CompareView } from "../../ipc/bindings";
import { useCommands } from "../../state/commands";
import { usePanel } from "../../state/panels";
import { go } from "../../state/route";
import { t } from "../../text";
import { Changes } from "./Changes";
import { Family } from "./Family";
import { Head } from "./Head";
import { Numbers } from "./Numbers";
import { Output } from "./Output";
import { Plans } from "./Plans";
import { type Drawn, readBoth, step, useCompare } from "./store";

export function CompareScreen({ a, b }: { a: string; b: string }) {
  useEffect(() => void readBoth(a, b), [a, b]);
  const { view, drawn, fault } = useCompare();
  if (fault)
    return (
      <FaultPanel title={t.compare.faultTitle} message={fault.message} onRetry={() => void readBoth(a, b)}>
        <Button onClick={() => go({ screen: "runs" })}>{t.shell.screens.runs}</Button>
      </FaultPanel>
    );
  if (!view || !drawn) return <Skeleton rows={8} />;
  return <Compared view={view} drawn={drawn} />;
}

/** Which of the two halves has the keyboard, and with it the room. */
type Face = "plan" | "output";

function Compared({ view, drawn }: { view: CompareView; drawn: { a: Drawn; b: Drawn } }) {
  const left = usePanel("compare.left");
  const [face, setFace] = useState<Face>("output");
  const halves = { plan: useRef<HTMLElement>(null), output: useRef<HTMLElement>(null) };
  const [a, b] = [view.a.row.run, view.b.row.run];
  const swap = () => go({ screen: "compare", a: b, b: a });
  useKeys(
    {
      "[": () => step(-1),
      "]": () => step(1),
      x: swap,
      "ctrl+b": () => left.toggle(),
      // Over all tasks of the plans at once. From a control, and in the outputs, it goes on to the next control as ever.
      tab: (event) => {
        const isNowhere = event.target instanceof HTMLElement && event.target.matches("body, main");
        const isInPlans = event.target === halves.plan.current;
        if (isNowhere || isInPlans) halves[isInPlans ? "output" : "plan"].current?.focus();
        return isNowhere || isInPlans;
      },
    },
    "compare",
  );
  useCommands(() => [
    { id: "compare-swap", label: t.compare.swap, keys: "x", act: swap },
    { id: "compare-next", label: t.compare.next, keys: "]", act: () => step(1) },
    { id: "compare-refresh", label: t.compare.refresh, act: () => void readBoth(a, b) },
  ]);
  return (
    <div className="compare" data-testid="compare" data-a={a} data-b={b}>
      <Workbench
        left={{
          ...left,
          label: t.compare.familyOf,
          resizeLabel: t.shell.leftPanel,
          node: <Family a={a} b={b} />,
        }}
      >
        <Head view={view} isPanelOpen={left.isOpen} onPanel={left.toggle} onSwap={swap} />
        <Numbers view={view} />
        <div className={`compare-halves ${face}`}>
          <section
            className="compare-plans"
            ref={halves.plan}
            tabIndex={0}
            aria-label={t.compare.plans}
            aria-keyshortcuts={printKeys("tab")}
            data-region="plans"
            data-testid="compare-plans"
            onFocus={() => setFace("plan")}
          >
            <Plans view={view} drawn={drawn} />
          </section>
          <section
            className="compare-outputs"
            ref={halves.output}
            tabIndex={0}
            aria-label={t.compare.output}
            data-region="outputs"
            data-testid="compare-outputs"
            onFocus={() => setFace("output")}
          >
            <Changes view={view} />
            <Output view={view} />
          </section>
        </div>
      </Workbench>
    </div>
  );
}
