/**
 * Invisible control and format characters, which can reorder or hide text (CVE-2021-42574). With them, an
 * attacker could make a value look like another one to an approver, so they are shown as code points.
 */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu

export const plainText = (text: string): string =>
  text.replace(unseen, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)
