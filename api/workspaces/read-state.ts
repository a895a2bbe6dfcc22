import { Readable } from 'node:stream'
import { inParts, piecesOf, type StateAddress } from '../../app/workspaces/state-in-parts.ts'
import { batchBytes } from '../../domain/infrastructure/pack-rows.ts'
import { batchesPerPage, openPage, type RowsPage } from '../../gateways/keyring/sealed-rows.ts'
import { partTables, stateParts, type StatePartKind } from '../../store/workspaces/state-parts.ts'
import type { Deps } from '../deps.ts'

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
