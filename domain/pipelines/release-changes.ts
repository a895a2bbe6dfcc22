import { unifiedDiff, type CompareSides } from '../git/unified-diff.ts'
import type { HookName } from './release-plan.ts'

export type HookFile = {
  name: HookName
  path: string
  /** Null of a file that is too large to be hashed. */
  sha256: string | null
  /** Null of a file that is no text, or is too long to be shown. */
  text: string | null
}

export type Comparison = 'added' | 'removed' | 'changed' | 'same' | 'unknown'
export type TextChange = {
  change: Comparison
  /** As `diff -u` has it; null where nothing changed, or where it cannot be shown. */
  diff: string | null
}
export type HookChange = TextChange & {
  name: HookName
  path: string
  pathBefore: string | null
  /** Of the new file; null without one, and of one that is too large to be hashed. */
  sha256: string | null
  /** The diff is the whole new text, as of a new file: it cannot be compared by lines. */
  whole?: true
}

/** How a text differs from the one before; null is a side that has none. */
export const changeOfText = textChangesBy(unifiedDiff)

/** The same by another comparison, such as one that shares its time with others. */
export function textChangesBy(compare: CompareSides) {
  return (path: string, before: string | null, after: string | null): TextChange => {
    if (before === after) return { change: 'same', diff: null }
    const change = before === null ? 'added' : after === null ? 'removed' : 'changed'
    return { change, diff: compare(path, before, after) }
  }
}

/**
 * How the hooks of a release differ from those that run now, in the order of a deployment; one at a time, so that a
 * caller can let others go on between two of them. `undefined` is a release of which no hooks were noted: then nothing
 * is known but their names.
 */
export function* changesOfHooks(
  before: readonly HookFile[] | undefined,
  after: readonly HookFile[] | undefined,
  compare: CompareSides = unifiedDiff,
): Generator<HookChange> {
  const names: readonly HookName[] = ['install', 'activate', 'health', 'rollback']
  for (const name of names) {
    const old = before?.find((hook) => hook.name === name)
    const now = after?.find((hook) => hook.name === name)
    const path = now?.path ?? old?.path
    if (path === undefined) continue
    const isKnown = before !== undefined && after !== undefined
    const change = isKnown ? changeOfHook({ path, old, now }, compare) : unknown
    const file = { name, path, pathBefore: old?.path ?? null, sha256: now?.sha256 ?? null }
    yield { ...file, ...change, ...wholeOf(change, now, compare) }
  }
}

/** Otherwise an author hides a command from who approves it among so many other lines that none is compared. */
function wholeOf({ change, diff }: TextChange, now: HookFile | undefined, compare: CompareSides) {
  if (change === 'same' || diff !== null || !now || now.text === null) return undefined
  return { diff: compare(now.path, null, now.text), whole: true as const }
}

const unknown: TextChange = { change: 'unknown', diff: null }

type Sides = { path: string; old: HookFile | undefined; now: HookFile | undefined }

function changeOfHook({ path, old, now }: Sides, compare: CompareSides): TextChange {
  if (old && now) {
    if (old.sha256 === null || now.sha256 === null) return unknown
    if (old.sha256 === now.sha256) return { change: 'same', diff: null }
  }
  const change = !old ? 'added' : !now ? 'removed' : 'changed'
  const isShown = (!old || old.text !== null) && (!now || now.text !== null)
  return {
    change,
    diff: isShown ? compare(path, old?.text ?? null, now?.text ?? null) : null,
  }
}
