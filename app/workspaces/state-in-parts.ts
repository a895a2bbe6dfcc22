import { Readable } from 'node:stream'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { placeOf } from '../../gateways/keyring/sealed-rows.ts'
import { withSplitState } from '../../gateways/states/split-state.ts'
import type { Store } from '../../store/driver/connect.ts'
import { partTables, stateParts } from '../../store/workspaces/state-parts.ts'
import {
  stateVersions,
  type PlacedState,
  type StateVersion,
} from '../../store/workspaces/state-versions.ts'
import { keepParts } from './keep-state.ts'

/** One version of a state. */
export type StateAddress = PlacedAddress<StateVersion>

type PlacedAddress<V> = { organizationId: number; version: V }

type PieceDeps = { store: Store; keyring: Keyring }

/** The bytes of a state as they were written, eight pieces at once. */
export async function* piecesOf(
  { store, keyring }: PieceDeps,
  { organizationId, version }: PlacedAddress<PlacedState>,
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

/**
 * The version with its state in parts. An older version is one sealed body, which its first reader
 * splits in a process of its own. A version that is being stored has no size yet, and its pieces are
 * those that are there.
 */
export async function inParts<V extends PlacedState>(
  { store, keyring }: PieceDeps,
  { organizationId, version }: PlacedAddress<V>,
): Promise<V | StateVersion> {
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
