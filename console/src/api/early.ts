declare global {
  /** Requests that index.html starts before this script is loaded, by path. */
  // oxlint-disable-next-line no-var -- only `var` declares a property of globalThis
  var earlyAnswers: Record<string, Promise<Response>> | undefined
}

/** Returns and removes the early response for this path. */
export function takeEarly(address: string): Promise<Response> | undefined {
  const answer = globalThis.earlyAnswers?.[address]
  if (answer) delete globalThis.earlyAnswers?.[address]
  return answer
}

/** Drops the responses that the first page did not use: they become stale, or are refusals from before the sign-in. */
export function forgetEarly(): void {
  globalThis.earlyAnswers = undefined
}
