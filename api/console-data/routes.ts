import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import { may } from '../../domain/access/caller.ts'
import { capabilities, capabilitiesOf, roles } from '../../domain/access/roles.ts'
import { originInWords } from '../../domain/runs/run-origin.ts'
import { cloudProviders } from '../../domain/clouds/cloud-account.ts'
import { publicState, runReasons } from '../../domain/runs/run-state.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { consoleData, type ConsoleRun } from '../../store/console/console-data.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { endingCertificates } from '../saml/ending-certificates.ts'
import { HomeCostBody, keepHomeCost } from './home-cost.ts'
import { SetupBody, setupOf } from './setup.ts'
import { errors, Id, NoQuery, Nullable, OneOf, Time } from '../http/schemas.ts'

const ConsoleRunBody = Type.Object({
  id: Id,
  number: Nullable(Type.Integer()),
  pipelineId: Nullable(Id),
  pipelineName: Nullable(Type.String()),
  workspaceId: Nullable(
    Type.Integer({
      minimum: 1,
      description: 'Of a run of an application: its target; null without one.',
    }),
  ),
  workspaceName: Nullable(Type.String()),
  criticality: OneOf(['standard', 'production']),
  kind: OneOf(['apply', 'plan', 'application']),
  destroy: Type.Boolean(),
  state: OneOf(['running', 'succeeded', 'failed', 'canceled']),
  reason: Nullable(OneOf(runReasons)),
  queued: Type.Boolean({ description: 'It waits for its turn, or for somebody to take it up.' }),
  awaitingApproval: Type.Boolean(),
  awaitingPlanApproval: Type.Boolean(),
  author: Type.String(),
  createdAt: Time,
  endedAt: Nullable(Time),
})

const TroubledAccountBody = Type.Object({
  id: Id,
  provider: OneOf(cloudProviders),
  name: Type.String(),
  accountId: Type.String(),
  status: OneOf(['pending', 'degraded', 'invalid_credentials', 'unreachable']),
  statusReason: Nullable(Type.String()),
})

const ConsoleDataBody = Type.Object({
  user: Type.Object({
    id: Id,
    email: Nullable(Type.String()),
    name: Type.String(),
    role: OneOf(roles),
    capabilities: Type.Array(OneOf(capabilities)),
    platformAdmin: Type.Boolean(),
  }),
  organization: Type.Object({
    id: Id,
    slug: Type.String(),
    name: Type.String(),
    status: OneOf(['active', 'suspended']),
  }),
  counts: Type.Object({
    workspaces: Type.Integer(),
    pipelines: Type.Integer(),
    runs: Type.Object({
      live: Type.Integer(),
      waiting: Type.Integer(),
      failedLastDay: Type.Integer(),
    }),
  }),
  lastRuns: Type.Array(ConsoleRunBody),
  /** Runs whose approval the caller may give, oldest first. */
  waitingForMe: Type.Array(ConsoleRunBody),
  cost: HomeCostBody,
  /** Those that are not healthy, 200 at most. */
  accounts: Type.Array(TroubledAccountBody),
  /** Certificates that end soon, for those who may change the identity provider. */
  samlCertificates: Type.Array(
    Type.Object({
      fingerprint: Type.String(),
      notAfter: Time,
      state: OneOf(['expiring', 'expired']),
    }),
  ),
  setup: SetupBody,
})

const maxShown = 10
const maxAccounts = 200

/** GET /api/console/data: the data of the console's first page in one answer. */
export const consoleDataRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const homeCost = keepHomeCost(app.deps.store)
  app.get(
    '/console/data',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'getConsoleData',
        querystring: NoQuery,
        response: { 200: ConsoleDataBody, ...errors() },
      },
    },
    async ({ caller }) => {
      const { organizationId, userId } = caller
      const cost = await homeCost(organizationId)
      const { data, accounts, samlCertificates, setup } = await app.deps.store.tenant(
        organizationId,
        async (tenant) => ({
          data: await consoleData(tenant, {
            ...(await approvers(tenant).of(caller)),
            limit: maxShown,
          }),
          accounts: await cloudAccounts(tenant).troubled(maxAccounts),
          samlCertificates: may(caller, 'manage_users_sso') ? await endingCertificates(tenant) : [],
          setup: await setupOf(tenant, app.deps.config, caller),
        }),
      )
      const { counts, lastRuns, waitingForMe } = data
      const { live, waiting, failedLastDay, ...things } = counts
      return {
        user: {
          id: userId,
          email: caller.email,
          name: caller.name,
          role: caller.role,
          capabilities: capabilitiesOf(caller),
          platformAdmin: caller.platformAdmin,
        },
        organization: {
          id: organizationId,
          slug: caller.organizationSlug,
          name: caller.organizationName,
          status: caller.organizationStatus,
        },
        counts: { ...things, runs: { live, waiting, failedLastDay } },
        lastRuns: lastRuns.map(presentRun),
        waitingForMe: waitingForMe.map(presentRun),
        cost,
        accounts: accounts.map(presentTroubled),
        samlCertificates,
        setup,
      }
    },
  )
}

const presentTroubled = ({
  id,
  provider,
  name,
  accountId,
  status,
  statusReason,
}: CloudAccount): Static<typeof TroubledAccountBody> => ({
  id,
  provider,
  name,
  accountId,
  status: status === 'healthy' ? 'pending' : status,
  statusReason,
})

const presentRun = ({
  phase,
  waits,
  createdAt,
  endedAt,
  origin,
  author,
  ...run
}: ConsoleRun): Static<typeof ConsoleRunBody> => ({
  ...run,
  author: author ?? (origin === 'person' ? 'a former member' : originInWords[origin]),
  state: publicState(phase),
  queued: phase === 'queued',
  awaitingApproval: waits && phase !== 'awaiting_plan_approval',
  awaitingPlanApproval: phase === 'awaiting_plan_approval',
  createdAt: new Date(createdAt).toISOString(),
  endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
})
