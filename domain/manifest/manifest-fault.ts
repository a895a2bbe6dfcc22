/** Where a manifest is wrong, or doubtful. `line` and `column` begin at 1; a column counts UTF-16 units, as editors do. */
export type ManifestFault = { line: number; column: number; path: string; message: string }

/** Keys and indexes from the root to a value. */
export type ValuePath = ReadonlyArray<string | number>

/** `build.steps[0].env["a-b"]`; empty for the root. */
export function pathInWords(path: ValuePath): string {
  let words = ''
  for (const part of path)
    if (typeof part === 'number') words += `[${part}]`
    else if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(part) && part.length <= shownLength)
      words += words === '' ? part : `.${part}`
    else words += `[${quote(part)}]`
  return words
}

const shownLength = 60

/** A text of the author in quotes, on one line and not too long. */
export function quote(text: string): string {
  const characters = Array.from(text.slice(0, shownLength * 2))
  const isWhole = characters.length <= shownLength && text.length <= shownLength * 2
  return JSON.stringify(isWhole ? text : `${characters.slice(0, shownLength).join('')}…`).replace(
    /[\u007f-\u00a0\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A line for a log: `pipeline.yml:7:3 build.steps[0]: unknown key "comand", did you mean "run"?` */
export const faultInWords = ({ line, column, path, message }: ManifestFault): string =>
  `${manifestName}:${line}:${column} ${path === '' ? '' : `${path}: `}${message}`

const manifestName = 'pipeline.yml'
