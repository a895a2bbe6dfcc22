import type { RunPhase } from '../../domain/clouds/check-runs.ts'
import type { CloudCredentials } from '../../domain/clouds/cloud-account.ts'
import type { AwsIdentity, Cloud, CloudDeps, CloudTarget } from '../../gateways/clouds/cloud.ts'
import { openCloud } from '../../gateways/clouds/open-cloud.ts'
import type { Outbound } from '../../gateways/outbound/outbound.ts'
import { createPace, pacedOutbound, type Pace } from '../../gateways/outbound/paced-outbound.ts'
import {
  placeOfBilling,
  placeOfCredentials,
  type CloudAccount,
} from '../../store/clouds/cloud-account-row.ts'
import { accountWorkspaces } from '../../store/clouds/account-workspaces.ts'
import { cloudIdentity } from '../../store/clouds/cloud-identity.ts'
import { signWebIdentity, type ActingRun, type IssuerDeps } from './sign-web-identity.ts'

export type AccountDeps = IssuerDeps & { outbound: Outbound; awsIdentity: AwsIdentity }

/**
 * The cloud of a connected account, with the account's own credentials. The caller closes it. `run` is
 * the one whose identity is lent; without one, that of a workspace which uses the account.
 */
export async function openAccount(
  deps: AccountDeps,
  account: CloudAccount,
  run?: ActingRun,
): Promise<Cloud> {
  return openCloud(await openTarget(deps, account), depsOf(deps, account, run))
}

/** The account with its credentials opened. */
async function openTarget(deps: AccountDeps, account: CloudAccount): Promise<CloudTarget> {
  const { organizationId, provider, accountId, regions, runs } = account
  const credentials = openCredentials(deps.keyring, account)
  const { externalId } = await deps.store.tenant(organizationId, cloudIdentity)
  const open = (place: Parameters<typeof deps.keyring.open>[0], sealed: Buffer): unknown =>
    JSON.parse(deps.keyring.open(place, sealed).toString())
  // Checked when it was sealed (api/clouds/account-columns.ts).
  const billing = account.billing
    ? (open(placeOfBilling(organizationId), account.billing) as Record<string, string>)
    : null
  return {
    provider,
    accountId,
    credentials,
    externalId,
    regions,
    endpoints: endpointsOf(account, billing),
    billing,
    runs,
  }
}

function depsOf(
  deps: AccountDeps,
  { id, organizationId, accountId }: CloudAccount,
  run: ActingRun | undefined,
): CloudDeps {
  const unnamed = new Set<RunPhase>()
  const sign = async (asked: Parameters<typeof signWebIdentity>[2]) =>
    signWebIdentity(deps, organizationId, asked)
  return {
    outbound: pacedOutbound(deps.outbound, paceOf(organizationId)),
    awsIdentity: deps.awsIdentity,
    webIdentity: async (audience) => sign({ audience, subject: { accountId }, run }),
    namesNoWorkspace: (phase) => unnamed.has(phase),
    async runIdentity(audience, phase) {
      const acting = run ?? (await anyUser(deps, { organizationId, id }))
      const { workspaceName } = acting
      if (acting.workspaceId === noWorkspace.workspaceId) unnamed.add(phase)
      return sign({ audience, subject: { workspaceName, phase }, run: acting })
    },
  }
}

/**
 * What clouds send to an organization: the answers of some 150,000 resources at once, then of 7,000 a second. Reading
 * them costs this process CPU.
 */
const cloudPace = { bytesPerSecond: 2 * 1024 ** 2, burstBytes: 32 * 1024 ** 2 }
const paces = new Map<number, Pace>()

function paceOf(organizationId: number): Pace {
  const pace = paces.get(organizationId) ?? createPace(cloudPace)
  paces.set(organizationId, pace)
  return pace
}

/** Whose runs a validation tries the identities for. A trust policy may name one workspace alone. */
async function anyUser(
  { store }: AccountDeps,
  { organizationId, id }: { organizationId: number; id: number },
): Promise<ActingRun> {
  const user = await store.tenant(organizationId, async (tenant) =>
    accountWorkspaces(tenant, id).first(),
  )
  return user ?? noWorkspace
}

const noWorkspace = { workspaceId: 0, workspaceName: 'any' }

/** What the account signs in with. Never logged. */
export function openCredentials(
  keyring: IssuerDeps['keyring'],
  { organizationId, credentials }: Pick<CloudAccount, 'organizationId' | 'credentials'>,
): CloudCredentials {
  if (!credentials) throw new Error('a disconnected account has no credentials')
  const opened = keyring.open(placeOfCredentials(organizationId), credentials)
  // Checked when they were sealed (api/clouds/account-columns.ts).
  return JSON.parse(opened.toString()) as CloudCredentials
}

/** `endpoint` is for all calls, `endpoints` for those it names, `billing.endpoint` for bills. */
function endpointsOf(
  { endpoint, endpoints }: CloudAccount,
  billing: Record<string, string> | null,
): CloudAccount['endpoints'] {
  const all = endpoint && {
    identity: endpoint,
    resources: endpoint,
    storage: endpoint,
    warehouse: endpoint,
  }
  const ofBills = billing?.['endpoint']
  return {
    ...all,
    ...endpoints,
    ...(ofBills !== undefined && { storage: ofBills, warehouse: ofBills }),
  }
}
