import type { Store } from '../driver/connect.ts'
import type { Tenant } from '../driver/tenant.ts'
import { configurationVersions } from './configuration-versions.ts'

/** A frame between processes holds one (gateways/runner/frames.ts). */
const pieceBytes = 256 * 1_024

/** The first piece of a version's sealed files; of most versions it is all of them. */
export const firstSealedPiece = async (tenant: Tenant, versionId: number): Promise<Buffer> =>
  configurationVersions(tenant).sealedPiece(versionId, 0, pieceBytes)

/**
 * The sealed files of a configuration version, piece by piece as they are taken: a reader holds one
 * of them, and `first` where it has read that.
 */
export async function* sealedFiles(
  store: Pick<Store, 'tenant'>,
  { organizationId, versionId, first }: SealedFiles,
): AsyncGenerator<Buffer> {
  for (let offset = 0; ; offset += pieceBytes) {
    const from = offset
    const piece =
      (from === 0 ? first : undefined) ??
      (await store.tenant(organizationId, async (tenant) =>
        configurationVersions(tenant).sealedPiece(versionId, from, pieceBytes),
      ))
    if (piece.length > 0) yield piece
    if (piece.length < pieceBytes) return
  }
}

type SealedFiles = { organizationId: number; versionId: number; first?: Buffer }
