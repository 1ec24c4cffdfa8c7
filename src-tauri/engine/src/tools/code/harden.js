// Takes away what would make code depend on anything but its inputs. Runs before the task's source, for every call: short.
// What is exported stands in no scope of the source's.
const kept = (() => {
  const noText = function () { throw new Error("code can't be made from text here"); };
  const { defineProperty, getPrototypeOf } = Object;
  for (const one of [function () {}, function* () {}, async function () {}, async function* () {}])
    defineProperty(getPrototypeOf(one), "constructor", { value: noText, writable: false, configurable: false });
  noText.prototype = Function.prototype;
  globalThis.Function = noText;
  const quiet = () => {};
  const console = { log: quiet, info: quiet, warn: quiet, error: quiet, debug: quiet };
  defineProperty(globalThis, "console", { value: console, writable: true, configurable: true });
  delete Math.random;
  for (const name of ["eval", "Date", "Atomics", "SharedArrayBuffer", "WeakRef", "FinalizationRegistry", "performance", "queueMicrotask", "gc"])
    delete globalThis[name];

  // These walk an array natively without asking whether time is up; an array with holes may be 4 billion long.
  const longest = 10000000;
  const { isArray, prototype } = Array;
  const { some } = prototype;
  const { apply } = Reflect;
  const spreads = Symbol.isConcatSpreadable;
  const isLong = (value) => isArray(value)
    ? value.length > longest
    : typeof value === "object" && value !== null && spreads in value;
  const walkers = ["concat", "copyWithin", "flat", "flatMap", "join", "lastIndexOf", "reverse", "shift", "slice", "sort", "splice",
    "toReversed", "toSorted", "toSpliced", "toString", "toLocaleString", "unshift", "with"];
  for (const name of walkers) {
    const native = prototype[name];
    // A method, so that it has the name.
    const { [name]: guarded } = { [name](...given) {
      if (!isArray(this)) throw new TypeError(`Array.prototype.${name} works only on arrays here`);
      if (isLong(this) || apply(some, given, [isLong])) throw new RangeError(`the array is longer than ${longest} items`);
      return apply(native, this, given);
    } };
    prototype[name] = guarded;
  }
  const { raw } = String;
  String.raw = function (strings, ...given) {
    const parts = strings.raw;
    if (!isArray(parts) || isLong(parts)) throw new TypeError("String.raw works only as a template tag here");
    return apply(raw, String, [{ raw: parts }, ...given]);
  };
  return { text: String, integer: BigInt, kind: Object.prototype.toString };
})();
export const { text, integer, kind } = kept;
