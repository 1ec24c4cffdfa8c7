// Words of values and forms.
import { count, whole } from "../format";

export const values = {
  showRaw: "Show raw JSON",
  showShaped: "Show as shaped",
  moreRows: (next: number, all: number) => `Show ${next} more of ${whole(all)} rows`,
  showAll: (n: number) => `Show all ${whole(n)}`,
  items: (n: number) => count(n, "item"),
  fields: (n: number) => count(n, "field"),
  empty: "empty",
  image: (alt: string) => `Image: ${alt}`,
  table: "Table",
};

export const form = {
  optional: "optional",
  missing: "Needs an answer.",
  number: "Needs a number.",
  wholeNumber: "Needs a whole number.",
  atLeast: (n: number) => `Needs at least ${count(n, "character")}.`,
  atMost: (n: number) => `Has more than ${count(n, "character")}.`,
  notUnder: (n: number) => `Must not be under ${n}.`,
  notOver: (n: number) => `Must not be over ${n}.`,
  notJson: "This is not JSON yet. The last valid value is kept.",
  yes: "Yes",
  no: "No",
  choose: "Choose",
  addItem: "Add a row",
  removeItem: (n: number) => `Remove row ${n}`,
};
