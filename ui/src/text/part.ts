// What another language has to say of the English texts: the same functions with the same arguments, and any part of it may
// still be missing.
/** Any text in the place of a certain one. */
type Wide<T> = T extends string ? string : T extends readonly unknown[] ? { readonly [K in keyof T]: Wide<T[K]> } : T;

export type Part<T> = T extends (...args: infer A) => infer R
  ? (...args: A) => Wide<R>
  : T extends readonly unknown[]
    ? T
    : T extends object
      ? { [K in keyof T]?: Part<T[K]> }
      : T extends string
        ? string
        : T;
