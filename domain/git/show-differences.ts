import { unifiedDiff } from './unified-diff.ts'

export type Sides = {
  path: string
  ours: string | null
  theirs: string | null
  /** Their file exists and was not read: `theirs` is null. */
  tooLarge?: boolean
}

/** One file that somebody else changed, as it is shown. */
export type ShownDifference = Sides & {
  /** Null where the sides are too large or too far apart to be told line by line. */
  diff: string | null
  /** Its contents are left out: `ours` and `theirs` are null on either side. */
  omitted: boolean
  /** What was done in the repository. */
  change: 'edited' | 'added' | 'removed'
}

export const shownBounds = {
  files: 500,
  /** Of one file with its difference. */
  fileBytes: 64 * 1_024,
  /** Of all contents together: who looks at a divergence opens all that is shown. */
  bytes: 384 * 1_024,
}

/**
 * What is shown of a divergence, one file at a time, so that a caller can let others go on between
 * two of them. The first files get their contents, the others are named.
 */
export function* showDifferences(all: readonly Sides[]): Generator<ShownDifference> {
  let left = shownBounds.bytes
  for (const sides of all.slice(0, shownBounds.files)) {
    const whole = withDiff(sides, Math.min(left, shownBounds.fileBytes))
    if (whole) left -= whole.bytes
    yield whole?.shown ?? { ...named(sides), ours: null, theirs: null, diff: null, omitted: true }
  }
}

function withDiff(
  sides: Sides,
  maxBytes: number,
): { shown: ShownDifference; bytes: number } | undefined {
  const { path, ours, theirs, tooLarge } = sides
  if (tooLarge) return undefined
  // No fewer bytes than characters: what is far too long is not compared.
  if ((ours?.length ?? 0) + (theirs?.length ?? 0) > maxBytes) return undefined
  const shown = {
    ...named(sides),
    ours,
    theirs,
    diff: unifiedDiff(path, ours, theirs),
    omitted: false,
  }
  const bytes = Buffer.byteLength(JSON.stringify([ours, theirs, shown.diff]))
  return bytes > maxBytes ? undefined : { shown, bytes }
}

const named = (sides: Sides) => ({ path: sides.path, change: changeOf(sides) })

function changeOf({ ours, theirs, tooLarge }: Sides): ShownDifference['change'] {
  if (theirs === null && !tooLarge) return 'removed'
  return ours === null ? 'added' : 'edited'
}
