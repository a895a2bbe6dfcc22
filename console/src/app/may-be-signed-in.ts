import { keepText, readKept } from '../parts/kept-in-browser.ts'

const key = 'cc-was-signed-in'

/**
 * False if nobody was signed in when this browser last asked, so that the sign-in page need not ask again.
 * The session itself is in a cookie that no script reads.
 */
export const mayBeSignedIn = (): boolean => readKept(key) !== 'no'

export function noteSignedIn(isIn: boolean): void {
  if (readKept(key) !== (isIn ? 'yes' : 'no')) keepText(key, isIn ? 'yes' : 'no')
}
