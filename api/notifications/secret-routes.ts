import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../store/driver/tenant.ts'
import { notifications } from '../../store/notifications/notifications.ts'
import { manageAccounts } from '../clouds/account-target.ts'
import { errors, IdParams, NoQuery } from '../http/schemas.ts'
import { rotateSecret } from './rotate-secret.ts'
import { SecretAnswer } from './schemas.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  notifications(tenant).get(id)

/** The key of a webhook's signatures. */
export const notificationSecretRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/notifications/:id/secret',
    {
      config: { ...manageAccounts, target },
      schema: {
        operationId: 'rotateNotificationSecret',
        description:
          'Makes a new secret of a webhook, which this answer alone has. For 24 hours messages are signed with the old secret too; another call ends that one. 409 no_secret: the notification is no webhook.',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: SecretAnswer, ...errors(409) },
      },
    },
    async ({ caller, params: { id } }) => ({
      ok: true as const,
      secret: await rotateSecret(app.deps, caller, id),
    }),
  )
}
