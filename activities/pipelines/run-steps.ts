import type { Deps } from '../deps.ts'
import type { BuildInputs } from '../../gateways/runner/protocol.ts'
import { superviseJob } from '../../gateways/runner/supervise-job.ts'
import type { Attempt } from './begin-attempt.ts'
import type { BuildPlan } from './assert-buildable.ts'
import type { OpenedSource } from './with-source.ts'

/** Runs the steps of a build. A runner starts them and reads what they print, which may be anything. */
export async function runSteps(
  { runners, builds }: Pick<Deps, 'runners' | 'builds'>,
  { log, watch, source }: Attempt,
  { opened, plan }: { opened: OpenedSource; plan: BuildPlan },
): Promise<void> {
  const { steps, timeoutMs, limits, isOnline, variables, secrets } = plan
  if (steps.length === 0) return
  const { sha, committedAt } = opened.commit
  await superviseJob(runners.take(), {
    job: {
      kind: 'build',
      timeoutMs,
      limits,
      isOnline,
      tools: builds.tools,
      folder: opened.folder,
      env: {
        CC_COMMIT: sha,
        ...(opened.branch !== null && { CC_BRANCH: opened.branch }),
        ...(source.tag !== null && { CC_TAG: source.tag }),
        SOURCE_DATE_EPOCH: String(Math.floor(committedAt.getTime() / 1_000)),
      },
    },
    inputs: only(
      'build',
      Buffer.from(JSON.stringify({ steps, variables, secrets } satisfies BuildInputs)),
    ),
    signal: watch.signal,
    answers: {
      bench: async () => ({ bench: 1, grant: opened.grant }),
      // The activity closes it, once the artifact is packed.
      giveBack: async () => ({}),
    },
    onLog: log.append,
    async onBlob() {
      throw new Error('a build sends no bytes')
    },
  })
}

async function* only(name: string, bytes: Buffer) {
  yield { name, bytes, last: true }
}
