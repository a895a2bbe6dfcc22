import { Readable } from 'node:stream'
import { batchBytes } from '../../domain/infrastructure/pack-rows.ts'
import {
  batchesPerPage,
  openPage,
  placeOf,
  type RowsPage,
} from '../../gateways/keyring/sealed-rows.ts'
import { withSplitState } from '../../gateways/states/split-state.ts'
import { partTables, stateParts, type StatePartKind } from '../../store/workspaces/state-parts.ts'
import { stateVersions, type StateVersion } from '../../store/workspaces/state-versions.ts'
import type { Deps } from '../deps.ts'
import { keepParts } from './keep-state.ts'

/** One version of a state. */
export type StateAddress = { organizationId: number; version: StateVersion }

/** The bytes of a state, read as fast as the client takes them. A slow client holds eight pieces. */
export async function readStateBytes(deps: Deps, address: StateAddress): Promise<StateBytes> {
  const { sizeBytes, bodyMd5 } = await inParts(deps, address)
  return {
    sizeBytes,
    bodyMd5,
    stream: Readable.from(piecesOf(deps, address), {
      objectMode: false,
      highWaterMark: batchBytes,
    }),
  }
}

/** Size and MD5 are null while the state is being stored, or where its worker was killed meanwhile. */
export type StateBytes = { sizeBytes: number | null; bodyMd5: string | null; stream: Readable }

type PieceDeps = Pick<Deps, 'store' | 'keyring'>

export async function* piecesOf(
  { store, keyring }: PieceDeps,
  { organizationId, version }: StateAddress,
): AsyncGenerator<Buffer> {
  const versionId = version.id
  const place = { organizationId, table: partTables.piece, ownerId: versionId }
  const limit = piecesAtOnce
  for (let seq = 0; ;) {
    const after = seq
    const pieces = await store.tenant(organizationId, async (tenant) =>
      stateParts(tenant).readPieces(versionId, { after, limit }, (piece) => ({
        lastSeq: piece.lastSeq,
        bytes: keyring.open(placeOf(place, piece.firstSeq), piece.body),
      })),
    )
    for (const { bytes } of pieces) yield bytes
    if (pieces.length < limit) return
    seq = pieces.at(-1)?.lastSeq ?? seq
  }
}

/** 2 MiB that a download holds. One transaction for each piece took half of its CPU. */
const piecesAtOnce = 8

type PageOf = { kind: Exclude<StatePartKind, 'piece'>; after: number; limit: number }

/** The largest page of a state's rows as JSON. With 1 MiB of empty objects a page took 150 ms of CPU. */
const maxPageBytes = batchBytes

/** A page of a state's resources or outputs: a bounded number of batches, however large the state is. */
export async function readStateRows<Row>(
  deps: Deps,
  address: StateAddress,
  { kind, after, limit }: PageOf,
): Promise<RowsPage<Row> & { omitted: number }> {
  const { organizationId } = address
  const version = await inParts(deps, address)
  const batches = await deps.store.tenant(organizationId, async (tenant) =>
    stateParts(tenant).after({ versionId: version.id, kind }, after, maxBatches),
  )
  const place = { organizationId, table: partTables[kind], ownerId: version.id }
  const page = openPage<Row>(deps.keyring, place, { batches, after, limit, maxBytes: maxPageBytes })
  const omitted = kind === 'resource' ? version.omittedResources : version.omittedOutputs
  return { ...page, omitted: omitted ?? 0 }
}

const maxBatches = batchesPerPage(maxPageBytes)

/**
 * The version with its state in parts. An older version is one sealed body, which its first reader
 * splits in a process of its own. A version that is being stored has no size yet, and its pieces are
 * those that are there.
 */
export async function inParts(
  { store, keyring }: Deps,
  { organizationId, version }: StateAddress,
): Promise<StateVersion> {
  if (version.sizeBytes !== null) return version
  const place = { organizationId, table: 'state_versions', column: 'body' }
  const sealed = await store.tenant(organizationId, async (tenant) =>
    stateVersions(tenant).sealedBody(version.id),
  )
  if (sealed) {
    const bytes = Readable.from([keyring.open(place, sealed)])
    await withSplitState({ organizationId, bytes }, { keepUnreadable: true }, async (state) =>
      store.tenant(organizationId, async (tenant) => {
        const versions = stateVersions(tenant)
        // A concurrent reader has already split it.
        if ((await versions.sealedBody(version.id)) === null) return
        await versions.settle(version.id, state.header)
        await keepParts({ keyring }, tenant, { versionId: version.id, parts: state.parts })
      }),
    )
  }
  return store.tenant(organizationId, async (tenant) =>
    stateVersions(tenant).get(version.workspaceId, version.id),
  )
}
