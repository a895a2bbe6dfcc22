import { lineDiff, type Hunk } from '../runs/line-diff.ts'
import { jsonDiff, prettyJson, type JsonDiff } from './json-diff.ts'
import type { Attribute } from './plan.ts'

/** How an attribute's change is shown. */
export type ValueForm =
  | { form: 'plain' }
  | ({ form: 'json' } & JsonDiff)
  | { form: 'lines'; hunks: Hunk[] }
  /** Whole texts with line breaks. Undefined: there is none on this side. */
  | { form: 'texts'; before: string | undefined; after: string | undefined }

/** Of the table of the comparison: some 10 ms. Many rows may be open. */
const maxCells = 400_000

/** A masked value or one that is not known yet stays as it is. */
export function formOf({ before, after, sensitive, unknown }: Attribute): ValueForm {
  if (sensitive) return { form: 'plain' }
  const [was, is] = [textIn(before), unknown ? undefined : textIn(after)]
  if (was !== undefined && is !== undefined) return formOfBoth(was, is)
  const one = was ?? is
  // The other side is null, or no text: a number that becomes a text is shown plainly.
  if (one === undefined || (before !== null && was === undefined)) return { form: 'plain' }
  if (!unknown && after !== null && is === undefined) return { form: 'plain' }
  const shown = prettyJson(one) ?? one
  if (!shown.includes('\n')) return { form: 'plain' }
  return was === undefined
    ? { form: 'texts', before: undefined, after: shown }
    : { form: 'texts', before: shown, after: undefined }
}

function formOfBoth(was: string, is: string): ValueForm {
  const json = jsonDiff(was, is)
  if (json) return { form: 'json', ...json }
  if (!was.includes('\n') && !is.includes('\n')) return { form: 'plain' }
  const hunks = lineDiff(was, is, maxCells)
  // Without a line that differs, the ends of the lines do: the plain form shows these.
  if (hunks?.length === 0) return { form: 'plain' }
  return hunks ? { form: 'lines', hunks } : { form: 'texts', before: was, after: is }
}

const textIn = (value: Attribute['before']): string | undefined =>
  typeof value === 'string' ? value : undefined

/** The place from which two long texts are shown, so that what differs is in sight. */
export function startOfDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  return Math.max(0, at - 80)
}
