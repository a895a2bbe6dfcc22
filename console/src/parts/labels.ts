/** Labels as a person types them: one a line, as team=payments. */

const keyForm = /^[a-z0-9][a-z0-9_./-]{0,62}$/
const most = 20

export const linesOf = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join('\n')

export type ReadLabels = { labels: Record<string, string> } | { fault: string }

/** The labels in the text, or what is wrong with the first line that is none. */
export function readLabels(text: string): ReadLabels {
  const labels: Record<string, string> = {}
  const lines = text.split('\n').map((line) => line.trim())
  for (const [n, line] of lines.entries()) {
    if (line === '') continue
    const fault = faultOf(line, labels)
    if (fault) return { fault: `Line ${n + 1}: ${fault}` }
    const end = line.indexOf('=')
    labels[line.slice(0, end)] = line.slice(end + 1)
  }
  return Object.keys(labels).length > most
    ? { fault: `At most ${most} labels are kept. Remove some.` }
    : { labels }
}

function faultOf(line: string, before: Record<string, string>): string | undefined {
  const end = line.indexOf('=')
  if (end < 0) return 'write a name, an equals sign and a value, as team=payments.'
  const key = line.slice(0, end)
  if (!keyForm.test(key))
    return 'a name has up to 63 lower-case letters, digits and _ . / - and begins with a letter or digit.'
  if (line.length - end - 1 > 100) return 'a value has up to 100 characters.'
  if (Object.hasOwn(before, key)) return `there is a label ${key} already.`
  return undefined
}

/** The line that a person is writing: the last one. */
export const lastLine = (text: string): string => text.slice(text.lastIndexOf('\n') + 1).trim()

/** Those of the labels that go on with the last line, of a key that no line before it has. */
export function fitting(text: string, labels: readonly string[]): string[] {
  const written = lastLine(text)
  const keys = new Set(text.split('\n').slice(0, -1).map(keyOf))
  return labels.filter(
    (label) => label !== written && has(label, written) && !keys.has(keyOf(label)),
  )
}

const keyOf = (line: string): string => line.slice(0, Math.max(line.indexOf('='), 0)).trim()
const has = (label: string, part: string): boolean =>
  label.toLowerCase().includes(part.toLowerCase())

/** The text with the label as a line at its end, in place of a last line that is a part of it. */
export function withLine(text: string, label: string): string {
  const before = text.slice(0, text.lastIndexOf('\n') + 1)
  const kept = has(label, lastLine(text)) ? before : `${text}\n`
  return `${kept}${label}\n`
}

/** Whether the text is one label that a list can be narrowed to. */
export const isLabel = (text: string): boolean => {
  const end = text.indexOf('=')
  return end > 0 && keyForm.test(text.slice(0, end)) && text.length - end - 1 <= 100
}

/** The labels of an address: one, or several of which a thing has one. */
export function labelsIn(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value]
  const labels = all.filter((one): one is string => typeof one === 'string' && isLabel(one))
  return [...new Set(labels)].slice(0, most)
}
