// Small marks that say what kind a task is and in what state: icon, tile, tag. They know no screen.
import type { LucideIcon } from "lucide-react";
import {
  Ban,
  Bot,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleQuestionMark,
  CodeXml,
  Database,
  Eye,
  FilePen,
  Globe,
  Hand,
  Layers,
  LoaderCircle,
  MessageSquareText,
  OctagonX,
  Pause,
  Plug,
  RotateCw,
  Scissors,
  Send,
  Sigma,
  SkipForward,
  Square,
  Terminal,
  UserRound,
  Wallet,
  Workflow,
  Wrench,
} from "lucide-react";
import type { Access, DecisionKind, Effect, RunStatus, TaskStatus } from "../../ipc/bindings";
import { t } from "../../text";

export type CardStatus = TaskStatus | "DRAFT";

/** Without a prototype, as a foreign document may call a kind `constructor`. */
const KIND_ICON: Record<string, LucideIcon> = {
  __proto__: null as never,
  agent: Bot,
  model: MessageSquareText,
  tool: Wrench,
  code: CodeXml,
  human: UserRound,
  map: Layers,
  subplan: Workflow,
};

const KIND_FAMILY: Record<string, string> = {
  __proto__: null as never,
  agent: "m",
  model: "m",
  human: "p",
  map: "s",
  subplan: "s",
};

/** The tile at the left of a card: its shape and tint say who does the work. */
export function KindTile({ kind, small = false }: { kind: string; small?: boolean }) {
  const Icon = KIND_ICON[kind] ?? CircleQuestionMark;
  return (
    <span className={`tile ${KIND_FAMILY[kind] ?? "x"}${small ? " small" : ""}`} aria-hidden="true">
      <Icon size={small ? 13 : 16} strokeWidth={1.75} />
    </span>
  );
}

export function KindIcon({ kind, size = 14 }: { kind: string; size?: number }) {
  const Icon = KIND_ICON[kind] ?? CircleQuestionMark;
  return <Icon className="icon" size={size} strokeWidth={1.75} aria-hidden="true" />;
}

const STATUS_ICON: Record<CardStatus, LucideIcon> = {
  DRAFT: CircleDashed,
  PENDING: CircleDashed,
  READY: CircleDot,
  RUNNING: LoaderCircle,
  RETRYING: RotateCw,
  WAITING: Hand,
  IN_DOUBT: CircleQuestionMark,
  COMPLETED: CircleCheck,
  FAILED: OctagonX,
  SKIPPED: SkipForward,
  CANCELLED: Ban,
  PRUNED: Scissors,
};

/** The class that carries a state's colours. */
export const STATUS_TONE: Record<CardStatus, string> = {
  DRAFT: "draft",
  PENDING: "pending",
  READY: "ready",
  RUNNING: "running",
  RETRYING: "retrying",
  WAITING: "waiting",
  IN_DOUBT: "doubt",
  COMPLETED: "completed",
  FAILED: "failed",
  SKIPPED: "skipped",
  CANCELLED: "cancelled",
  PRUNED: "cancelled",
};

export function StatusIcon({ status, size = 13 }: { status: CardStatus; size?: number }) {
  const Icon = STATUS_ICON[status];
  const turning = status === "RUNNING" ? " spin" : "";
  return <Icon className={`icon${turning}`} size={size} strokeWidth={1.75} aria-hidden="true" />;
}

const RUN_ICON: Record<RunStatus, LucideIcon> = {
  AWAITING_APPROVAL: CircleDashed,
  RUNNING: LoaderCircle,
  PAUSED: Pause,
  WAITING: Hand,
  BLOCKED: OctagonX,
  SUCCEEDED: CircleCheck,
  FAILED: OctagonX,
  CANCELLED: Square,
};

export const RUN_TONE: Record<RunStatus, string> = {
  AWAITING_APPROVAL: "idle",
  RUNNING: "running",
  PAUSED: "idle",
  WAITING: "waiting",
  BLOCKED: "failed",
  SUCCEEDED: "completed",
  FAILED: "failed",
  CANCELLED: "idle",
};

export function RunIcon({ status, size = 16 }: { status: RunStatus; size?: number }) {
  const Icon = RUN_ICON[status];
  const turning = status === "RUNNING" ? " spin" : "";
  return (
    <Icon className={`icon tone-${RUN_TONE[status]}${turning}`} size={size} strokeWidth={1.75} aria-hidden="true" />
  );
}

export function StatusTag({ status }: { status: TaskStatus }) {
  return (
    <span className={`tag ${STATUS_TONE[status]}`}>
      <StatusIcon status={status} size={12} />
      {t.words.taskStatus[status]}
    </span>
  );
}

const ACCESS_ICON: Record<Access, LucideIcon> = {
  read: Eye,
  write: FilePen,
  host: Globe,
  database: Database,
  command: Terminal,
  mcp: Plug,
};

export function AccessIcon({ access, effect, size = 13 }: { access: Access; effect?: Effect; size?: number }) {
  const Icon = effect === "write_external" ? Send : ACCESS_ICON[access];
  return <Icon className="icon" size={size} strokeWidth={1.75} aria-hidden="true" />;
}

const EFFECT_ICON: Record<Effect, LucideIcon> = {
  pure: Sigma,
  read: Eye,
  read_external: Globe,
  write: FilePen,
  write_external: Send,
  exec: Terminal,
  spend: Wallet,
};

export function EffectIcon({ effect, size = 14 }: { effect: Effect; size?: number }) {
  const Icon = EFFECT_ICON[effect];
  return <Icon className="icon" size={size} strokeWidth={1.75} aria-hidden="true" />;
}

export function isRisky(effect: Effect): boolean {
  return effect === "write" || effect === "write_external" || effect === "exec" || effect === "spend";
}

const DECISION_ICON: Record<DecisionKind, LucideIcon> = {
  approval: Hand,
  question: CircleQuestionMark,
  grant: Hand,
  effect: Send,
  in_doubt: CircleQuestionMark,
  budget: Wallet,
  replan: Workflow,
  blocked: OctagonX,
};

/** The colours of a decision: doubt and failure keep their own, all else waits. */
export function decisionTone(kind: DecisionKind): string {
  if (kind === "in_doubt") return "doubt";
  return kind === "blocked" ? "failed" : "waiting";
}

export function DecisionIcon({ kind, size = 16 }: { kind: DecisionKind; size?: number }) {
  const Icon = DECISION_ICON[kind];
  return <Icon className={`icon tone-${decisionTone(kind)}`} size={size} strokeWidth={1.75} aria-hidden="true" />;
}
