import { readFileSync } from 'node:fs'
import { createBillReader } from '../../gateways/duckdb/create-bill-reader.ts'
import { buildSandbox } from '../../gateways/sandbox/build-sandbox.ts'
import { sandboxFor } from '../../gateways/sandbox/sandbox-for.ts'
import type { Mailer } from '../../gateways/mail/mailer.ts'
import { createWorker } from '../../worker/create-worker.ts'
import type { Deps } from '../../api/deps.ts'

export type TestWorker = { stop(): Promise<void> }

/** The real worker with the real sandbox, in this process. */
export async function startWorker(
  deps: Deps & { mail: Mailer },
  codePath: string,
): Promise<TestWorker> {
  const { config, store, keyring, outbound, mail, changes, log } = deps
  const sandbox = await sandboxFor(config, log, {
    slots: config.tofuSlots * 2,
    programs: ['tofu', 'opa', 'sh'],
  })
  const bills = await createBillReader(config, { slots: config.billingSlots, log })
  const builds = await buildSandbox(config, log)
  const running = await createWorker({
    config,
    store,
    keyring,
    outbound,
    sandbox,
    builds,
    bills,
    artifacts: deps.artifacts,
    mail,
    changes,
    log,
    name: 'test-worker',
    engineVersion: '1.12.6',
    cliConfig: config.tofuCliConfig && readFileSync(config.tofuCliConfig, 'utf8'),
    workflowBundle: { codePath },
  })
  return {
    async stop() {
      await running.stop()
      await sandbox.close()
      await builds.close()
      await bills.close()
    },
  }
}
