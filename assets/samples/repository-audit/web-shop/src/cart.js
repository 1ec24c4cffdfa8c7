import { join } from "fastjoin";

export function total(items) {
  // TODO: round per line
  return items.reduce((sum, item) => sum + item.price, 0);
}
