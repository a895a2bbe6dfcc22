import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import pino from 'pino'
import { createApp } from '../api/app.ts'
import type { Deps } from '../api/deps.ts'
import { openapiText } from '../api/http/openapi.ts'
import { readConfig } from '../config.ts'
import { openArtifactStore } from '../gateways/artifacts/open-artifact-store.ts'
import { createKeyring } from '../gateways/keyring/keyring.ts'
import { createOutbound } from '../gateways/outbound/outbound.ts'
import { databaseLogins } from '../gateways/keyring/database-logins.ts'
import { connectStore } from '../store/driver/connect.ts'

/** Writes api/openapi.json from the routes, without a server and without connections. */
async function main(): Promise<void> {
  const config = readConfig({
    DATABASE_URL: 'postgres://nobody@127.0.0.1/nothing',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    CC_KEYRING: `none=${randomBytes(32).toString('base64')}`,
  })
  const nothing = async () => undefined
  const deps: Deps = {
    config,
    // A pool connects at its first query, and nothing here queries.
    store: connectStore(databaseLogins(config), 1),
    keyring: createKeyring(config.keyring),
    engine: {
      assertReachable: nothing,
      pollers: async () => ({ control: 0, withoutCgroup: 0, tofu: 0 }),
    },
    outbound: createOutbound(config),
    artifacts: openArtifactStore(config),
    policies: { check: async () => [], close: nothing },
    formatter: { format: async (text) => ({ ok: true, text }), close: nothing },
    changes: { on: () => () => undefined, close: nothing },
    log: pino({ level: 'silent' }),
  }
  const app = await createApp(deps)
  await app.ready()
  writeFileSync(new URL('../api/openapi.json', import.meta.url), openapiText(app))
  await app.close()
  await deps.store.close()
}

await main()
