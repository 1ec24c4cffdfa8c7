// How much of a card is drawn, by zoom. What is not shown is not in the document: a thousand cards must pan smoothly.
import { createContext } from "react";

/** `near`: the whole card, and the chosen one opens. `icon`: a fill and an icon; `far`: icon and title; `mid`: the whole card; `dot`: only the fill, where very many are in view. */
export type ZoomLevel = "dot" | "icon" | "far" | "mid" | "near";

export const LevelContext = createContext<ZoomLevel>("mid");
