import type { AnyRunDetail } from '../api/types.ts'

type Shown = Pick<AnyRunDetail, 'state' | 'stages' | 'deployment'>

/** Whether the run's deployment has begun. Before it, `deployment` is what it would do, and the API has no hosts of it. */
export const hasDeployment = (run: Shown): boolean =>
  run.deployment != null && (run.state !== 'running' || isDeploying(run))

export const isDeploying = ({ state, stages }: Omit<Shown, 'deployment'>): boolean =>
  state === 'running' && stages.some((one) => one.name === 'deploy' && one.state === 'running')
