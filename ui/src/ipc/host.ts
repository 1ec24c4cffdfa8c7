// What the window asks of whoever runs the engine. Two implementations: tauri.ts (the real one) and demo.ts (a browser).
import type {
  ApprovalView,
  BackupView,
  BreakpointView,
  Choices,
  ChosenText,
  ChosenView,
  CompareView,
  ConnectVerdict,
  DecisionView,
  DraftView,
  DryRunView,
  Environment,
  EstimateView,
  ExportedView,
  ExportForm,
  ExportTheme,
  FamilyView,
  Folder,
  FoundView,
  FreedView,
  GoalAsked,
  GoingBackView,
  GoneView,
  HomeView,
  KeyKept,
  LastOutput,
  LimitsForm,
  LimitsView,
  MisfitView,
  ModelsView,
  ModelTest,
  MomentView,
  OldRunsView,
  OutputDiff,
  PlanDiff,
  PlanEdit,
  PlanningRest,
  PlanningView,
  ProposalView,
  ReplanPreview,
  ReplansView,
  ReplanView,
  RevisionsView,
  RunNews,
  RunRow,
  RunSize,
  RunsAsked,
  RunsPage,
  ServerForm,
  ServersTaken,
  ServersView,
  StorageView,
  TaskDetail,
  TimelineView,
  ToolView,
  WhatGoes,
  Withheld,
} from "./bindings";

/** A refused request. `code` is stable; the message says what happened, what was kept, what to do next. */
export class Fault extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "Fault";
    this.code = code;
  }
}

/** Anything thrown, as a fault that can be shown. */
export function asFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  return new Fault("unexpected", thrown instanceof Error ? thrown.message : String(thrown));
}

/** What a person set, by name; values are JSON. Unknown names are kept. */
export type Settings = Record<string, unknown>;

