import {
  configurationSha256,
  type ConfigurationFiles,
} from '../../domain/workspaces/configuration-files.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import {
  configurationVersions,
  placeOfFiles,
  type ConfigurationVersion,
} from '../../store/workspaces/configuration-versions.ts'

export type NewVersion = Pick<ConfigurationVersion, 'workspaceId' | 'authorUserIds'> &
  Partial<Pick<ConfigurationVersion, 'unknownAuthor' | 'pullRequestId'>> & {
    files: ConfigurationFiles
    /** Of files that were read from Git: it is part of their hash. */
    commit?: string
    /** What that commit says of itself. */
    words?: { author: string; message: string } | undefined
  }

/** Stores files that were checked as a version of the workspace, sealed. The caller holds the workspace's row. */
export async function createVersion(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  { files, commit, words, ...version }: NewVersion,
): Promise<ConfigurationVersion> {
  return configurationVersions(tenant).create({
    ...version,
    ...(commit !== undefined && { source: 'git', commitSha: commit }),
    ...(words && { commitAuthor: words.author, commitMessage: words.message }),
    files: keyring.seal(placeOfFiles(tenant.organizationId), JSON.stringify(files)),
    filesSha256: configurationSha256(files, commit),
    fileNames: Object.keys(files).toSorted(),
    sizeBytes: Object.values(files).reduce((sum, file) => sum + Buffer.byteLength(file), 0),
  })
}
