import { inParts, piecesOf } from '../../app/workspaces/state-in-parts.ts'
import type { Asks } from '../../gateways/runner/protocol.ts'
import type { Runner } from '../../gateways/runner/start-runner.ts'
import { stateOfSerial } from '../../store/workspaces/state-versions.ts'
import type { Deps } from '../deps.ts'

/** Sends a runner the workspace's state of a serial and lineage when it asks, as it was written. */
export const tellOrigin =
  (
    deps: Deps,
    runner: Runner,
    { organizationId, workspaceId }: { organizationId: number; workspaceId: number },
  ) =>
  async ({ serial, lineage }: Asks['origin']['ask']): Promise<Asks['origin']['answer']> => {
    // A runner reads a tenant's bytes.
    if (!Number.isSafeInteger(serial) || typeof lineage !== 'string')
      throw new Error('a runner named no state')
    // PostgreSQL has no text with a NUL.
    if (lineage.includes('\0')) return { known: false }
    const found = await stateOfSerial(deps.store, organizationId, { workspaceId, serial, lineage })
    if (!found) return { known: false }
    const version = await inParts(deps, { organizationId, version: found })
    for await (const piece of piecesOf(deps, { organizationId, version }))
      await runner.channel.sendPieces('origin', piece)
    await runner.channel.sendBlob('origin', Buffer.alloc(0))
    return { known: true }
  }
