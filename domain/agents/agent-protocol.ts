import { AppError, invalid } from '../errors.ts'

/** The service speaks this version and the one before it. There is none before the first. */
export const currentProtocol = 1
const oldestProtocol = Math.max(1, currentProtocol - 1)

/**
 * The version that a request speaks, from its header. An agent that sends none speaks the first one; a newer
 * agent steps down to what a heartbeat offers, so its version is no fault.
 */
export function readProtocol(header: string | string[] | undefined): number {
  if (header === undefined) return 1
  if (typeof header !== 'string' || !/^\d{1,4}$/.test(header))
    throw invalid('CC-Agent-Protocol is not a number.', undefined, 'agent_protocol')
  return Number(header)
}

export const isTooOld = (protocol: number): boolean => protocol < oldestProtocol

/** The newest version that both speak; undefined if all of the agent's are too old. */
export function offerProtocol(protocols: readonly number[]): number | undefined {
  const both = protocols.filter((one) => one >= oldestProtocol && one <= currentProtocol)
  if (both.length > 0) return Math.max(...both)
  return protocols.some((one) => one > currentProtocol) ? currentProtocol : undefined
}

export const tooOld = (): AppError =>
  new AppError(
    'upgrade_required',
    `This agent is too old: it must speak version ${oldestProtocol} or newer of the protocol. Install the current agent.`,
    { code: 'agent_too_old' },
  )
