import { notFound } from '../../../domain/errors.ts'
import { hostWork } from '../../../store/agents/host-work.ts'
import type { Target } from '../../http/access.ts'

/** A deployment that the agent has a part in; another one is not there for it. */
// oxlint-disable-next-line max-params -- as the type of a target has them
export const deploymentTarget: Target = async (tenant, { id = 0 }, agentId) => {
  if (!(await hostWork(tenant).find(id, agentId))) throw notFound()
}
