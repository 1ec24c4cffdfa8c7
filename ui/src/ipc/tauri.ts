// The real host: the shell's commands over Tauri. Beside the generated bindings the only file that knows @tauri-apps.
import { Channel } from "@tauri-apps/api/core";
import { getCurrentWindow } from "@tauri-apps/api/window";
import { type AnswerDelta, commands, events, type PlanningMessage, type WatchMessage } from "./bindings";
import { asFault, Fault, type Host, type Settings } from "./host";

type Answer<T> = { status: "ok"; data: T } | { status: "error"; error: { code: string; message: string } };

async function ask<T>(answer: Promise<Answer<T>>): Promise<T> {
  const result = await answer.catch((thrown: unknown) => {
    throw asFault(thrown);
  });
  if (result.status === "error") throw new Fault(result.error.code, result.error.message);
  return result.data;
}

async function tell(answer: Promise<Answer<unknown>>): Promise<void> {
  await ask(answer);
}

async function watchRun(
  run: string,
  since: number,
  news: Parameters<Host["watchRun"]>[2],
  fault: Parameters<Host["watchRun"]>[3],
): Promise<() => void> {
  const channel = new Channel<WatchMessage>();
  channel.onmessage = (message) => {
    if (message.news) news(message.news);
    else if (message.fault) fault(new Fault(message.fault.code, message.fault.message));
  };
  const id = await ask(commands.watchRun(run, since, channel));
  return () => void ask(commands.unwatch(id)).catch(() => undefined);
}

async function watchPlanning(
  run: string,
  delta: Parameters<Host["watchPlanning"]>[1],
  view: Parameters<Host["watchPlanning"]>[2],
): Promise<() => void> {
  const channel = new Channel<PlanningMessage>();
  channel.onmessage = (message) => {
    if (message.delta) delta(message.delta.text, message.delta.goesOn);
    else if (message.view) view(message.view);
  };
  const id = await ask(commands.watchPlanning(run, channel));
  return () => void ask(commands.unwatch(id)).catch(() => undefined);
}

async function watchWords(run: string, task: string, delta: Parameters<Host["watchWords"]>[2]): Promise<() => void> {
  const channel = new Channel<AnswerDelta>();
  channel.onmessage = ({ text, goesOn }) => delta(text, goesOn);
  const id = await ask(commands.watchWords(run, task, channel));
  return () => void ask(commands.unwatch(id)).catch(() => undefined);
}

/** What is kept, and how much goes on at once. */
const keeping = {
  renameRun: (run, name) => tell(commands.renameRun(run, name)),
  findRuns: (asked) => ask(commands.findRuns(asked)),
  search: (asked) => ask(commands.search(asked)),
  tagRun: (run, add, remove) => ask(commands.tagRun(run, add, remove)),
  runSizes: (runs) => ask(commands.runSizes(runs)),
  whatGoes: (runs) => ask(commands.whatGoes(runs)),
  deleteRuns: (runs) => ask(commands.deleteRuns(runs)),
  oldRuns: (days, withDrafts) => ask(commands.oldRuns(days, withDrafts)),
  storage: () => ask(commands.storage()),
  chooseBackupFile: (suggestion) => ask(commands.chooseBackupFile(suggestion)),
  backup: (path) => ask(commands.backup(path)),
  showFolder: (folder) => tell(commands.showFolder(folder)),
  chooseExportFile: (suggestion) => ask(commands.chooseExportFile(suggestion)),
  exportRun: (run, form, theme, withContent, path) => ask(commands.exportRun(run, form, theme, withContent, path)),
  tidyUp: () => ask(commands.tidyUp()),
  limits: () => ask(commands.limits()),
  keepLimits: (limits) => ask(commands.keepLimits(limits)),
  keepSync: (everything) => ask(commands.keepSync(everything)),
} satisfies Partial<Host>;

/** New plans that a replanner has proposed, and what an answer would come to. */
const replanning = {
  replans: (run) => ask(commands.replans(run)),
  replan: (run, attempt) => ask(commands.replan(run, attempt)),
  previewReplan: (run, decision, answer) => ask(commands.previewReplan(run, decision, answer)),
  checkAnswer: (run, decision, answer) => ask(commands.checkAnswer(run, decision, answer)),
} satisfies Partial<Host>;

/** Looking back on a run, and going on from there. */
const reviewing = {
  timeline: (run) => ask(commands.timeline(run)),
  moment: (run, seq) => ask(commands.moment(run, seq)),
  planAt: (run, seq) => ask(commands.planAt(run, seq)),
  rewindPreview: (run, seq) => ask(commands.rewindPreview(run, seq)),
  forkPreview: (run, seq) => ask(commands.forkPreview(run, seq)),
  rerunPreview: (run, task) => ask(commands.rerunPreview(run, task)),
  rewindRun: (run, seq, restore) => tell(commands.rewindRun(run, seq, restore)),
  forkRun: (run, seq, restore) => ask(commands.forkRun(run, seq, restore)),
  rerunFrom: (run, task, again) => tell(commands.rerunFrom(run, task, again)),
  compareRuns: (a, b) => ask(commands.compareRuns(a, b)),
  compareOutputs: (a, b, task, ignoreSpaces) => ask(commands.compareOutputs(a, b, task, ignoreSpaces)),
  runFamily: (run) => ask(commands.runFamily(run)),
} satisfies Partial<Host>;

