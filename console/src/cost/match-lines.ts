export type Match = Record<string, string | number | boolean>

/**
 * The value of an attribute as a person writes it: `3` is a number and `true` is yes or no, as in a
 * configuration; in quotes it is a text in any case.
 */
export function matchValue(text: string): string | number | boolean {
  const quoted = /^"(.*)"$/.exec(text)?.[1]
  if (quoted !== undefined) return quoted
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d{1,15}(\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text
}

/** The reverse of `matchValue`. */
const valueText = (value: string | number | boolean): string =>
  typeof value === 'string' && typeof matchValue(value) !== 'string' ? `"${value}"` : String(value)

/** `instance_type = t3.micro`, one condition a line. */
export function readMatch(text: string): Match {
  const match: Match = {}
  for (const [at, row] of text.split(/\r\n|\r|\n/).entries()) {
    if (row.trim() === '') continue
    const [, path = '', value = ''] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(row) ?? []
    if (path === '' || value === '')
      throw new Error(
        `Line ${at + 1} of the conditions is not “attribute = value”. Write it as instance_type = t3.micro.`,
      )
    if (Object.hasOwn(match, path)) throw new Error(`The condition on ${path} is there twice.`)
    match[path] = matchValue(value)
  }
  return match
}

export const matchLines = (match: Match): string =>
  Object.entries(match)
    .map(([path, value]) => `${path} = ${valueText(value)}`)
    .join('\n')
