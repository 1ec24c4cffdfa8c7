// Which two runs are compared: each in a list to choose another one from, and in a sentence what became of them.
import { ArrowLeftRight, PanelLeft, RefreshCw } from "lucide-react";
import { IconButton } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { type Option, Select } from "../../components/controls/Select";
import { RunIcon } from "../../components/marks/marks";
import { useNow } from "../../components/marks/time";
import type { CompareView, FamilyView, RunRow } from "../../ipc/bindings";
import { go } from "../../state/route";
import { t } from "../../text";
import { readBoth, useCompare } from "./store";
import { nameOf, shortId, summaryOf } from "./words";

type Props = { view: CompareView; isPanelOpen: boolean; onPanel: () => void; onSwap: () => void };

export function Head({ view, isPanelOpen, onPanel, onSwap }: Props) {
  const now = useNow(60_000);
  const family = useCompare((s) => s.family);
  const [a, b] = [view.a.row, view.b.row];
  return (
    <div className="compare-head" data-region="runs">
      <IconButton
        label={isPanelOpen ? t.compare.hidePanel : t.compare.showPanel}
        hint={printKeys("ctrl+b")}
        icon={<PanelLeft size={16} strokeWidth={1.75} />}
        onClick={onPanel}
        data-testid="compare-panel"
      />
      <span className="compare-badge a" aria-hidden="true">
        A
      </span>
      <Chooser
        label={t.compare.a}
        row={a}
        family={family}
        now={now}
        onChoose={(run) => go({ screen: "compare", a: run, b: b.run })}
        testId="compare-a"
      />
      <IconButton
        label={t.compare.swap}
        hint={printKeys("x")}
        icon={<ArrowLeftRight size={15} strokeWidth={1.75} />}
        onClick={onSwap}
        data-testid="compare-swap"
      />
      <span className="compare-badge b" aria-hidden="true">
        B
      </span>
      <Chooser
        label={t.compare.b}
        row={b}
        family={family}
        now={now}
        onChoose={(run) => go({ screen: "compare", a: a.run, b: run })}
        testId="compare-b"
      />
      <p className="compare-summary sm t2" role="status" title={summaryOf(view)} data-testid="compare-summary">
        {summaryOf(view)}
      </p>
      {isOver(a) && isOver(b) ? null : (
        <IconButton
          label={t.compare.refresh}
          icon={<RefreshCw size={15} strokeWidth={1.75} />}
          onClick={() => void readBoth(a.run, b.run)}
          data-testid="compare-refresh"
        />
      )}
    </div>
  );
}

function isOver(row: RunRow): boolean {
  return row.status === "SUCCEEDED" || row.status === "FAILED" || row.status === "CANCELLED";
}

type ChooserProps = {
  label: string;
  row: RunRow;
  family: FamilyView | null;
  now: number;
  onChoose: (run: string) => void;
  testId: string;
};

const MOST = 200;

function Chooser({ label, row, family, now, onChoose, testId }: ChooserProps) {
  const option = (row: RunRow): Option => ({
    value: row.run,
    label: nameOf(row, now),
    note: shortId(row.run),
    icon: <RunIcon status={row.status} />,
  });
  const rows = family?.rows.map((one) => one.row).slice(0, MOST) ?? [];
  const options = (rows.some((one) => one.run === row.run) ? rows : [row, ...rows]).map(option);
  return <Select label={label} value={row.run} options={options} onChange={onChoose} testId={testId} />;
}
