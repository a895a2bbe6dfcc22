import { maskSecrets, type Mask } from '../domain/runs/mask-secrets.ts'
import type { RunReason } from '../domain/runs/run-state.ts'
import { whyNotMasked } from '../domain/runs/why-not-masked.ts'
import type { ConfigurationFiles } from '../domain/workspaces/configuration-files.ts'
import { JobFailure } from '../gateways/runner/job-failure.ts'
import type { Settings } from '../gateways/runner/protocol.ts'
import type { Port } from './port.ts'

/** Files that were checked when they were stored, so that the type holds. */
export const readFiles = async (port: Port): Promise<ConfigurationFiles> =>
  JSON.parse((await port.input('files')).toString()) as ConfigurationFiles

/** Sent by a worker of the same version (activities/infrastructure/job-inputs.ts). */
export const readSettings = async (port: Port): Promise<Settings> =>
  JSON.parse((await port.input('settings')).toString()) as Settings

/** Ends the run before its first log line if not all its secrets can be masked. */
export function assertMaskable({ secrets }: Pick<Settings, 'secrets'>, reason: RunReason): void {
  const message = whyNotMasked(secrets)
  if (message !== undefined) throw new JobFailure(reason, message)
}

export type GrowingMask = {
  mask: Mask
  /** Masks these values too from now on. */
  add: (values: readonly string[]) => void
  /** What was added. */
  added: readonly string[]
}

export function maskFor({ secrets }: Settings, token: string): GrowingMask {
  const known = [...secrets.map(({ value }) => value), token]
  const added: string[] = []
  let mask = maskSecrets(known)
  return {
    mask: (text, maxLength) => mask(text, maxLength),
    add(values) {
      added.push(...values)
      mask = maskSecrets([...known, ...added])
    },
    added,
  }
}
