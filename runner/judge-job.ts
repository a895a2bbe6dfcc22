import type { Judged, JudgeJob } from '../gateways/runner/protocol.ts'
import { judgePlan } from './judge-plan.ts'
import type { Port } from './port.ts'
import { readSettings } from './read-inputs.ts'

/** Evaluates both gates over a stored plan again, with the current policies and prices. */
export async function judgeJob(job: JudgeJob, port: Port): Promise<Judged> {
  const { sensitiveVariables, secrets } = await readSettings(port)
  const planJson: unknown = JSON.parse((await port.input('plan_json')).toString())
  return judgePlan(port, {
    planJson,
    run: job.run,
    sensitiveVariables,
    secrets: secrets.map(({ value }) => value),
  })
}
