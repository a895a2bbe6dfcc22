import type { Tenant } from '../../store/driver/tenant.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import {
  buildNetworks,
  organizationName,
  organizationSettings,
  planApprovals,
} from '../../store/organizations/settings.ts'
import { OneLine } from '../http/one-line.ts'
import { Body, errors, Nullable, OneOf } from '../http/schemas.ts'
import { changeOrganization } from './change-organization.ts'
import { Currency, Pattern } from '../http/pattern.ts'

const fields = {
  name: OneLine(200),
  currency: Currency,
  approvalExpiryHours: Type.Integer({ minimum: 1, maximum: 720 }),
  tagKey: Nullable(OneLine(256)),
  tagAliases: Type.Record(
    Pattern('^.{1,256}$', '1 to 256 characters'),
    Type.Array(OneLine(256), { minItems: 1, maxItems: 20 }),
    {
      maxProperties: 50,
      additionalProperties: false,
      description:
        'Other keys that are read as this one: { team: ["Team", "resourceTags/team"] }. Bills that are loaded and have one of them are read again.',
    },
  ),
  anomalyMinimum: Type.Number({ minimum: 0, maximum: 1_000_000_000 }),
  learnPrices: Type.Boolean(),
  buildNetwork: OneOf(buildNetworks),
  planApproval: OneOf(planApprovals),
  artifactDays: Type.Integer({
    minimum: 1,
    maximum: 730,
    description: 'How many days all artifacts of applications are kept.',
  }),
}

const SettingsBody = Type.Object(fields)
const SettingsChangeBody = Body({
  name: Type.Optional(fields.name),
  currency: Type.Optional(fields.currency),
  approvalExpiryHours: Type.Optional(fields.approvalExpiryHours),
  tagKey: Type.Optional(fields.tagKey),
  tagAliases: Type.Optional(fields.tagAliases),
  anomalyMinimum: Type.Optional(fields.anomalyMinimum),
  learnPrices: Type.Optional(fields.learnPrices),
  buildNetwork: Type.Optional(fields.buildNetwork),
  planApproval: Type.Optional(fields.planApproval),
  artifactDays: Type.Optional(fields.artifactDays),
})

/** /api/org/settings. */
export const settingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/org/settings',
    {
      config: { access: 'manage_users_sso' },
      schema: {
        operationId: 'getSettings',
        response: { 200: SettingsBody, ...errors() },
      },
    },
    async ({ caller: { organizationId } }) =>
      app.deps.store.tenant(organizationId, async (tenant) => read(tenant)),
  )

  app.patch(
    '/org/settings',
    {
      config: { access: 'manage_users_sso' },
      schema: {
        operationId: 'updateSettings',
        body: SettingsChangeBody,
        response: {
          200: Type.Object({ ok: Type.Literal(true), ...fields }),
          ...errors(),
        },
      },
    },
    async ({ caller, body }) => {
      await changeOrganization(app.deps, caller, body)
      const { organizationId } = caller
      const settings = await app.deps.store.tenant(organizationId, async (tenant) => read(tenant))
      return { ok: true as const, ...settings }
    },
  )
}

async function read(tenant: Tenant) {
  const { requireSso: _, ...settings } = await organizationSettings(tenant)
  return { name: await organizationName(tenant), ...settings }
}
