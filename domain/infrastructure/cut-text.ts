/** Cuts a text to a bounded length, ending in `…`. Replaces what PostgreSQL and JSON cannot store. */
export function cutText(text: string, maxLength = maxTextLength): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return cut.toWellFormed().replaceAll('\0', '\uFFFD')
}

export const maxTextLength = 1_000
