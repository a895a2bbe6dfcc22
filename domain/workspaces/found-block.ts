/** A block, and where it stands in the text. */
export type FoundBlock = { type: string; at: number }

/** Nobody writes so many. Each level takes memory, and a file can open ten million. */
export const maxNesting = 1_000
