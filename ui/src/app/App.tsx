// The window: title bar, rail, the screen of the route, status bar, notices. It joins the features; they know not each other.
import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import { useEffect, useRef, useState } from "react";
import { lookAt, useKeymap } from "../components/controls/keymap";
import { styleNonce } from "../components/nonce";
import { ApprovalScreen } from "../features/approval/ApprovalScreen";
import { ComparePicker } from "../features/compare/ComparePicker";
import { CompareScreen } from "../features/compare/CompareScreen";
import { HomeScreen } from "../features/home/HomeScreen";
import { PlansScreen, RunsScreen } from "../features/home/ListScreens";
import { InboxScreen } from "../features/inbox/InboxScreen";
import { type Joined, PlanScreen } from "../features/plan/PlanScreen";
import { PlanningGate } from "../features/planning/PlanningGate";
import { ProposalDock } from "../features/proposal/ProposalDock";
import { ProposalSide } from "../features/proposal/ProposalSide";
import { ReplanScreen } from "../features/replan/ReplanScreen";
import { type Joined as Looked, ReviewScreen } from "../features/review/ReviewScreen";
import { RunScreen } from "../features/run/RunScreen";
import { Inputs, Output } from "../features/run/TaskTabs";
import { Trace } from "../features/run/Trace";
import { SettingsScreen } from "../features/settings/SettingsScreen";
import { keepFresh } from "../state/lists";
import { type Route, useRoute } from "../state/route";
import { followSystem, useSettings } from "../state/settings";
import { Announcer } from "./Announcer";
import { Boundary } from "./Boundary";
import { CommandPalette } from "./CommandPalette";
import { DeleteDialog } from "./DeleteDialog";
import { ExportDialog } from "./ExportDialog";
import { KeySheet } from "./KeySheet";
import { Notices } from "./Notices";
import { Rail } from "./Rail";
import { StatusBar } from "./StatusBar";
import { TitleBar } from "./TitleBar";
import { useAppKeys } from "./useAppKeys";
import { useFocusKept } from "./useFocusKept";

export function App() {
  const route = useRoute((s) => s.route);
  const language = useSettings((s) => s.language);
  const [overlay, setOverlay] = useState<"find" | "keys" | null>(null);
  useEffect(followSystem, []);
  useEffect(keepFresh, []);
  useAppKeys(setOverlay);
  const main = useRef<HTMLElement>(null);
  useFocusKept(main, JSON.stringify(route));
  // What is printed on the buttons below follows from the screen and from the person's keys.
  useKeymap();
  lookAt(route.screen);
  return (
    <CSPProvider nonce={styleNonce}>
      <Tooltip.Provider delay={500}>
        <div className="window" key={language}>
          <TitleBar route={route} onFind={() => setOverlay("find")} />
          <Rail route={route} />
          <main className="main" ref={main} tabIndex={-1} data-region="main" data-testid={`screen-${route.screen}`}>
            <Boundary key={JSON.stringify(route)}>
              <Screen route={route} />
            </Boundary>
          </main>
          <StatusBar route={route} />
          <Notices />
          <Announcer />
          <DeleteDialog />
          <ComparePicker />
          <ExportDialog />
          <CommandPalette
            open={overlay === "find"}
            onClose={() => setOverlay(null)}
            onKeys={() => setOverlay("keys")}
          />
          <KeySheet open={overlay === "keys"} onClose={() => setOverlay(null)} />
        </div>
      </Tooltip.Provider>
    </CSPProvider>
  );
}

/** The change that the planner is asked for, in the editor. */
const JOINED: Joined = {
  side: (run, inspector) => <ProposalSide run={run}>{inspector}</ProposalSide>,
  over: (view) => <ProposalDock run={view.run} revision={view.revision} isEditable={view.isDraft} />,
};

/** What a task did, told as in a run that goes. */
const LOOKED: Looked = {
  trace: (run, task, detail) => <Trace run={run} task={task} detail={detail} />,
  inputs: (detail) => <Inputs detail={detail} />,
  output: (detail) => <Output detail={detail} />,
};

function Screen({ route }: { route: Route }) {
  switch (route.screen) {
    case "home":
      return <HomeScreen />;
    case "plans":
      return <PlansScreen />;
    case "runs":
      return <RunsScreen />;
    case "waiting":
      return <InboxScreen wanted={route.decision ?? null} />;
    case "settings":
      return <SettingsScreen />;
    case "plan":
      return (
        <PlanningGate run={route.run}>
          <PlanScreen run={route.run} joined={JOINED} />
        </PlanningGate>
      );
    case "approve":
      return <ApprovalScreen run={route.run} />;
    case "run":
      return <RunScreen run={route.run} />;
    case "replan":
      return <ReplanScreen run={route.run} attempt={route.attempt ?? null} />;
    case "review":
      return <ReviewScreen run={route.run} joined={LOOKED} />;
    case "compare":
      return <CompareScreen a={route.a} b={route.b} />;
  }
}
