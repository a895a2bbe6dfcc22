import { keepText, readKept } from '../parts/kept-in-browser.ts'

const key = 'cc-was-signed-in'

/**
 * Whether somebody was signed in when this browser last asked, so that the sign-in page asks for a session
 * only where there may be one. The session itself is in a cookie that no script reads.
 */
export const wasSignedIn = (): boolean => readKept(key) === 'yes'

export function noteSignedIn(isIn: boolean): void {
  if (wasSignedIn() !== isIn) keepText(key, isIn ? 'yes' : '')
}
