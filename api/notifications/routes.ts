import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../store/driver/tenant.ts'
import { notifications } from '../../store/notifications/notifications.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { errors, IdParams, NextCursor, NoQuery, Page } from '../http/schemas.ts'
import { notificationChangeRoutes } from './change-routes.ts'
import { presentNotification } from './present-notification.ts'
import { NotificationBody } from './schemas.ts'
import { notificationSecretRoutes } from './secret-routes.ts'
import { notificationTryRoutes } from './try-routes.ts'
import { addRoutes } from '../http/add-routes.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  notifications(tenant).get(id)

const ListQuery = Type.Object(Page.properties, { additionalProperties: false })

/** The channels that are told of events: every member reads, `manage_cloud_accounts` writes. */
export const notificationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  await addRoutes(app, notificationChangeRoutes, notificationSecretRoutes, notificationTryRoutes)

  app.get(
    '/notifications',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listNotifications',
        querystring: ListQuery,
        response: {
          200: Type.Object({ notifications: Type.Array(NotificationBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) => {
      const after = decodeCursor(cursor, 0)
      const found = await deps.store.tenant(organizationId, async (tenant) =>
        notifications(tenant).list(limit + 1, after),
      )
      const { rows, nextCursor } = page(found, limit)
      return { notifications: rows.map(presentNotification), nextCursor }
    },
  )

  app.get(
    '/notifications/:id',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'getNotification',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Type.Object({ notification: NotificationBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id } }) => {
      const row = await deps.store.tenant(organizationId, async (tenant) =>
        notifications(tenant).get(id),
      )
      return { notification: presentNotification(row) }
    },
  )
}
