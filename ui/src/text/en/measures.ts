// The words in times and sums.
export type Measures = {
  locale: string;
  now: string;
  ago: (span: string) => string;
  today: (time: string) => string;
  yesterday: (time: string) => string;
  and: string;
  or: string;
  free: string;
  unknown: string;
  unknownPrice: string;
  under: (sum: string) => string;
  dollars: (amount: string) => string;
};

export const measures: Measures = {
  locale: "en",
  now: "now",
  ago: (span) => `${span} ago`,
  today: (time) => `today ${time}`,
  yesterday: (time) => `yesterday ${time}`,
  and: "and",
  or: "or",
  free: "free",
  unknown: "unknown",
  unknownPrice: "unknown price",
  under: (sum) => `under ${sum}`,
  dollars: (amount) => `$${amount}`,
};
