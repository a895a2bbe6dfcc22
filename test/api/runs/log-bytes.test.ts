import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fairShare, maxLogBytes } from '../../../store/runs/log-lines.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'
import { startRun } from '../../harness/runs.ts'

describe('logs of any size', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  /**
   * Creates three runs. Each stage but the first run's has 1,000 lines of 4,096 quotes, which JSON
   * doubles.
   */
  const made = async () => {
    const { org, owner, workspace } = await ownedWorkspace(harness)
    const runs = [
      await startRun(owner, workspace),
      await startRun(owner, workspace),
      await startRun(owner, workspace),
    ]
    const { platform } = harness.deps.store
    const fill = async (workspaceRunId: number, lines: number, text: string) => {
      await platform.raw(
        `insert into log_lines (organization_id, stage_id, month, seq, level, line)
         select organization_id, id, created_month, seq, 'info', ?
         from stages, generate_series(1, ?) as seq where workspace_run_id = ?`,
        [text, lines, workspaceRunId],
      )
      await platform('stages')
        .where({ workspaceRunId })
        .update({ lastSeq: lines, logBytes: lines * Buffer.byteLength(text) })
    }
    const [small, ...large] = runs.map(({ id }) => id)
    await fill(small ?? 0, 5, 'a short line')
    for (const id of large) await fill(id, 1_000, '"'.repeat(4_096))
    return { org, workspace, large, viewer: await org.user('Viewer') }
  }
  type Shown = { logs: Record<string, unknown[]>; logsTruncated: boolean }

  test('200: a pipeline’s answer has at most 2 MiB of log lines, divided among its logs', async () => {
    const { workspace, viewer } = await made()
    const answer = await viewer.get(`/api/pipelines/${workspace.pipelineId}`)
    expect(answer.statusCode).toBe(200)
    expect(Buffer.byteLength(answer.body)).toBeLessThan(2.2 * maxLogBytes)
    const runs: Shown[] = answer.json().runs
    expect(runs.map(({ logsTruncated }) => logsTruncated)).toEqual([true, true, false])
    const counts = runs.map(({ logs }) => Object.values(logs).map((lines) => lines.length))
    expect(counts[2]).toEqual([5, 5, 5])
    for (const count of [...(counts[0] ?? []), ...(counts[1] ?? [])])
      expect(count).toBeGreaterThan(30)
  })

  test('200: a page of a log ends at 1 MiB, and nextSeq pages through the whole log', async () => {
    const { workspace, viewer, large } = await made()
    const seqs: number[] = []
    for (let [after, pages] = [0, 0]; ; pages += 1) {
      expect(pages).toBeLessThan(10)
      const url = `${workspace.url}/runs/${large[0]}/logs?stage=plan&limit=10000&after=${after}`
      const answer = await viewer.get(url)
      expect(Buffer.byteLength(answer.body)).toBeLessThan(2.2 * maxLogBytes)
      const { lines, nextSeq } = answer.json()
      if (lines.length === 0) break
      seqs.push(...lines.map(({ seq }: { seq: number }) => seq))
      after = nextSeq
    }
    expect(seqs).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1))
  })

  test('short logs leave the rest of their share to long ones', () => {
    expect(fairShare([1, 2], 100)).toBe(100)
    expect(fairShare([10, 1_000, 1_000], 100)).toBe(45)
    expect(fairShare([1_000, 1_000], 100)).toBe(50)
    expect(fairShare([], 100)).toBe(100)
  })
})
