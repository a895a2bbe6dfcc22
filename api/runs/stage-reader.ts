import type { Tenant } from '../../store/driver/tenant.ts'
import { isTerminal } from '../../domain/runs/run-state.ts'
import { applicationRuns } from '../../store/runs/application-runs.ts'
import { logLines, type LogLine } from '../../store/runs/log-lines.ts'
import { stages, type RunOfStages } from '../../store/runs/stages.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import type { Deps } from '../deps.ts'
import type { Gate } from '../http/gate.ts'
import { coverLines, searchForLines } from './cover-lines.ts'

export type StageOfRun = {
  organizationId: number
  run: RunOfStages
  id: number
}

/** One stage's log as it grows, read once for all listeners. */
export type StageReader = {
  /**
   * The next lines after this one, from memory or, further back, from the store. Rejects once the log
   * cannot be read any more.
   */
  linesAfter(seq: number): Promise<readonly LogLine[]>
  /** Whether the stage or its run is over and this is its last line. */
  isComplete(seq: number): boolean
  /** Resolves at the next change, also when the log cannot be read any more. */
  changed(): Promise<void>
  stop(): void
}

/** How much of the newest lines is kept for all listeners of a stage. */
const keptBytes = 256 * 1024
/** A listener that waits for `drain` holds one page, so 200 of them hold 25 MiB. */
const page = { limit: 1_000, maxBytes: 128 * 1024 }
const pollMs = 2_000
/** Of lines that are further back the next pages are searched alike. New lines were masked right before. */
const searchKeptMs = 5_000

/** Woken by NOTIFY, with a poll as a fallback. Reads once, however many listen. */
export function readStage(deps: Deps, stage: StageOfRun, gate: Gate): StageReader {
  const kept = newestLines()
  // Both kinds of run take their ids from one sequence.
  const runId = stage.run.workspaceRunId ?? stage.run.id
  let isOver = false
  let open = true
  let wake = Promise.withResolvers<void>()
  let change = Promise.withResolvers<void>()
  let failure: unknown
  const unlisten = [
    deps.changes.on('cc_log', (id) => {
      if (id === '' || Number(id) === stage.id) wake.resolve()
    }),
    deps.changes.on('cc_run', (id) => {
      if (id === '' || Number(id) === runId) wake.resolve()
    }),
  ]

  const ask = async <Value>(work: (tenant: Tenant) => Promise<Value>): Promise<Value> =>
    gate(async () => deps.store.tenant(stage.organizationId, work))
  let search: Awaited<ReturnType<typeof searchForLines>>
  const searchIn = async (tenant: Tenant) => {
    if (search) return search
    const built = await searchForLines(deps, tenant, stage.run)
    if (!built) return undefined
    search = built
    setTimeout(() => (search = undefined), searchKeptMs).unref()
    return built
  }
  const look = async () =>
    ask(async (tenant) => {
      const rows = logLines(tenant)
      if (kept.last === undefined) kept.startAt(await rows.lastSeq(stage.id))
      // Read before the lines, so that lines written just before the end are not missed.
      const over = await isStageOver(tenant, stage)
      return { over, lines: await rows.list(stage.id, { after: kept.last ?? 0, ...page }) }
    })
  const tell = () => {
    change.resolve()
    change = Promise.withResolvers<void>()
  }
  const follow = async () => {
    while (open && !isOver) {
      wake = Promise.withResolvers()
      const { over, lines } = await look()
      kept.add(lines)
      // A page may be cut by its limits: only an empty one means the end of the log.
      isOver = over && lines.length === 0
      tell()
      if (lines.length > 0 || isOver) continue
      const poll = setTimeout(wake.resolve, pollMs)
      await wake.promise
      clearTimeout(poll)
    }
  }
  follow().catch((error: unknown) => {
    failure = error
    tell()
  })

  return {
    async linesAfter(seq) {
      if (failure) throw failure
      return (
        kept.after(seq) ??
        ask(async (tenant) =>
          coverLines(
            await logLines(tenant).list(stage.id, { after: seq, ...page }),
            await searchIn(tenant),
          ),
        )
      )
    },
    isComplete: (seq) => isOver && seq >= (kept.last ?? 0),
    changed: async () => change.promise,
    stop() {
      open = false
      for (const stop of unlisten) stop()
      wake.resolve()
    },
  }
}

function newestLines() {
  let lines: LogLine[] = []
  let bytes = 0
  let last: number | undefined
  /** `lines` holds all lines after this one, up to `last`. */
  let from = 0
  return {
    get last() {
      return last
    },
    startAt(seq: number) {
      last = seq
      from = seq
    },
    add(more: readonly LogLine[]) {
      lines.push(...more)
      last = more.at(-1)?.seq ?? last
      for (const { line } of more) bytes += line.length
      let dropped = 0
      for (; bytes > keptBytes && dropped < lines.length - 1; dropped += 1)
        bytes -= lines[dropped]?.line.length ?? 0
      from = lines[dropped - 1]?.seq ?? from
      lines = lines.slice(dropped)
    },
    after(seq: number): readonly LogLine[] | undefined {
      if (last === undefined || seq < from) return undefined
      // `seq` has no holes, so the index of a line can be computed.
      return lines.slice(Math.max(0, seq - from))
    },
  }
}

async function isStageOver(tenant: Tenant, { run, id }: StageOfRun): Promise<boolean> {
  if (isTerminal(await phaseOf(tenant, run))) return true
  const now = await stages(tenant).get(id)
  return ['succeeded', 'failed', 'skipped', 'canceled'].includes(now?.state ?? '')
}

async function phaseOf(tenant: Tenant, { id, workspaceRunId }: RunOfStages): Promise<string> {
  if (workspaceRunId === null) return applicationRuns(tenant).phaseOf(id)
  return (await workspaceRuns(tenant).get(workspaceRunId)).phase
}