export function tauriHost(): Host {
  const frame = getCurrentWindow();
  return {
    name: "desktop",
    home: () => ask(commands.home()),
    listRuns: () => ask(commands.listRuns()),
    listTools: () => ask(commands.listTools()),
    openPlan: (path) => ask(commands.openPlan(path)),
    newPlan: () => ask(commands.newPlan()),
    choosePlanFile: () => ask(commands.choosePlanFile()),
    chooseSaveFile: (suggestion) => ask(commands.chooseSaveFile(suggestion)),
    draft: (run) => ask(commands.draft(run)),
    draftFromRun: (run) => ask(commands.draftFromRun(run)),
    editDraft: (run, revision, edits) => ask(commands.editDraft(run, revision, edits)),
    undoDraft: (run) => ask(commands.undoDraft(run)),
    redoDraft: (run) => ask(commands.redoDraft(run)),
    connectVerdicts: (run, from) => ask(commands.connectVerdicts(run, from)),
    savePlan: (run, path) => ask(commands.savePlan(run, path)),
    revisions: (run) => ask(commands.revisions(run)),
    nameRevision: (run, revision, name) => tell(commands.nameRevision(run, revision, name)),
    draftAt: (run, revision) => ask(commands.draftAt(run, revision)),
    diff: (run, from, to) => ask(commands.diff(run, from, to)),
    restoreRevision: (run, revision) => ask(commands.restoreRevision(run, revision)),
    hold: (run, task, output) => ask(commands.hold(run, task, output)),
    heldOutput: (run, task) => ask(commands.heldOutput(run, task)),
    breakAt: (run, task, at) => ask(commands.breakAt(run, task, at)),
    lastOutput: (run, task) => ask(commands.lastOutput(run, task)),
    tryTask: (run, task, outputs) => ask(commands.tryTask(run, task, outputs)),
    openGoal: (goal) => ask(commands.openGoal(goal)),
    planOn: (run) => ask(commands.planOn(run)),
    leavePlanning: (run) => tell(commands.leavePlanning(run)),
    planning: (run) => ask(commands.planning(run)),
    watchPlanning,
    watchWords,
    askChange: (run, wanted) => tell(commands.askChange(run, wanted)),
    changeOn: (run) => ask(commands.changeOn(run)),
    stopChange: (run) => tell(commands.stopChange(run)),
    proposal: (run) => ask(commands.proposal(run)),
    takePieces: (run, revision, pieces) => ask(commands.takePieces(run, revision, pieces)),
    dropPieces: (run, pieces) => tell(commands.dropPieces(run, pieces)),
    chooseAttachments: (folder) => ask(commands.chooseAttachments(folder)),
    estimate: (run) => ask(commands.estimate(run)),
    dryRun: (run, parameters, off) => ask(commands.dryRun(run, parameters, off)),
    approval: (run) => ask(commands.approval(run)),
    weighChoices: (run, choices) => ask(commands.weighChoices(run, choices)),
    approve: (run, digest, parameters, choices) => tell(commands.approve(run, digest, parameters, choices)),
    resumeRun: (run) => tell(commands.resumeRun(run)),
    pauseRun: (run) => tell(commands.pauseRun(run)),
    cancelRun: (run) => tell(commands.cancelRun(run)),
    inbox: () => ask(commands.inbox()),
    decide: (run, decision, answer) => tell(commands.decide(run, decision, answer)),
    taskDetail: (run, task) => ask(commands.taskDetail(run, task)),
    watchRun,
    ...replanning,
    ...reviewing,
    models: () => ask(commands.models()),
    findModels: () => ask(commands.findModels()),
    testModel: (name) => ask(commands.testModel(name)),
    keepKey: (provider, key) => ask(commands.keepKey(provider, key)),
    forgetKey: (provider) => ask(commands.forgetKey(provider)),
    chooseRole: (role, models) => ask(commands.chooseRole(role, models)),
    servers: () => ask(commands.servers()),
    checkServer: (name) => ask(commands.checkServer(name)),
    addServer: (form, replace) => ask(commands.addServer(form, replace)),
    importServers: (text, file, keep, replace) => ask(commands.importServers(text, file, keep, replace)),
    removeServer: (name) => ask(commands.removeServer(name)),
    chooseServersFile: () => ask(commands.chooseServersFile()),
    ...keeping,
    loadSettings: async () => JSON.parse(await ask(commands.loadSettings())) as Settings,
    saveSetting: (name, value) => tell(commands.saveSetting(name, JSON.stringify(value))),
    reportFirstPaint: () => tell(commands.reportFirstPaint()),
    environment: () => ask(commands.environment()),
    chooseDatabase: () => ask(commands.chooseDatabase()),
    lookAtDatabase: () => tell(commands.lookAtDatabase()),
    useSafeRenderer: (on) => tell(commands.useSafeRenderer(on)),
    onPlanNamed: (named) => events.planNamed.listen(({ payload }) => named(payload.path)),
    onRunNamed: (named) => events.runNamed.listen(({ payload }) => named(payload.run, payload.decision)),
    window: {
      minimize: () => void frame.minimize(),
      toggleMaximize: () => void frame.toggleMaximize(),
      close: () => void frame.close(),
    },
  };
}

export function isDesktop(): boolean {
  return "__TAURI_INTERNALS__" in window;
}
