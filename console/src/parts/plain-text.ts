/**
 * Characters that are not seen but turn the order of what is, or hide a part of it: a value could so
 * look like another one to whoever approves it (CVE-2021-42574). They are shown by their numbers.
 */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu

export const plainText = (text: string): string =>
  text.replace(unseen, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)
