// Takes away what would make code depend on anything but its inputs. Runs before the task's source.
(() => {
  "use strict";
  const refuse = (why) => function () { throw new Error(why); };
  const noText = refuse("code can't be made from text here");

  const functions = [function () {}, function* () {}, async function () {}, async function* () {}];
  for (const one of functions) {
    const prototype = Object.getPrototypeOf(one);
    Object.defineProperty(prototype, "constructor", { value: noText, writable: false, configurable: false });
  }
  noText.prototype = Function.prototype;

  const set = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  set("Function", noText);
  const quiet = () => {};
  set("console", { log: quiet, info: quiet, warn: quiet, error: quiet, debug: quiet });
  delete Math.random;
  for (const name of ["eval", "Date", "Atomics", "SharedArrayBuffer", "WeakRef", "FinalizationRegistry", "performance", "queueMicrotask", "gc"]) {
    delete globalThis[name];
  }

  // These walk an array natively without asking whether time is up; an array with holes may be 4 billion long.
  const longest = 10000000;
  const { isArray } = Array;
  const { some } = Array.prototype;
  const apply = Reflect.apply;
  const spreads = Symbol.isConcatSpreadable;
  const isLong = (value) => isArray(value)
    ? value.length > longest
    : typeof value === "object" && value !== null && spreads in value;
  const walkers = ["concat", "copyWithin", "flat", "flatMap", "join", "lastIndexOf", "reverse", "shift", "slice", "sort", "splice",
    "toReversed", "toSorted", "toSpliced", "toString", "toLocaleString", "unshift", "with"];
  for (const name of walkers) {
    const native = Array.prototype[name];
    const guarded = function (...given) {
      if (!isArray(this)) throw new TypeError(`Array.prototype.${name} works only on arrays here`);
      if (isLong(this) || apply(some, given, [isLong])) throw new RangeError(`the array is longer than ${longest} items`);
      return apply(native, this, given);
    };
    Object.defineProperty(guarded, "name", { value: name });
    Object.defineProperty(Array.prototype, name, { value: guarded, writable: true, configurable: true });
  }
  const { raw } = String;
  String.raw = function (strings, ...given) {
    const parts = strings.raw;
    if (!isArray(parts) || isLong(parts)) throw new TypeError("String.raw works only as a template tag here");
    return apply(raw, String, [{ raw: parts }, ...given]);
  };
  return { text: String, integer: BigInt, kind: Object.prototype.toString };
})()
