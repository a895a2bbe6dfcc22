import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { temporal } from '@temporalio/proto'
import { describe, expect, inject, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { createKeyring } from '../../gateways/keyring/keyring.ts'
import { payloadAuthentication } from '../../gateways/temporal/payload-authentication.ts'
import { historyKeyring, type RecordedHistory } from '../histories/recorded-history.ts'

// Without this, the replay's worker logs each of its states.
Runtime.install({ logger: new DefaultLogger('ERROR') })

const folder = join(import.meta.dirname, '../histories')
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
// record-histories.ts writes the files in this shape.
const read = (name: string) =>
  JSON.parse(readFileSync(join(folder, name), 'utf8')) as RecordedHistory

const { keyring } = readConfig({
  DATABASE_URL: 'postgres://nobody@localhost/none',
  TEMPORAL_ADDRESS: 'localhost:1',
  CC_KEYRING: historyKeyring,
})
// The codec of production, which refuses a payload without a MAC.
const codec = payloadAuthentication(createKeyring(keyring))
const replay = async (workflowId: string, history: temporal.api.history.v1.IHistory) =>
  Worker.runReplayHistory(
    {
      workflowBundle: { codePath: inject('workflowBundle') },
      dataConverter: { payloadCodecs: [codec] },
    },
    history,
    workflowId,
  )

describe('histories of running versions', () => {
  test('there is a history of each end of a run', () => {
    expect(files.map((name) => name.replace('.json', '')).toSorted()).toEqual([
      'application-approved',
      'application-canceled',
      'application-deploy-canceled',
      'application-deployed',
      'application-failed',
      'application-host-lost',
      'application-released',
      'application-rolled-back',
      'application-superseded',
      'applied',
      'approved',
      'bill-changed',
      'bill-failed',
      'bill-loaded',
      'bill-refused',
      'bills-denied',
      'bills-ingested',
      'bills-looked-at-again',
      'canceled',
      'cloud-sync-failed',
      'cloud-synced',
      'cloud-synced-slowly',
      'delivery-refused',
      'delivery-taken',
      'expired',
      'git-health',
      'hydrate-refused',
      'hydrated',
      'initialize-refused',
      'initialized',
      'pull-request-comment',
      'reconcile',
      'rejected',
      'runner-lost',
      'upload-loaded',
      'uploads-ingested',
      'webhook-registered',
    ])
  })

  test.each(files)('%s replays with the current workflows', async (name) => {
    const { workflowId, history } = read(name)
    await replay(workflowId, temporal.api.history.v1.History.fromObject(history))
  })

  test('bills-ingested replays where a newer worker answered how many bills are taken at once', async () => {
    const { workflowId, history: recorded } = read('bills-ingested.json')
    const history = temporal.api.history.v1.History.fromObject(recorded)
    const answers = (history.events ?? []).flatMap(
      ({ activityTaskCompletedEventAttributes: ended }) => ended?.result?.payloads ?? [],
    )
    for (const answer of answers) {
      const said = Buffer.from(answer.data ?? []).toString()
      if (!said.includes('sourceIds')) continue
      const value = { ...(JSON.parse(said) as object), billsAtOnce: 1 }
      const encoding = answer.metadata?.['encoding'] ?? new Uint8Array()
      const data = Buffer.from(JSON.stringify(value))
      const [marked] = await codec.encode([{ metadata: { encoding }, data }], {
        type: 'workflow',
        namespace: 'default',
        workflowId,
      })
      Object.assign(answer, marked)
    }
    expect(answers.filter(({ data }) => String(data).includes('billsAtOnce'))).toHaveLength(2)
    await replay(workflowId, history)
  })

  test('a place of cloud-synced-slowly is looked at twice', () => {
    const text = JSON.stringify(read('cloud-synced-slowly.json'))
    expect(text.split('"name":"lookAtPlace"')).toHaveLength(3)
  })

  test('bills-looked-at-again has a bill that changed while it was fetched, and a second round', () => {
    const text = JSON.stringify(read('bills-looked-at-again.json'))
    expect(text.split('"name":"discoverBills"')).toHaveLength(4)
    expect(text.split('"name":"endIngest"')).toHaveLength(3)
  })

  test.each(files)('%s holds ids and fixed words, no secret, host or path', (name) => {
    const texts: string[] = []
    const payloads: unknown[] = []
    const walk = (value: unknown, key = ''): void => {
      if (typeof value === 'string') texts.push(`${key}=${value}`)
      if (typeof value !== 'object' || value === null) return
      if (key !== 'metadata' && 'data' in value && typeof value.data === 'string') {
        const plain = Buffer.from(value.data, 'base64').toString()
        if (plain !== '') payloads.push(JSON.parse(plain))
      }
      for (const [inner, one] of Object.entries(value))
        if (inner !== 'metadata' && inner !== 'data') walk(one, inner)
    }
    walk(read(name))
    const all = texts.join('\n')
    expect(all).not.toMatch(/\/(?:home|root|tmp|work|run|usr|var)\//)
    expect(all).not.toMatch(/\b\d{1,3}(?:\.\d{1,3}){3}\b|localhost|@\w+\.\w/)
    expect(all).not.toMatch(/cc(?:run|pat|agt)?_[A-Za-z0-9]{16,}|postgres:|password|hello/i)
    for (const text of texts.filter((one) => one.startsWith('identity=')))
      expect(text).toBe('identity=worker')
    // Payloads contain only ids, the next step and a place of the program.
    for (const payload of payloads) {
      if (typeof payload !== 'object' || payload === null) continue
      for (const [field, value] of Object.entries(payload)) {
        expect([
          'runId',
          'next',
          'timeoutMs',
          'processGroup',
          'reason',
          'code',
          'organizationId',
          'connectionId',
          'hydrationId',
          'deliveryId',
          'pullRequestId',
          'syncId',
          'placeId',
          'placeIds',
          'checked',
          'looked',
          'settled',
          'ingestId',
          'sourceId',
          'sourceIds',
          'sliceId',
          'sliceIds',
          'uploadId',
          'uploadIds',
          'accountId',
          'months',
          'outcome',
        ]).toContain(field)
        for (const text of [value].flat().map(String))
          expect(text).toMatch(/^(?:\d+(?:\.\d+)?|null|[a-z_]+)$/)
      }
    }
  })
})

describe('the workflow bundle', () => {
  const code = () => readFileSync(inject('workflowBundle'), 'utf8')

  test('contains only the workflows, their domain rules and the Temporal SDK', () => {
    const modules = modulesOf(code())
    expect(modules).toContain('./workflows/infrastructure/infrastructure-run.ts')
    // No knex, objection, pg or fastify, no store, no gateway: a workflow that does I/O cannot be
    // replayed.
    const sdk =
      '@temporalio/(?:common|workflow|worker/lib/workflow-log-interceptor)|nexus-rpc|ms|long'
    const allowed = new RegExp(`^\\./(?:workflows/|domain/|node_modules/(?:${sdk})[/.])`)
    // A module named `?` and a hash is one that the bundler replaced with an empty module.
    expect(modules.filter((name) => !allowed.test(name) && !/^\?[0-9a-f]+$/.test(name))).toEqual([])
  })

  test('imports no Node built-in', () => {
    const asked = [...code().matchAll(/\b(?:require|import)\(\s*["']([^"']+)["']\s*\)/g)]
    const names = asked.map(([, name = '']) => name.replace(/^node:/, ''))
    expect(names.filter((name) => builtinModules.includes(name))).toEqual([])
    for (const [, name = ''] of code().matchAll(/^\/\*{3}\/ "(?:external )?(?:node:)?([\w/]+)"/gm))
      expect(builtinModules).not.toContain(name)
  })
})

/** The bundler's names for the modules in the bundle. */
const modulesOf = (code: string): string[] =>
  [...code.matchAll(/^\/\*{3}\/ "([^"]+)"/gm)].map(([, name = '']) => name)
