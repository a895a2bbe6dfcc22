import type { LineCounter } from 'yaml'
import { findOffsets } from './find-offsets.ts'
import { pathInWords, type ManifestFault } from './manifest-fault.ts'
import { manifestLimits } from './manifest-limits.ts'
import type { Manifest } from './manifest-schema.ts'
import { judgeMeaning } from './meaning-faults.ts'
import { readYaml } from './read-yaml.ts'
import { judgeBySchema, type SpotFault } from './schema-faults.ts'
import { toPlain } from './to-plain.ts'

export type CheckedManifest = {
  /** Without faults only. */
  manifest?: Manifest
  errors: ManifestFault[]
  warnings: ManifestFault[]
}

/** Reads a manifest, and says of each fault where it stands and what to do. Takes milliseconds for any text. */
export function checkManifest(text: string): CheckedManifest {
  const { lines, faults, document } = readYaml(text)
  const root = document?.contents
  if (faults.length > 0) return { errors: present(lines, faults.map(ofText)), warnings: [] }
  if (!root || (root.range[0] === root.range[1] && !root.anchor))
    return { errors: present(lines, [ofText({ offset: 0, message: empty })]), warnings: [] }
  const plain = toPlain(root)
  // What is missing or wrong may follow from these.
  if (plain.faults.length > 0)
    return { errors: present(lines, plain.faults.map(ofText)), warnings: [] }
  const find = findOffsets(root, plain.targets)
  const place = (fault: SpotFault): Placed => ({ ...fault, offset: find(fault) })
  const judged = judgeBySchema(plain.value)
  if (!judged.manifest) return { errors: present(lines, judged.faults.map(place)), warnings: [] }
  const meaning = judgeMeaning(judged.manifest)
  const errors = present(lines, meaning.faults.map(place))
  return {
    ...(errors.length === 0 && { manifest: judged.manifest }),
    errors,
    warnings: present(lines, meaning.warnings.map(place)),
  }
}

const empty = 'the manifest is empty: begin with "version: 1", or take a starter'

type Placed = SpotFault & { offset: number }

const ofText = ({ offset, message }: { offset: number; message: string }): Placed => ({
  offset,
  path: [],
  say: () => message,
})

/** In the order of the text. Past the limit one entry says how many there are more. */
function present(lines: LineCounter, faults: readonly Placed[]): ManifestFault[] {
  const sorted = faults.toSorted((a, b) => a.offset - b.offset)
  const isTooMany = sorted.length > manifestLimits.faults
  const shown = sorted.slice(0, manifestLimits.faults - (isTooMany ? 1 : 0))
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const presented = shown.map(({ offset, path, say }) => ({
    ...at(offset),
    path: pathInWords(path),
    message: say(),
  }))
  const next = sorted[shown.length]
  if (next)
    presented.push({
      ...at(next.offset),
      path: '',
      message: `and ${sorted.length - shown.length} more faults from here on: correct those above first`,
    })
  return presented
}