export interface Host {
  readonly name: "desktop" | "demo";
  home(): Promise<HomeView>;
  listRuns(): Promise<RunRow[]>;
  listTools(): Promise<ToolView[]>;
  openPlan(path: string): Promise<DraftView>;
  newPlan(): Promise<DraftView>;
  /** Null when the person chose nothing. */
  choosePlanFile(): Promise<string | null>;
  chooseSaveFile(suggestion: string): Promise<string | null>;
  draft(run: string): Promise<DraftView>;
  draftFromRun(run: string): Promise<DraftView>;
  editDraft(run: string, revision: number, edits: PlanEdit[]): Promise<DraftView>;
  undoDraft(run: string): Promise<DraftView>;
  redoDraft(run: string): Promise<DraftView>;
  connectVerdicts(run: string, from: string): Promise<ConnectVerdict[]>;
  /** Answers the path that was written. */
  savePlan(run: string, path: string | null): Promise<string>;
  revisions(run: string): Promise<RevisionsView>;
  /** Null: it has no name any more. */
  nameRevision(run: string, revision: number, name: string | null): Promise<void>;
  /** The plan as it was, to be looked at. */
  draftAt(run: string, revision: number): Promise<DraftView>;
  diff(run: string, from: number, to: number): Promise<PlanDiff>;
  /** One more edit, after which the plan is what it was then. */
  restoreRevision(run: string, revision: number): Promise<DraftView>;
  /** `output` is JSON text; null: the task is executed again. */
  hold(run: string, task: string, output: string | null): Promise<DraftView>;
  /** JSON text; null: nothing is held. */
  heldOutput(run: string, task: string): Promise<string | null>;
  breakAt(run: string, task: string, at: BreakpointView | null): Promise<DraftView>;
  /** Null: no run of this plan has an output of it. */
  lastOutput(run: string, task: string): Promise<LastOutput | null>;
  /** `outputs` is a JSON object as text, id of a task that it reads → its output. Answers the draft's run. */
  tryTask(run: string, task: string, outputs: string): Promise<string>;
  /** Opens the run whose log begins with the goal and answers its id; nothing is asked yet. */
  openGoal(goal: GoalAsked): Promise<string>;
  /** Plans on where the log ends, after a failure too, and answers when that rests. */
  planOn(run: string): Promise<PlanningRest>;
  /** What it got so far is kept; `planOn` goes on with it. */
  leavePlanning(run: string): Promise<void>;
  /** Null where the plan did not begin with a goal. */
  planning(run: string): Promise<PlanningView | null>;
  /** The planner's answer while it grows, until the returned function is called. `goesOn`: it follows on what came before. */
  watchPlanning(
    run: string,
    delta: (text: string, goesOn: boolean) => void,
    view: (view: PlanningView) => void,
  ): Promise<() => void>;
  /** The words of a task's model while they come, as above. */
  watchWords(run: string, task: string, delta: (text: string, goesOn: boolean) => void): Promise<() => void>;
  /** Records what shall be otherwise about the draft; nothing is asked yet. */
  askChange(run: string, wanted: string): Promise<void>;
  /** Asks the planner for it, and answers when that rests. The draft stays as it is. */
  changeOn(run: string): Promise<PlanningRest>;
  stopChange(run: string): Promise<void>;
  /** Null where nothing of a proposal is left. */
  proposal(run: string): Promise<ProposalView | null>;
  /** Takes pieces with all that they need, as one step that can be undone. */
  takePieces(run: string, revision: number, pieces: string[]): Promise<DraftView>;
  /** These, and those that need them, are not wanted; none: nothing of what is left. */
  dropPieces(run: string, pieces: string[]): Promise<void>;
  /** All replans of a run, oldest first. */
  replans(run: string): Promise<ReplansView>;
  /** One of them, with its diff. */
  replan(run: string, attempt: number): Promise<ReplanView>;
  /** What accepting it so would come to; `answer` is JSON text. Nothing is recorded. */
  previewReplan(run: string, decision: string, answer: string): Promise<ReplanPreview>;
  /** What is wrong with an answer to a question, field by field; `answer` is JSON text. Nothing is recorded. */
  checkAnswer(run: string, decision: string, answer: string): Promise<MisfitView[]>;
  /** Paths; none when the person chose nothing. Nothing of them is read. */
  chooseAttachments(folder: boolean): Promise<string[]>;
  /** What the plan may cost and how long it may take, as it is now; null while it has errors. */
  estimate(run: string): Promise<EstimateView | null>;
  /** When each task would run without what is off, without a call. `parameters` is a JSON object as text. */
  dryRun(run: string, parameters: string, off: Withheld[]): Promise<DryRunView>;
  approval(run: string): Promise<ApprovalView>;
  /** What these choices would leave out, and why they can't be signed, if so. */
  weighChoices(run: string, choices: Choices): Promise<ChosenView>;
  /** `parameters` is a JSON object as text. What is switched off is part of what is signed. */
  approve(run: string, digest: string, parameters: string, choices: Choices): Promise<void>;
  resumeRun(run: string): Promise<void>;
  pauseRun(run: string): Promise<void>;
  cancelRun(run: string): Promise<void>;
  inbox(): Promise<DecisionView[]>;
  /** `answer` is JSON text; an option is a JSON string. Records the answer and starts nothing. */
  decide(run: string, decision: string, answer: string): Promise<void>;
  taskDetail(run: string, task: string): Promise<TaskDetail>;
  /** Everything after `since`, then what comes, until the returned function is called. A fault is the last message. */
  watchRun(
    run: string,
    since: number,
    news: (news: RunNews) => void,
    fault: (fault: Fault) => void,
  ): Promise<() => void>;
  /** The whole history of a run. */
  timeline(run: string): Promise<TimelineView>;
  /** The run as it was right after this event. */
  moment(run: string, seq: number): Promise<MomentView>;
  /** The plan as it was then, to be looked at. */
  planAt(run: string, seq: number): Promise<DraftView>;
  /** What going back there would mean; nothing is recorded. */
  rewindPreview(run: string, seq: number): Promise<GoingBackView>;
  forkPreview(run: string, seq: number): Promise<GoingBackView>;
  rerunPreview(run: string, task: string): Promise<GoingBackView>;
  /** Sets aside what came later. `restore`: files get again what they held. The run rests until it is resumed. */
  rewindRun(run: string, seq: number, restore: boolean): Promise<void>;
  /** Answers the id of a new draft that shares the run up to there. */
  forkRun(run: string, seq: number, restore: boolean): Promise<string>;
  /** `again`: what was done outside is done once more. The run rests until it is resumed. */
  rerunFrom(run: string, task: string, again: boolean): Promise<void>;
  /** What differs from run A to run B. */
  compareRuns(a: string, b: string): Promise<CompareView>;
  /** The outputs of one task in both, by lines and values; null: the final answers. */
  compareOutputs(a: string, b: string, task: string | null, ignoreSpaces: boolean): Promise<OutputDiff>;
  /** What a run can be compared with, forks of the same log first. */
  runFamily(run: string): Promise<FamilyView>;
  models(): Promise<ModelsView>;
  /** Looks for servers, keys and settings anew. */
  findModels(): Promise<ModelsView>;
  /** A call or two, which may cost a little. `name` is `provider/model`. */
  testModel(name: string): Promise<ModelTest>;
  keepKey(provider: string, key: string): Promise<KeyKept>;
  forgetKey(provider: string): Promise<ModelsView>;
  /** Best first; none: the usual ones. Kept in the settings. */
  chooseRole(role: string, models: string[]): Promise<ModelsView>;
  servers(): Promise<ServersView>;
  /** Starts it and lists its tools; answers when that is done. */
  checkServer(name: string): Promise<ServersView>;
  /** Keeps it in the settings and starts nothing; one of the same name only with `replace`. */
  addServer(form: ServerForm, replace: boolean): Promise<ServersTaken>;
  /** From another program's settings; without `keep` only what would be taken over. */
  importServers(text: string, file: string, keep: boolean, replace: boolean): Promise<ServersTaken>;
  removeServer(name: string): Promise<ServersView>;
  /** Null when the person chose nothing. */
  chooseServersFile(): Promise<ChosenText | null>;
  /** Null: it is named by its file or goal again. */
  renameRun(run: string, name: string | null): Promise<void>;
  /** The plans or runs that fit, forks behind what they were made from. */
  findRuns(asked: RunsAsked): Promise<RunsPage>;
  /** Places inside of plans and runs that hold the words; where something is `behind`, ask again. */
  search(asked: RunsAsked): Promise<FoundView>;
  /** Answers the tags that there are then. */
  tagRun(run: string, add: string[], remove: string[]): Promise<string[]>;
  /** What single runs take on the disk. */
  runSizes(runs: string[]): Promise<RunSize[]>;
  /** What would go with these runs, and which of them can't go now. */
  whatGoes(runs: string[]): Promise<WhatGoes>;
  /** Those that can't go are told, and stay as they are. */
  deleteRuns(runs: string[]): Promise<GoneView>;
  /** Runs that are over, and drafts where they are wanted, unchanged for so many days. */
  oldRuns(days: number, withDrafts: boolean): Promise<OldRunsView>;
  storage(): Promise<StorageView>;
  /** Null when the person chose nothing. */
  chooseBackupFile(suggestion: string): Promise<string | null>;
  backup(path: string): Promise<BackupView>;
  /** In the system's own file manager. */
  showFolder(folder: Folder): Promise<void>;
  /** Null when the person chose nothing. */
  chooseExportFile(suggestion: string): Promise<string | null>;
  exportRun(
    run: string,
    form: ExportForm,
    theme: ExportTheme,
    withContent: boolean,
    path: string,
  ): Promise<ExportedView>;
  tidyUp(): Promise<FreedView>;
  limits(): Promise<LimitsView>;
  /** What begins from now on keeps to them; null: the usual number. */
  keepLimits(limits: LimitsForm): Promise<LimitsView>;
  keepSync(everything: boolean): Promise<LimitsView>;
  loadSettings(): Promise<Settings>;
  saveSetting(name: string, value: unknown): Promise<void>;
  reportFirstPaint(): Promise<void>;
  environment(): Promise<Environment>;
  /** Starts Planloom anew on another database; false where the person chose none. */
  chooseDatabase(): Promise<boolean>;
  /** Where a newer version has written the database: from then on it is looked at, and nothing of it is changed. */
  lookAtDatabase(): Promise<void>;
  useSafeRenderer(on: boolean): Promise<void>;
  /** A plan file that the person has opened from outside while the window was there. */
  onPlanNamed(named: (path: string) => void): Promise<() => void>;
  /** A notification of the system has been clicked: the run that it was about. */
  onRunNamed(named: (run: string, decision: string | null) => void): Promise<() => void>;
  window: { minimize(): void; toggleMaximize(): void; close(): void };
}

let current: Host | null = null;

/** Chosen once, by the app, before the first paint. */
export function setHost(host: Host): void {
  current = host;
}

export function host(): Host {
  if (!current) throw new Fault("no_host", "The window was started without a host. Start Planloom again.");
  return current;
}
