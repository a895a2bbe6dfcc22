declare global {
  /** Begun by index.html, by address, before this script was there. */
  // oxlint-disable-next-line no-var -- only so is it a property of globalThis
  var earlyAnswers: Record<string, Promise<Response>> | undefined
}

/** The answer that was asked for beside the script, once. */
export function takeEarly(address: string): Promise<Response> | undefined {
  const answer = globalThis.earlyAnswers?.[address]
  if (answer) delete globalThis.earlyAnswers?.[address]
  return answer
}

/** Whatever the first page did not take is soon too old, or was refused to somebody not signed in. */
export function forgetEarly(): void {
  globalThis.earlyAnswers = undefined
}
