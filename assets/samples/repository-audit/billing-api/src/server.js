import { get } from "netwire";

export async function rate(url) {
  try {
    return await get(url);
  } catch {}
}
