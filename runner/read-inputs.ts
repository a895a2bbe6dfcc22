import { maskSecrets, type Mask } from '../domain/pipelines/mask-secrets.ts'
import type { RunReason } from '../domain/pipelines/run-state.ts'
import { whyNotMasked } from '../domain/pipelines/why-not-masked.ts'
import type { ConfigurationFiles } from '../domain/workspaces/configuration-files.ts'
import { JobFailure } from '../gateways/runner/job-failure.ts'
import type { Settings } from '../gateways/runner/protocol.ts'
import type { Port } from './port.ts'

/** Written by putConfiguration, from a body that its schema had checked. */
export const readFiles = async (port: Port): Promise<ConfigurationFiles> =>
  JSON.parse((await port.input('files')).toString()) as ConfigurationFiles

/** Made by the worker of the same version (activities/pipelines/job-inputs.ts). */
export const readSettings = async (port: Port): Promise<Settings> =>
  JSON.parse((await port.input('settings')).toString()) as Settings

/** Ends the run before it prints a line if its secrets cannot all be masked. */
export function assertMaskable({ secrets }: Settings, reason: RunReason): void {
  const message = whyNotMasked(secrets)
  if (message !== undefined) throw new JobFailure(reason, message)
}

/** The mask of a run's log. */
export const maskFor = ({ secrets }: Settings, token: string): Mask =>
  maskSecrets([...secrets.map(({ value }) => value), token])
