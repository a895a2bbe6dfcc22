import { hasCode } from '../../gateways/git/head-moved.ts'
import { isStatus } from '../../gateways/git/git-refusal.ts'
import type { GitConnection } from '../../store/git/git-connections.ts'
import type { GitDelivery } from '../../store/git/git-deliveries.ts'
import type { Pipeline } from '../../store/pipelines/pipelines.ts'
import type { PushReader } from './read-pushes.ts'

type Pipelines = readonly Pipeline[]

/**
 * The pipelines of the repository that a delivery is about. One of a name that is no pipeline's is of a repository
 * that was renamed since, or of one that no pipeline has any more, whose webhook stays at the host. The host tells
 * them apart: otherwise a tag of that repository would release the application of another one.
 */
export async function pipelinesOfDelivery(
  delivery: GitDelivery,
  {
    connection: { defaultRepo },
    triggered,
    reader,
  }: { connection: GitConnection; triggered: Pipelines; reader: PushReader },
): Promise<Pipelines> {
  const { repository } = delivery
  if (repository === null) return triggered
  const isNamed = (name: string | null) => isSame(name, repository)
  const named = triggered.filter(({ appRepo }) => isNamed(appRepo))
  if (named.length > 0 || isNamed(defaultRepo)) return named
  const awaiting = triggered.filter((pipeline) => awaits(pipeline, delivery))
  return renamedTo(repository, awaiting, reader)
}

/** The pipelines whose repository has this name by now. The host redirects its former names. */
async function renamedTo(name: string, some: Pipelines, reader: PushReader): Promise<Pipelines> {
  const renamed: Pipeline[] = []
  let refusal: unknown
  for (const pipeline of some)
    try {
      if (pipeline.appRepo !== null && isSame(await reader.fullName(pipeline.appRepo), name))
        renamed.push(pipeline)
    } catch (error) {
      // A repository that is gone, or that the token may not see, must not stop the others.
      if (isStatus(error, 404)) continue
      if (!hasCode(error, 'git_forbidden')) throw error
      refusal ??= error
    }
  // It may be the repository that the host does not tell of, so the delivery fails, and can be sent again.
  if (renamed.length === 0 && refusal !== undefined) throw refusal
  return renamed
}

/** Whether a pipeline has a trigger of the delivery's kind. The host is not asked about any other. */
const awaits = ({ triggerPush, triggerTags }: Pipeline, { branches, tags }: GitDelivery): boolean =>
  (triggerPush && branches.length > 0) || (triggerTags.length > 0 && tags.length > 0)

const isSame = (one: string | null, other: string): boolean =>
  one?.toLowerCase() === other.toLowerCase()
