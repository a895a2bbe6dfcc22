import type { PreparedFiles } from '../../domain/workspaces/prepared-files.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import {
  configurationVersions,
  placeOfFiles,
  type ConfigurationVersion,
} from '../../store/workspaces/configuration-versions.ts'

export type NewVersion = Pick<ConfigurationVersion, 'workspaceId' | 'authorUserIds'> &
  Partial<Pick<ConfigurationVersion, 'unknownAuthor' | 'pullRequestId'>> & {
    files: PreparedFiles
    /** Of files that were read from Git. */
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
    files: keyring.seal(placeOfFiles(tenant.organizationId), files.text),
    filesSha256: files.sha256,
    fileNames: files.names,
    fileBlobs: files.blobs,
    sizeBytes: files.sizeBytes,
    localModules: files.localModules,
  })
}
