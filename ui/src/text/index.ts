// Every text that a person sees, by key and typed. One language so far; another is another set of these files.
// A plain module does what is needed today (keys, plurals, arguments, all checked by the compiler), so i18next waits
// until a second language comes.
import { approval } from "./en/approval";
import { canvas, time } from "./en/canvas";
import { home, lists } from "./en/home";
import { inbox } from "./en/inbox";
import { inspector } from "./en/inspector";
import { plan } from "./en/plan";
import { composer, planning } from "./en/planning";
import { proposal } from "./en/proposal";
import { run } from "./en/run";
import { servers } from "./en/servers";
import { settings } from "./en/settings";
import { keyGroups, shell } from "./en/shell";
import { form, values } from "./en/values";
import { words } from "./en/words";

export const t = {
  approval,
  canvas,
  composer,
  form,
  home,
  inbox,
  inspector,
  keyGroups,
  lists,
  plan,
  planning,
  proposal,
  run,
  servers,
  settings,
  shell,
  time,
  values,
  words,
};
