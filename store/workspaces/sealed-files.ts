import type { Store } from '../driver/connect.ts'
import { configurationVersions } from './configuration-versions.ts'

/** A frame between processes holds one (gateways/runner/frames.ts). */
const pieceBytes = 256 * 1_024

/** The sealed files of a configuration version, piece by piece as they are taken: a reader holds one of them. */
export async function* sealedFiles(
  store: Pick<Store, 'tenant'>,
  organizationId: number,
  versionId: number,
): AsyncGenerator<Buffer> {
  for (let offset = 0; ; offset += pieceBytes) {
    const from = offset
    const piece = await store.tenant(organizationId, async (tenant) =>
      configurationVersions(tenant).sealedPiece(versionId, from, pieceBytes),
    )
    if (piece.length > 0) yield piece
    if (piece.length < pieceBytes) return
  }
}
