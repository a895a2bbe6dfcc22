import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { unavailable } from '../../domain/errors.ts'
import { sandboxFor } from '../sandbox/sandbox-for.ts'
import type { OwnedSandbox } from '../sandbox/workbench.ts'
import { formatText, type Formatted } from './format-text.ts'

/** Formats files of OpenTofu while they are edited. */
export type Formatter = {
  /** Throws 503 `formatter_unavailable` where OpenTofu is not to be had. */
  format(text: string): Promise<Formatted>
  close(): Promise<void>
}

/** OpenTofu in a sandbox of the API's own, made when the first file is formatted. */
export function createFormatter(config: Config, log: Logger): Formatter {
  let made: Promise<OwnedSandbox> | undefined
  return {
    async format(text) {
      made ??= sandboxFor(config, log, { slots: 2, programs: ['tofu'] })
      let sandbox: OwnedSandbox
      try {
        sandbox = await made
      } catch (error) {
        made = undefined
        throw unavailable(
          'formatter_unavailable',
          'Files cannot be formatted here: OpenTofu or the sandbox is missing.',
          error,
        )
      }
      return formatText(sandbox, text)
    },
    async close() {
      await made?.then(async (sandbox) => sandbox.close()).catch(() => undefined)
    },
  }
}
