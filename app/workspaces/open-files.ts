import type { ConfigurationFiles } from '../../domain/workspaces/configuration-files.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { placeOfFiles } from '../../store/workspaces/configuration-versions.ts'

/** The files of a configuration version. */
export const openFiles = (
  { keyring }: { keyring: Keyring },
  organizationId: number,
  sealed: Buffer,
): ConfigurationFiles =>
  // Written by create-version.ts, in this shape.
  JSON.parse(keyring.open(placeOfFiles(organizationId), sealed).toString()) as ConfigurationFiles
