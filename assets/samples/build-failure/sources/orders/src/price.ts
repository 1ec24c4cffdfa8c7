// Since Thursday an amount of money is a whole number of cents and says its currency in `code`.
export type Money = { cents: number; code: "EUR" | "USD" };
export type Price = { cents: number; currency: string };

export function total(lines: readonly Money[]): Price {
  const cents = lines.reduce((sum, line) => sum + line.cents, 0);
  // Line 88 of the whole file:
  return { cents, currency: lines[0].currency };
}
