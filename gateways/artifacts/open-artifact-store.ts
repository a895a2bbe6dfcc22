import type { Config } from '../../config.ts'
import type { PrivateHost } from '../../config/outbound.ts'
import { createOutbound } from '../outbound/outbound.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { artifactFolder } from './folder.ts'
import { artifactBucket } from './s3.ts'

/** The store of artifacts that the operator has set: a folder or a bucket. */
export function openArtifactStore({
  artifactStore,
  extraCaFile,
}: Pick<Config, 'artifactStore' | 'extraCaFile'>): ArtifactStore {
  if (artifactStore.kind === 'folder') return artifactFolder(artifactStore.dir)
  // The operator names it in the same place where private hosts are opened, so it may be one.
  const outbound = createOutbound({ privateHosts: hostOf(artifactStore.endpoint), extraCaFile })
  return artifactBucket(artifactStore, outbound)
}

function hostOf(endpoint: string | undefined): PrivateHost[] {
  if (endpoint === undefined) return []
  const { hostname, port, protocol } = new URL(endpoint)
  const host = hostname.replace(/^\[|\]$/g, '')
  return [{ use: 'artifacts', host, port: Number(port || (protocol === 'https:' ? 443 : 80)) }]
}
