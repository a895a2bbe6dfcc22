import type { Tenant } from '../../store/driver/tenant.ts'
import { createHash } from 'node:crypto'
import { cutText } from '../../domain/infrastructure/cut-text.ts'
import type { SealedRows } from '../../gateways/keyring/sealed-rows.ts'
import type { Asks } from '../../gateways/runner/protocol.ts'
import { sealStatePart } from '../../gateways/states/seal-state-part.ts'
import { partTables, stateParts } from '../../store/workspaces/state-parts.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import type { Deps } from '../deps.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import type { LoadedRun } from './load-run.ts'

/** As large as a state may be that is saved (gateways/tofu/tofu.ts). */
const maxBytes = 128 * 1024 * 1024
/** Twice as many as a runner makes of that. Each is a row, so that empty ones would be rows without end. */
const maxPieces = 1_024
/** So much is held at once, however large the state is. */
const holdBytes = 1024 * 1024

type Asked = Asks['keepState']['ask']

export type ErroredState = {
  keepState: (asked: Asked) => Promise<Asks['keepState']['answer']>
  /** Takes a blob of a runner's. */
  add: (name: string, bytes: Buffer) => Promise<void>
  stateSent: (ask: Asks['stateSent']['ask']) => Promise<Asks['stateSent']['answer']>
  /** All of it is stored. */
  isKept: () => boolean
  /** It was announced. It ends as well, so that no runner lives for ever by not sending it. */
  isSaving: () => boolean
}

/**
 * Keeps a state that could not be saved, piece by piece as the runner sends it: it is the only trace
 * of what was made, and it is never made current. What has come is stored also where this worker is
 * killed before the rest; a reader then gets the part (api/workspaces/read-state.ts).
 */
export function keepErroredState(
  { store, keyring }: Pick<Deps, 'store' | 'keyring'>,
  { organizationId, run }: Pick<LoadedRun, 'organizationId' | 'run'>,
  patienceMs: number,
): ErroredState {
  let pieces: Pieces | undefined
  let savesUntil: number | undefined
  let kept = false

  const inStore = async <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> =>
    retryWhileUnavailable(async () => store.tenant(organizationId, work), patienceMs)

  return {
    async keepState(asked) {
      if (savesUntil !== undefined) throw outOfOrder()
      savesUntil = Date.now() + patienceMs
      const found = await inStore(async (tenant) =>
        findOrCreate(tenant, { organizationId, run, asked }),
      )
      kept = found === 'known'
      if (found !== 'known') pieces = sealPieces(keyring, organizationId, found.id)
      return { known: kept }
    },

    async add(name, bytes) {
      if (!pieces || kept || name !== 'errored_state') throw outOfOrder()
      if (pieces.add(bytes) < holdBytes) return
      await inStore(pieces.store)
      pieces.forget()
    },

    async stateSent() {
      const sent = pieces
      if (!sent || kept) throw outOfOrder()
      const marks = sent.marks()
      await inStore(async (tenant) => {
        await sent.store(tenant)
        await stateVersions(tenant).noteBytes(sent.versionId, marks)
      })
      sent.forget()
      kept = true
      return {}
    },

    isKept: () => kept,
    isSaving: () => !kept && savesUntil !== undefined && Date.now() < savesUntil,
  }
}

const outOfOrder = () => new Error('a runner sent what an apply does not have')

type Pieces = ReturnType<typeof sealPieces>

/** The pieces of one version, sealed as they come. */
function sealPieces(keyring: Deps['keyring'], organizationId: number, versionId: number) {
  const place = { organizationId, table: partTables.piece, ownerId: versionId }
  const [sha256, md5] = [createHash('sha256'), createHash('md5')]
  let held: SealedRows[] = []
  let sizeBytes = 0
  let seq = 0

  return {
    versionId,
    /** Gives how many bytes are held by now. */
    add(bytes: Buffer): number {
      sizeBytes += bytes.length
      if (sizeBytes > maxBytes) throw outOfOrder()
      sha256.update(bytes)
      md5.update(bytes)
      seq += 1
      if (seq > maxPieces) throw outOfOrder()
      const piece = { kind: 'piece', firstSeq: seq, lastSeq: seq, bytes } as const
      held.push(sealStatePart(keyring, place, piece))
      return held.reduce((sum, { body }) => sum + body.length, 0)
    },
    store: async (tenant: Tenant): Promise<void> =>
      stateParts(tenant).addOnce(versionId, 'piece', held),
    /** What is stored. */
    forget: () => void (held = []),
    /** Once, at the end. */
    marks: () => ({ sizeBytes, bodySha256: sha256.digest('hex'), bodyMd5: md5.digest('base64') }),
  }
}

type Search = Pick<LoadedRun, 'organizationId' | 'run'> & { asked: Asked }

/** `known`: the state endpoint has kept what it refused, or this is asked again. */
async function findOrCreate(
  tenant: Tenant,
  { run, asked }: Search,
): Promise<{ id: number } | 'known'> {
  const { serial, lineage, sha256 } = asked
  if (!Number.isSafeInteger(serial) || serial < 0) throw outOfOrder()
  if (typeof lineage !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) throw outOfOrder()
  const versions = stateVersions(tenant)
  const same = (await versions.quarantinedOfRun(run.id)).find(
    (version) => version.bodySha256 === sha256,
  )
  // Without bytes it is our own, made by a commit whose answer was lost.
  if (same) return same.sizeBytes === null ? same : 'known'
  return versions.create({
    workspaceId: run.workspaceId,
    serial,
    lineage: cutText(lineage, 200),
    status: 'quarantined',
    reason: 'state_save_failed',
    sizeBytes: null,
    bodySha256: sha256,
    workspaceRunId: run.id,
    createdBy: `run ${run.id}`,
  })
}
