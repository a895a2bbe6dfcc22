import { createHash, type Hash } from 'node:crypto'
import type { PlanPart } from '../../domain/infrastructure/plan-part.ts'
import type { Settings } from '../../gateways/runner/protocol.ts'
import type { PlanToApply } from '../../store/infrastructure/judged-plan.ts'
import { placeOfFiles } from '../../store/workspaces/configuration-versions.ts'
import { sealedFiles } from '../../store/workspaces/sealed-files.ts'
import type { Deps } from '../deps.ts'
import type { LoadedRun } from './load-run.ts'
import { readPlanParts } from './read-plan-parts.ts'

export type Input = { name: string; bytes: Buffer; last: boolean }

const whole = (name: string, bytes: Buffer): Input => ({ name, bytes, last: true })

/**
 * What a runner needs of a run to have OpenTofu work on it. The files go as they were stored, as the
 * JSON that only a runner looks into, a piece at a time. They end once all of them was found to be
 * genuine: where somebody changed them in the store, the job fails before the runner has them whole.
 */
export async function* runInputs(deps: Deps, loaded: LoadedRun): AsyncGenerator<Input> {
  const { organizationId, configuration, env, secrets, sensitiveVariables, overrides } = loaded
  const settings: Settings = {
    env,
    secrets,
    sensitiveVariables,
    overrides,
    cliConfig: deps.cliConfig,
  }
  yield settingsInput(settings)
  const place = placeOfFiles(organizationId)
  const sealed = sealedFiles(deps.store, {
    organizationId,
    versionId: configuration.id,
    first: loaded.firstPiece,
  })
  for await (const bytes of deps.keyring.openPieces(place, sealed))
    yield { name: 'files', bytes, last: false }
  yield whole('files', nothing)
}

export const factsOf = ({ id, kind, destroy, authorUserId }: LoadedRun['run']) => ({
  id,
  kind,
  destroy,
  authorUserId,
})

export const settingsInput = (settings: Settings): Input =>
  whole('settings', Buffer.from(JSON.stringify(settings)))

/**
 * Parts of a stored plan in pieces, one part after the other. A part that the plan does not have is sent
 * empty. `sha256` is filled in while the bytes pass.
 */
export async function* planInputs(
  deps: Deps,
  organizationId: number,
  {
    plan,
    parts,
    sha256,
  }: { plan: PlanToApply; parts: readonly PlanPart[]; sha256: Partial<Record<PlanPart, string>> },
): AsyncGenerator<Input> {
  let open: { part: PlanPart; hash: Hash } | undefined
  const close = function* () {
    if (!open) return
    sha256[open.part] = open.hash.digest('hex')
    yield whole(open.part, nothing)
  }
  for await (const { part, bytes } of readPlanParts(deps, organizationId, { plan, parts })) {
    if (open?.part !== part) {
      yield* close()
      open = { part, hash: createHash('sha256') }
    }
    open.hash.update(bytes)
    yield { name: part, bytes, last: false }
  }
  yield* close()
  for (const part of parts) if (!(part in sha256)) yield whole(part, nothing)
}

const nothing = Buffer.alloc(0)
