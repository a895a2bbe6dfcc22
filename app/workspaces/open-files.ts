import type { ConfigurationFiles } from '../../domain/workspaces/configuration-files.ts'
import type { EarlierFiles } from '../../gateways/configurations/read-configuration.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Store } from '../../store/driver/connect.ts'
import {
  placeOfFiles,
  type ConfigurationVersion,
} from '../../store/workspaces/configuration-versions.ts'
import { sealedFiles } from '../../store/workspaces/sealed-files.ts'

/** The files of a configuration version. Of 10 MiB this takes 50 ms of CPU. */
export const openFiles = (
  { keyring }: { keyring: Keyring },
  organizationId: number,
  sealed: Buffer,
): ConfigurationFiles =>
  // Written by create-version.ts, in this shape.
  JSON.parse(keyring.open(placeOfFiles(organizationId), sealed).toString()) as ConfigurationFiles

/** The files of a configuration version as JSON, piece by piece as they are taken. */
export const openFilePieces = (
  { store, keyring }: { store: Pick<Store, 'tenant'>; keyring: Keyring },
  organizationId: number,
  { id, sizeBytes }: Pick<ConfigurationVersion, 'id' | 'sizeBytes'>,
): EarlierFiles => ({
  sizeBytes,
  pieces: keyring.openPieces(
    placeOfFiles(organizationId),
    sealedFiles(store, { organizationId, versionId: id }),
  ),
})
