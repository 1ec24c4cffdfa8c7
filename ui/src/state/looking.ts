// Whether the database is only looked at: then nothing can be changed, and the status bar says why.
import { create } from "zustand";

export const useLooking = create<{ isLookedAt: boolean }>(() => ({ isLookedAt: false }));
