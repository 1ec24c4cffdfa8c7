// Ranges in words: units, one number where both ends are the same, and that unknown is never nothing.
import { describe, expect, it } from "vitest";
import { speak } from "./index";
import { countRange, likelyMoney, likelyTime, moneyRange, seconds, short, timeRange } from "./ranges";

const usd = (low: string, likely: string | null, high: string | null) => ({ low, likely, high });
const n = (low: number, likely: number | null, high: number | null) => ({ low, likely, high });

describe("ranges", () => {
  it("says money with both ends, free only where it is, and unknown where nobody knows", () => {
    expect(moneyRange(usd("0.1", "0.15", "0.24"))).toBe("$0.100\u2009–\u20090.240");
    expect(moneyRange(usd("0", "0", "0"))).toBe("free");
    expect(moneyRange(usd("0", null, null))).toBe("unknown");
    expect(moneyRange(usd("0.1", null, null))).toBe("≥ $0.100");
    expect(moneyRange(usd("0.1", "0.1", "0.1"))).toBe("≈ $0.100");
    expect(moneyRange(usd("0", "0.1", "0.2"))).toBe("$0\u2009–\u20090.200");
    expect(likelyMoney(usd("0", null, null))).toBeNull();
    expect(likelyMoney(usd("0", "0", "0.5"))).toBe("free");
  });

  it("says times in one unit, never 0 for what nobody knows", () => {
    expect(timeRange(n(180, 200, 300))).toBe("3\u2009–\u20095 min");
    expect(timeRange(n(0.4, 0.4, 0.4))).toBe("≈ 0.4 s");
    expect(timeRange(n(0, null, null))).toBe("unknown");
    expect(timeRange(n(20, null, null))).toBe("≥ 20 s");
    expect(likelyTime(n(3, null, null))).toBeNull();
    expect(seconds(0.03)).toBe("30 ms");
    expect(seconds(7200)).toBe("2 h");
  });

  it("shortens counts", () => {
    expect(countRange(n(1, 4, 12))).toBe("1\u2009–\u200912");
    expect([840, 1000, 12_400, 1_200_000].map(short)).toEqual(["840", "1k", "12k", "1.2M"]);
  });

  it("say numbers and sums as the language does", () => {
    speak("de");
    expect(timeRange({ low: 1.4, likely: 2.4, high: 9 })).toBe("1,4\u2009–\u20099 s");
    expect(likelyTime({ low: 0, likely: 0.4, high: 1 })).toBe("≈ 0,4 s");
    expect(moneyRange({ low: "0.1", likely: null, high: "0.24" })).toBe("0,100\u2009–\u20090,240 $");
    expect(moneyRange({ low: "0", likely: null, high: "0.24" })).toBe("0\u2009–\u20090,240 $");
    expect(countRange({ low: 1500, likely: null, high: 1500 })).toBe("1,5k");
    speak("en");
  });
});
