import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError } from '../../domain/errors.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { notifications } from '../../store/notifications/notifications.ts'
import { manageAccounts } from '../clouds/account-target.ts'
import { createPlaces } from '../http/places.ts'
import { errors, IdParams, NoQuery } from '../http/schemas.ts'
import { TriedAnswer } from './schemas.ts'
import { tryNotification } from './try-notification.ts'

/** Of one organization in one process: each waits some seconds for a receiver. */
const triesAtOnce = 4
const places = createPlaces({ ofOrganization: triesAtOnce })

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  notifications(tenant).get(id)

/** Trying a channel. */
export const notificationTryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/notifications/:id/test',
    {
      config: { ...manageAccounts, target },
      schema: {
        operationId: 'testNotification',
        description:
          'Sends a test message as every other message is sent, and answers once it was tried: sent, or failed with why; waiting while nothing is known after 17 s, and for mails, which go to whom the channel reaches, or to the caller alone where that is more than 20 people. A channel of mails is tested at most once in 10 s (429 too_many_tests).',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: TriedAnswer, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      const trying = places.run(caller.organizationId, async () =>
        tryNotification(app.deps, caller, id),
      )
      if (!trying)
        throw new AppError(
          'rate_limited',
          `Your organization is trying ${triesAtOnce} notifications, and no more are tried at once. Try again in a moment.`,
          { code: 'too_many_tests', retryAfterSeconds: 5 },
        )
      return { ok: true as const, delivery: await trying }
    },
  )
}
