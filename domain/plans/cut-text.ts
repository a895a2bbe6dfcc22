/** A text of bounded length; a cut one ends in `…`. What PostgreSQL and JSON cannot hold is replaced. */
export function cutText(text: string, maxLength = maxTextLength): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return cut.toWellFormed().replaceAll('\0', '\uFFFD')
}

export const maxTextLength = 1_000
