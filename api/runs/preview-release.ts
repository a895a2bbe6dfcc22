import { checkManifest } from '../../domain/manifest/check-manifest.ts'
import type { HostStrategy } from '../../domain/manifest/resolve-strategy.ts'
import { batchSizes } from '../../domain/pipelines/batches.ts'
import { planRelease } from '../../domain/pipelines/release-plan.ts'
import { agentsOfTarget } from '../../store/deployments/agents-of-target.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { ApplicationRunView } from '../../store/runs/application-runs.ts'
import {
  manifestsOf,
  previewedReleases,
  type PreviewedRelease,
} from '../../store/runs/previewed-releases.ts'
import type { RunBody } from './schemas.ts'

/** A run of the workspace deploys, and no host is changed. */
const ofWorkspace = {
  strategy: 'workspace',
  batch: 0,
  batches: 0,
  hosts: {
    total: 0,
    pending: 0,
    updating: 0,
    healthy: 0,
    failed: 0,
    rolledBack: 0,
    unreachable: 0,
  },
  confirm: null,
  rolledBackTo: null,
  runId: null,
}

type DeploymentBody = NonNullable<RunBody['deployment']>

/** Limits of what is read for one answer: a member can make a page of releases wait, each with its own manifest. */
const maxPreviews = 5
/** The newest manifest is read whatever its length, and takes up to 31 ms to check. */
const maxManifestBytes = 16_384

/**
 * How the deployments of those runs that wait for one would go now: what their approvers decide about. Runs that
 * would deploy the same manifest to the same target share one count of hosts. Of more than `maxPreviews` the newest
 * have a preview; the preview of another run is in its detail.
 */
export async function previewReleases(
  tenant: Tenant,
  views: readonly ApplicationRunView[],
): Promise<Map<number, DeploymentBody>> {
  const waiting = views.filter(
    ({ phase, targetWorkspaceId }) =>
      targetWorkspaceId !== null && (phase === 'awaiting_approval' || phase === 'deploy_queued'),
  )
  const found = await previewedReleases(
    tenant,
    waiting.map(({ id }) => id),
  )
  const hosts = await countHosts(
    tenant,
    found.filter(({ strategy }) => strategy.kind !== 'workspace'),
  )
  return new Map(
    found.flatMap(({ runId, strategy, ...release }) => {
      if (strategy.kind === 'workspace')
        return [[runId, { ...ofWorkspace, hosts: { ...ofWorkspace.hosts } }] as const]
      const counted = hosts.get(placeOf(release))
      return counted ? [[runId, ofHosts(strategy, counted)] as const] : []
    }),
  )
}

type Hosts = { online: number; total: number }
type Place = Pick<PreviewedRelease, 'manifestRunId' | 'targetWorkspaceId'>

const placeOf = ({ manifestRunId, targetWorkspaceId }: Place): string =>
  `${manifestRunId} ${targetWorkspaceId}`

/** How many hosts the newest of these releases have, by `placeOf`. */
async function countHosts(
  tenant: Tenant,
  found: readonly PreviewedRelease[],
): Promise<Map<string, Hosts>> {
  const places = new Map<string, PreviewedRelease>()
  for (const release of found)
    if (places.size < maxPreviews && !places.has(placeOf(release)))
      places.set(placeOf(release), release)
  const labels = await labelsOf(tenant, [...places.values()])
  const counted = new Map<string, Hosts>()
  for (const [place, { manifestRunId, targetWorkspaceId }] of places) {
    const asked = labels.get(manifestRunId)
    if (asked) counted.set(place, await agentsOfTarget(tenant, targetWorkspaceId, asked))
  }
  return counted
}

/** The labels that hosts need by the manifests of these releases, each of which is read once. */
async function labelsOf(
  tenant: Tenant,
  found: readonly PreviewedRelease[],
): Promise<Map<number, Readonly<Record<string, string>>>> {
  const read = new Set<number>()
  let bytes = 0
  for (const { manifestRunId, manifestBytes } of found) {
    if (read.has(manifestRunId)) continue
    if (read.size > 0 && bytes + manifestBytes > maxManifestBytes) continue
    read.add(manifestRunId)
    bytes += manifestBytes
  }
  const manifests = await manifestsOf(tenant, [...read])
  return new Map(
    [...manifests].map(([id, yaml]) => [
      id,
      planRelease(checkManifest(yaml).manifest?.deploy).labels,
    ]),
  )
}

function ofHosts(strategy: HostStrategy, { online, total }: Hosts): DeploymentBody {
  return {
    strategy: strategy.kind,
    batch: 0,
    batches: strategy.kind === 'blue-green' ? 2 : batchSizes(strategy, online).length,
    hosts: {
      total,
      pending: online,
      updating: 0,
      healthy: 0,
      failed: 0,
      rolledBack: 0,
      unreachable: total - online,
    },
    confirm: null,
    rolledBackTo: null,
    runId: null,
  }
}
