import type { Tenant } from '../../store/driver/tenant.ts'
import { createHash, randomUUID, type Hash } from 'node:crypto'
import {
  isPlanPart,
  maxPartBytes,
  type PlanPart,
  type PlanPieces,
} from '../../domain/infrastructure/plan-part.ts'
import { placeOfPiece } from '../../gateways/keyring/place-of-piece.ts'
import { sealBatch } from '../../gateways/keyring/sealed-rows.ts'
import type { Header } from '../../gateways/runner/frames.ts'
import { planChanges } from '../../store/infrastructure/plan-changes.ts'
import { planParts, type StoredPiece } from '../../store/infrastructure/plan-parts.ts'
import type { SealedBatch } from '../../store/sealed-batches.ts'
import type { Deps } from '../deps.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'

export type WrittenPlan = {
  attempt: string
  pieces: PlanPieces
  /** Hashes of the existing parts, in hexadecimal. */
  sha256: Partial<Record<PlanPart, string>>
}

export type PlanWriter = {
  /** Takes a blob from the runner. */
  add: (name: string, bytes: Buffer, header: Header) => Promise<void>
  /** Called in the transaction that makes the plan valid: stores the rest. */
  store(tenant: Tenant): Promise<void>
  written(): WrittenPlan
}

/** How much is held before it is stored, so that a small plan needs no transaction of its own. */
const holdBytes = 1024 * 1024

/**
 * Stores a plan in sealed pieces while it arrives, so that a worker never holds all of it. The pieces are
 * valid once `recordPlan` names the attempt.
 */
export function writePlan(
  { store, keyring }: Pick<Deps, 'store' | 'keyring'>,
  { organizationId, workspaceRunId, maxJsonBytes }: Place,
): PlanWriter {
  const attempt = randomUUID()
  const place = { organizationId, table: 'plan_changes', ownerId: workspaceRunId }
  const limits: Record<PlanPart, number> = { ...maxPartBytes, plan_json: maxJsonBytes }
  const open = new Map<PlanPart, { hash: Hash; bytes: number; seq: number }>()
  let pieces: StoredPiece[] = []
  let rows: SealedBatch[] = []
  let heldBytes = 0

  const seal = (part: PlanPart, bytes: Buffer): StoredPiece => {
    const at = open.get(part) ?? { hash: createHash('sha256'), bytes: 0, seq: 0 }
    open.set(part, at)
    at.bytes += bytes.length
    // Runners enforce the limits themselves, so this one is broken.
    if (at.bytes > limits[part]) throw new Error(`a runner sent more of ${part} than it may`)
    at.hash.update(bytes)
    const seq = at.seq++
    const piece = { organizationId, workspaceRunId, attempt, part, seq }
    return { part, seq, body: keyring.seal(placeOfPiece(piece), bytes) }
  }
  const storeHeld = async (tenant: Tenant) => {
    await planParts(tenant, { workspaceRunId, attempt }).add(pieces)
    await planChanges(tenant, { workspaceRunId, attempt }).add(rows)
  }

  return {
    async add(name, bytes, { firstSeq, lastSeq }) {
      heldBytes += bytes.length
      if (name === 'rows') {
        const packed = { firstSeq: Number(firstSeq), lastSeq: Number(lastSeq) }
        rows.push(sealBatch(keyring, place, { ...packed, json: bytes.toString() }))
      } else if (isPlanPart(name)) pieces.push(seal(name, bytes))
      else throw new Error('a runner sent what a plan does not have')
      if (heldBytes < holdBytes) return
      await retryWhileUnavailable(async () => store.tenant(organizationId, storeHeld))
      pieces = []
      rows = []
      heldBytes = 0
    },

    store: storeHeld,

    written: () => ({
      attempt,
      pieces: Object.fromEntries([...open].map(([part, { seq }]) => [part, seq])),
      sha256: Object.fromEntries(
        [...open].map(([part, { hash }]) => [part, hash.copy().digest('hex')]),
      ),
    }),
  }
}

type Place = { organizationId: number; workspaceRunId: number; maxJsonBytes: number }
