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

// A replay's worker would tell of each of its states.
Runtime.install({ logger: new DefaultLogger('ERROR') })

const folder = join(import.meta.dirname, '../histories')
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
// Written by record-histories.ts, in this shape.
const read = (name: string) =>
  JSON.parse(readFileSync(join(folder, name), 'utf8')) as RecordedHistory

describe('histories of running versions', () => {
  test('there is one of each end', () => {
    expect(files.map((name) => name.replace('.json', '')).toSorted()).toEqual([
      'applied',
      'approved',
      'canceled',
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
      'webhook-registered',
    ])
  })

  test.each(files)('%s is replayed by today’s workflows', async (name) => {
    const { keyring } = readConfig({
      DATABASE_URL: 'postgres://nobody@localhost/none',
      TEMPORAL_ADDRESS: 'localhost:1',
      CC_KEYRING: historyKeyring,
    })
    const { workflowId, history } = read(name)
    await Worker.runReplayHistory(
      {
        workflowBundle: { codePath: inject('workflowBundle') },
        // The very codec of production, refusing what has no mark.
        dataConverter: { payloadCodecs: [payloadAuthentication(createKeyring(keyring))] },
      },
      temporal.api.history.v1.History.fromObject(history),
      workflowId,
    )
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
    // What passes through the engine: ids, the next step, a place of the program.
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
          'checked',
          'looked',
          'settled',
        ]).toContain(field)
        expect(String(value)).toMatch(/^(?:\d+(?:\.\d+)?|null|[a-z_]+)$/)
      }
    }
  })
})

describe('the workflow bundle', () => {
  const code = () => readFileSync(inject('workflowBundle'), 'utf8')

  test('holds the workflows, their rules and the SDK’s own part, and nothing else', () => {
    const modules = modulesOf(code())
    expect(modules).toContain('./workflows/pipelines/infrastructure-run.ts')
    // No knex, objection, pg or fastify, no store, no gateway: an isolate that did I/O could not be replayed.
    const sdk =
      '@temporalio/(?:common|workflow|worker/lib/workflow-log-interceptor)|nexus-rpc|ms|long'
    const allowed = new RegExp(`^\\./(?:workflows/|domain/|node_modules/(?:${sdk})[/.])`)
    // What has no name but `?` and a hash the bundler left out; its place is an empty module.
    expect(modules.filter((name) => !allowed.test(name) && !/^\?[0-9a-f]+$/.test(name))).toEqual([])
  })

  test('asks for no built-in of Node', () => {
    const asked = [...code().matchAll(/\b(?:require|import)\(\s*["']([^"']+)["']\s*\)/g)]
    const names = asked.map(([, name = '']) => name.replace(/^node:/, ''))
    expect(names.filter((name) => builtinModules.includes(name))).toEqual([])
    for (const [, name = ''] of code().matchAll(/^\/\*{3}\/ "(?:external )?(?:node:)?([\w/]+)"/gm))
      expect(builtinModules).not.toContain(name)
  })
})

/** The names under which the bundler keeps what it put in. */
const modulesOf = (code: string): string[] =>
  [...code.matchAll(/^\/\*{3}\/ "([^"]+)"/gm)].map(([, name = '']) => name)
