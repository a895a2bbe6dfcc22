/** Labels of agents as a person types them, one a line. A manifest selects hosts by them. */

const form = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?$/
const most = 20

export type ReadAgentLabels = { labels: Record<string, string> } | { fault: string }

/** The labels in the text, or what is wrong with the first line that is none. */
export function readAgentLabels(text: string): ReadAgentLabels {
  const labels: Record<string, string> = {}
  for (const [n, line] of text.split('\n').entries()) {
    const typed = line.trim()
    if (typed === '') continue
    const [, key = '', value = ''] = /^([^=]*)=([^=]*)$/.exec(typed) ?? []
    if (!form.test(key) || !form.test(value))
      return {
        fault: `Line ${n + 1}: write a name, an equals sign and a value, as role=web. Both have up to 63 letters, digits and . _ / - and begin and end with a letter or digit.`,
      }
    if (Object.hasOwn(labels, key))
      return { fault: `Line ${n + 1}: there is a label ${key} already.` }
    labels[key] = value
  }
  return Object.keys(labels).length > most
    ? { fault: `At most ${most} labels are kept. Remove some.` }
    : { labels }
}
