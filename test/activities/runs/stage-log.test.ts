import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStageLog } from '../../../activities/runs/stage-log.ts'
import { maskSecrets } from '../../../domain/runs/mask-secrets.ts'
import { logLines, type LogLine } from '../../../store/runs/log-lines.ts'
import { openStageLines } from '../../../runner/stage-lines.ts'
import { stages } from '../../../store/runs/stages.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(() => harness.close())

/** The plan stage of a run, which no worker picks up. */
async function openLog(secrets: string[] = []) {
  const { store } = harness.deps
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const { id } = await startRun(owner, workspace)
  const stage = await store.tenant(org.id, async (tenant) => stages(tenant).find(id, 'plan'))
  const stageId = stage?.id ?? 0
  // A runner writes lines this way, and its worker stores them.
  const open = () =>
    openStageLines({
      mask: maskSecrets(secrets),
      send: openStageLog({ store, organizationId: org.id, stageId }).append,
    })
  return {
    log: open(),
    again: open,
    read: async (after = 0) =>
      store.tenant(org.id, async (tenant) => {
        const lines: LogLine[] = []
        // A read ends at 1 MB.
        for (let page = [{ seq: after }]; page.length > 0;) {
          const next = await logLines(tenant).list(stageId, {
            after: page.at(-1)?.seq ?? 0,
            limit: 1_000_000,
          })
          lines.push(...next)
          page = next
        }
        return lines
      }),
  }
}

test('lines of two writers in turn keep their order, without gaps', async () => {
  const { log, again, read } = await openLog()
  for (let n = 1; n <= 450; n += 1) await log.write('info', `line ${n}`)
  await log.close()
  const second = again()
  await second.write('warn', 'line 451')
  await second.close()
  const lines = await read()
  expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 451 }, (_, n) => n + 1))
  expect(lines.every(({ line }, n) => line === `line ${n + 1}`)).toBe(true)
})

test('a line is stored within half a second, before the log is closed', async () => {
  const { log, read } = await openLog()
  await log.write('info', 'soon')
  await expect.poll(async () => (await read()).length, { timeout: 500, interval: 20 }).toBe(1)
  await log.close()
})

test('secrets, well-known tokens and control characters never reach the store', async () => {
  const { log, read } = await openLog(['p@ss"word\nsecond-secret-line'])
  await log.write('info', 'a p@ss"word b second-secret-line c cEBzcyJ3b3Jk d AKIAIOSFODNN7EXAMPLE')
  await log.write(
    'info',
    'url https://user:hunter22@host/ and \u001b[31mred\u001b[0m\u0007\u0000 bell',
  )
  await log.close()
  expect((await read()).map(({ line }) => line)).toEqual([
    'a [masked] b [masked] c [masked] d [masked]',
    'url https://user:[masked]@host/ and red bell',
  ])
})

test('a secret is masked where a long line is split, and with control characters inside', async () => {
  const secret = 'correct-horse-battery-staple'
  const { log, read } = await openLog([secret])
  for (const kept of [1, 10, secret.length - 1])
    await log.write('info', `${'.'.repeat(4_096 - kept)}${secret}${'.'.repeat(20_000)}`)
  await log.write('info', 'a correct-\u0000horse-\u001b[31mbattery\u001b[0m-staple b')
  await log.close()
  const lines = (await read()).map(({ line }) => line)
  expect(lines.slice(0, 3)).toEqual(
    [1, 10, secret.length - 1].map(
      (kept) => `${`${'.'.repeat(4_096 - kept)}[masked]`.slice(0, 4_096)}… (line cut)`,
    ),
  )
  expect(lines[3]).toBe('a [masked] b')
  expect(log.mask('x correct-\u0007horse-battery-staple\ny')).toBe('x [masked]\ny')
})

test('a log of 14 MB keeps its beginning and its end, and a line says what is left out', async () => {
  const { log, read } = await openLog()
  const total = 14_000
  for (let n = 0; n < total; n += 1) await log.write('info', `${n} ${'x'.repeat(1_000)}`)
  await log.close()
  const lines = await read()
  const bytes = lines.reduce((sum, { line }) => sum + line.length, 0)
  expect(bytes).toBeLessThan(10.6 * 1024 * 1024)
  expect(lines[0]?.line).toMatch(/^0 x/)
  expect(lines.at(-1)?.line).toMatch(new RegExp(`^${total - 1} x`))
  const notes = lines.filter(({ line }) => line.includes('lines (') && line.includes('left out'))
  expect(notes).toHaveLength(1)
  const left = Number(/… (\d+) lines/.exec(notes[0]?.line ?? '')?.[1])
  expect(left + lines.length - 1).toBe(total)
}, 120_000)
