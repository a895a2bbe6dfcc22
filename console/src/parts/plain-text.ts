/**
 * Characters that are not seen: controls, formats such as those that turn the order of a text (CVE-2021-42574),
 * and fillers and joiners without a width. With them, an attacker could make a value look like another one to
 * an approver, so they are shown as code points.
 */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu

export const plainText = (text: string): string =>
  text.replace(unseen, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)

/** The same in another form: `write` gets each unit of UTF-16. */
export const escaped = (text: string, write: (unit: number) => string): string =>
  text.replace(unseen, (one) =>
    Array.from({ length: one.length }, (_, at) => write(one.charCodeAt(at))).join(''),
  )

/** With what makes an emoji of a character, or joins two. */
const emoji = /(\p{Extended_Pictographic}(?:\uFE0F|\u200D(?=\p{Extended_Pictographic}))*)/u

/**
 * The first line of what a person wrote, as a row of a list shows it. Emojis are shown as such: people
 * write them in messages of commits.
 */
export function plainLine(text: string): string {
  const [line = ''] = text.split(/\r?\n/)
  const [start = ''] = /^[^]{0,120}/u.exec(line) ?? []
  const short = start.length < line.length ? `${start}…` : line
  // Split by a group, every second part is an emoji.
  return short
    .split(emoji)
    .map((part, at) => (at % 2 === 1 ? part : plainText(part)))
    .join('')
}
