import { openHost } from '../../app/git/open-host.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import { gitDeliveries } from '../../store/git/git-deliveries.ts'
import { workspacesOfSource } from '../../store/git/workspaces-of-source.ts'
import { triggeredPipelines } from '../../store/pipelines/pipelines.ts'
import type { TakeDeliveryInput } from '../../workflows/git/contract.ts'
import type { Deps } from '../deps.ts'
import { gitActivity } from './git-activity.ts'
import { notingRefusals } from './note-refusal.ts'
import { pipelinesOfDelivery } from './pipelines-of-delivery.ts'
import { pushReader } from './read-pushes.ts'
import { takeApplicationPushes } from './take-application-push.ts'
import { takePullRequest } from './take-pull-request.ts'
import { takePush } from './take-push.ts'

/**
 * Processes a delivery of a Git host. It carries no authority: it says where to look, and the current state
 * is read from the host. Idempotent.
 */
export const lookIntoDelivery =
  (worker: Deps) =>
  async ({ organizationId, deliveryId }: TakeDeliveryInput): Promise<void> =>
    gitActivity(worker, organizationId, async (deps) => {
      const found = await deps.store.tenant(organizationId, async (tenant) => {
        const delivery = await gitDeliveries(tenant).find(deliveryId)
        const connection = delivery && (await gitConnections(tenant).find(delivery.connectionId))
        return (
          connection && {
            delivery,
            connection,
            triggered: await triggeredPipelines(tenant, connection.id),
            workspaceIds: await workspacesOfSource(tenant, {
              connection,
              branches: delivery.branches,
            }),
          }
        )
      })
      if (!found) return
      // A repository that workspaces are written to is not read from, so our own commits start nothing.
      for (const workspaceId of found.workspaceIds)
        await takePush(deps, { organizationId, workspaceId })
      const { connection, delivery } = found
      if (found.triggered.length > 0) {
        const reader = pushReader(openHost(deps, organizationId, connection))
        const pipelines = await notingRefusals(deps, organizationId, {
          connection,
          work: async () => pipelinesOfDelivery(delivery, { ...found, reader }),
        })
        await takeApplicationPushes(deps, pipelines, {
          organizationId,
          connection,
          delivery,
          reader,
        })
      }
      const { pullRequest: number } = delivery
      if (number !== null)
        await notingRefusals(deps, organizationId, {
          connection,
          work: async () => takePullRequest(deps, { organizationId, connection, number }),
        })
    })
