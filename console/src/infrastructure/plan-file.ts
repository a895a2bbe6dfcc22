import { plural } from '../api/words.ts'
import { escaped, plainText } from '../parts/plain-text.ts'
import { actions, type Attribute, type Plan } from './plan.ts'
import { entriesOf, type PlanEntry } from './plan-entries.ts'
import { itemsOf } from './plan-items.ts'
import { actionLooks, sentencesOf } from './plan-words.ts'

type Whole = { title: string; pages: readonly Plan[] }

/**
 * A plan as JSON, for programs: the changes as the service sends them, with their masks. Characters that are
 * not seen are escaped, so that the file reads in an editor as it does for a program.
 */
export function planAsJson({ title, pages }: Whole): string {
  const [first] = pages
  const plan = {
    title,
    overview: first?.overview,
    resources: pages.flatMap(({ resources }) => resources),
    outputs: pages.flatMap(({ outputs }) => outputs),
    drift: pages.flatMap(({ drift }) => drift),
  }
  return `${escaped(JSON.stringify(plan, null, 2), (code) => `\\u${code.toString(16).padStart(4, '0')}`)}\n`
}

/** A plan as text, for people. No character of a value can act on a terminal that shows it. */
export function planAsText({ title, pages }: Whole): string {
  const overview = pages[0]?.overview
  if (!overview) return `${plainText(title)}\n`
  const counts = actions
    .filter((action) => overview.actions[action] > 0)
    .map(
      (action) => `${actionLooks[action].chip}: ${overview.actions[action].toLocaleString('en')}`,
    )
  if (overview.imports) counts.push(`Imported: ${overview.imports.toLocaleString('en')}`)
  const items = itemsOf({ entries: entriesOf(pages), overview, search: {} })
  const parts = items.map((item) =>
    item.kind === 'head'
      ? `\n## ${item.title} (${item.count.toLocaleString('en')})\n`
      : textOfEntry(item.entry),
  )
  const { omittedChanges } = overview
  return [
    `# ${plainText(title)}`,
    counts.length > 0 ? counts.join(', ') : 'No resource changes.',
    ...(omittedChanges > 0 ? [`${plural(omittedChanges, 'more change')} not kept.`] : []),
    ...parts,
    '',
  ].join('\n')
}

function textOfEntry(entry: PlanEntry): string {
  const { name, action, attributes, omittedAttributes, resource } = entry
  const lines = [`${actionLooks[action].sign} ${plainText(name)}`]
  if (resource?.previousAddress) lines.push(`    was ${plainText(resource.previousAddress)}`)
  if (resource?.importing) lines.push(`    imported: ${plainText(resource.importing.id)}`)
  if (resource) lines.push(...sentencesOf(resource).map((sentence) => `    ${sentence}`))
  for (const attribute of attributes) lines.push(...textOfAttribute(attribute))
  if (omittedAttributes > 0)
    lines.push(`    ${plural(omittedAttributes, 'more attribute')} not kept.`)
  return lines.join('\n')
}

function textOfAttribute(attribute: Attribute): string[] {
  const { path, before, after, unknown, forcesReplacement } = attribute
  const [was, is] = [
    shown(attribute, before),
    unknown ? '(known after apply)' : shown(attribute, after),
  ]
  const name = `    ${plainText(path || 'value')}`
  const end = forcesReplacement ? '  (forces replacement)' : ''
  if (![was, is].some((text) => text.includes('\n'))) return [`${name}: ${was} -> ${is}${end}`]
  const block = (sign: string, text: string) =>
    text.split('\n').map((line) => `      ${sign} ${line}`)
  return [`${name}:${end}`, ...block('-', was), ...block('+', is)]
}

const shown = ({ sensitive }: Attribute, value: Attribute['before']): string => {
  if (value === null) return 'none'
  if (sensitive) return '(sensitive value)'
  if (typeof value !== 'string') return String(value)
  return plainText(value.includes('\n') || /^[[{]/.test(value) ? value : JSON.stringify(value))
}
