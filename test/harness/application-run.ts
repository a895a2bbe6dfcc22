import { randomBytes } from 'node:crypto'
import type { Deps } from '../../api/deps.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { applicationRuns, type NewApplicationRun } from '../../store/runs/application-runs.ts'
import type { PipelineRun } from '../../store/runs/pipeline-runs.ts'
import { stages } from '../../store/runs/stages.ts'

/** An application pipeline, without a source. */
export const applicationPipeline = async (
  { store }: Pick<Deps, 'store'>,
  organizationId: number,
  targetWorkspaceId: number | null = null,
): Promise<number> =>
  store.tenant(organizationId, async (tenant) => {
    const name = `app-${randomBytes(4).toString('hex')}`
    const made = await pipelines(tenant).create({ name, kind: 'application', targetWorkspaceId })
    return made.id
  })

/** A queued run with its stages. */
export const applicationRun = async (
  { store }: Pick<Deps, 'store'>,
  organizationId: number,
  run: NewApplicationRun,
): Promise<PipelineRun> =>
  store.tenant(organizationId, async (tenant) => {
    const place = await applicationRuns(tenant).create(run)
    await stages(tenant).createOfApplication(place.id)
    return place
  })
