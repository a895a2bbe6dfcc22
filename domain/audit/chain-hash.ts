import { createHash } from 'node:crypto'

export type SealedEntry = {
  id: number
  at: Date
  event: string
  outcome: string
  actorKind: string
  actorId: number | null
  actorLabel: string
  targetKind: string | null
  targetId: string | null
  targetLabel: string | null
  detail: Record<string, unknown>
  ip: string | null
  requestId: string | null
}

/** The hash of an entry and the previous hash: changing or removing an entry breaks all later hashes. */
export function chainHash(previous: Buffer, entry: SealedEntry): Buffer {
  const canonical = JSON.stringify([
    entry.id,
    entry.at.toISOString(),
    entry.event,
    entry.outcome,
    entry.actorKind,
    entry.actorId,
    entry.actorLabel,
    entry.targetKind,
    entry.targetId,
    entry.targetLabel,
    sorted(entry.detail),
    entry.ip,
    entry.requestId,
  ])
  return createHash('sha256').update(previous).update(canonical).digest()
}

/** Sorts keys at every depth: jsonb does not keep their order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}
