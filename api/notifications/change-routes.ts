import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../store/driver/tenant.ts'
import { notifications } from '../../store/notifications/notifications.ts'
import { manageAccounts } from '../clouds/account-target.ts'
import { errors, IdParams, NoQuery, Ok } from '../http/schemas.ts'
import { createNotification } from './create-notification.ts'
import { deleteNotification } from './delete-notification.ts'
import { presentNotification } from './present-notification.ts'
import {
  CreatedNotificationAnswer,
  NewNotificationBody,
  NotificationAnswer,
  NotificationChangeBody,
} from './schemas.ts'
import { updateNotification } from './update-notification.ts'

const manageChannel = {
  ...manageAccounts,
  target: async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
    notifications(tenant).get(id),
}

/** Adding, changing and deleting channels. */
export const notificationChangeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/notifications',
    {
      config: manageAccounts,
      schema: {
        operationId: 'createNotification',
        description:
          'Adds a channel that is told of events. Of a webhook the answer has the secret of its signatures (Standard Webhooks), this once. 400 address_not_allowed: plain http, a password in the address, or a private host that CC_PRIVATE_HOSTS does not open for webhook.',
        querystring: NoQuery,
        body: NewNotificationBody,
        response: { 201: CreatedNotificationAnswer, ...errors(409) },
      },
    },
    async ({ caller, body }, reply) => {
      const { notification, secret } = await createNotification(deps, caller, body)
      const shown = { ...presentNotification(notification), ...(secret && { secret }) }
      return reply.status(201).send({ ok: true, notification: shown })
    },
  )

  app.patch(
    '/notifications/:id',
    {
      config: manageChannel,
      schema: {
        operationId: 'updateNotification',
        description:
          'Changes all but the kind. Disabling drops what still waits; a changed address gets what waits.',
        params: IdParams,
        querystring: NoQuery,
        body: NotificationChangeBody,
        response: { 200: NotificationAnswer, ...errors() },
      },
    },
    async ({ caller, params: { id }, body }) => {
      const notification = await updateNotification(deps, caller, { id, change: body })
      return { ok: true as const, notification: presentNotification(notification) }
    },
  )

  app.delete(
    '/notifications/:id',
    {
      config: manageChannel,
      schema: {
        operationId: 'deleteNotification',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      await deleteNotification(deps, caller, id)
      return { ok: true as const }
    },
  )
}
