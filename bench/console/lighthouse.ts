import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { benchConfig } from '../config.ts'
import type { CallApi } from '../call-api.ts'
import { table } from '../figures.ts'
import type { Platform } from '../start-platform.ts'
import { files } from '../workspaces.ts'

const rounds = benchConfig.rounds(3)
/** The exact version, named only here, because no part of the product needs it. */
const lighthouse = 'lighthouse@12.8.2'
const browser = benchConfig.chromium
const wanted = { performance: 95, accessibility: 100, practices: 100 }

const titles =
  'page,as,performance,accessibility,best practices,first paint,largest paint,blocked,shift,rounds'.split(
    ',',
  )

const say = (line: string): void => console.log(line)
const run = promisify(execFile)

type Score = {
  performance: number
  accessibility: number
  practices: number
  firstMs: number
  largestMs: number
  /** The time in which the main thread answered no input: Lighthouse's total blocking time. */
  blockedMs: number
  /** How far what was shown moved: the cumulative layout shift, without a unit. */
  shift: number
}

/**
 * Lighthouse scores of the first pages that a user sees, best of three rounds: as a phone and as a
 * desktop.
 */
export async function measureFirstPages(platform: Platform): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'cc-lighthouse-'))
  try {
    const headers = join(folder, 'headers.json')
    // Headers that Lighthouse sends with each request, because the browser that it starts is not
    // signed in.
    writeFileSync(headers, JSON.stringify({ cookie: platform.cookie() }), { mode: 0o600 })
    const waiting = await waitingRun(platform.call)
    const lines: string[][] = []
    let good = true
    for (const [name, path, signedIn] of [
      ['sign-in', '/login', false],
      ['home', '/', true],
      ['waiting run', waiting, true],
    ] as const)
      for (const preset of ['mobile', 'desktop'] as const) {
        const scores: Score[] = []
        for (let round = 0; round < rounds; round += 1)
          scores.push(
            await measured(new URL(path, platform.address).href, {
              preset,
              headers: signedIn ? headers : undefined,
              output: join(folder, 'report.json'),
            }),
          )
        const best = scores.toSorted((a, b) => b.performance - a.performance)[0]
        if (!best) throw new Error('no round was measured')
        const accessibility = Math.min(...scores.map((score) => score.accessibility))
        const practices = Math.min(...scores.map((score) => score.practices))
        good &&= best.performance >= wanted.performance
        good &&= accessibility >= wanted.accessibility && practices >= wanted.practices
        lines.push([
          name,
          preset,
          String(best.performance),
          String(accessibility),
          String(practices),
          `${best.firstMs.toFixed(0)} ms`,
          `${best.largestMs.toFixed(0)} ms`,
          `${best.blockedMs.toFixed(0)} ms`,
          best.shift.toFixed(3),
          scores.map(({ performance }) => performance).join(' '),
        ])
      }
    say(`load of the machine: ${loadavg()[0]?.toFixed(1) ?? '?'}`)
    say(table([titles, ...lines]))
    return good
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const attempts = 3

/** Occasionally the browser records no start of the page, and Lighthouse asks for another run. */
async function measured(url: string, about: Parameters<typeof measure>[1]): Promise<Score> {
  for (let left = attempts; ; left -= 1)
    try {
      const score = await measure(url, about)
      say(`${about.preset} ${new URL(url).pathname}: ${JSON.stringify(score)}`)
      return score
    } catch (error) {
      if (left === 1) throw error
    }
}

async function measure(
  url: string,
  about: { preset: 'mobile' | 'desktop'; headers: string | undefined; output: string },
): Promise<Score> {
  const { preset, headers, output } = about
  await run(
    'npx',
    [
      '--yes',
      lighthouse,
      url,
      '--quiet',
      '--output=json',
      `--output-path=${output}`,
      '--only-categories=performance,accessibility,best-practices',
      '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
      ...(preset === 'desktop' ? ['--preset=desktop'] : []),
      ...(headers === undefined ? [] : [`--extra-headers=${headers}`]),
    ],
    { env: { ...benchConfig.environment, CHROME_PATH: browser }, timeout: 180_000 },
  )
  // Lighthouse's report. The fields read here exist in all of its versions.
  const { categories, audits } = JSON.parse(readFileSync(output, 'utf8')) as {
    categories: Record<'performance' | 'accessibility' | 'best-practices', { score: number | null }>
    audits: Record<string, { numericValue?: number } | undefined>
  }
  const hundred = (score: number | null) => Math.round((score ?? 0) * 100)
  return {
    performance: hundred(categories.performance.score),
    accessibility: hundred(categories.accessibility.score),
    practices: hundred(categories['best-practices'].score),
    firstMs: audits['first-contentful-paint']?.numericValue ?? NaN,
    largestMs: audits['largest-contentful-paint']?.numericValue ?? NaN,
    blockedMs: audits['total-blocking-time']?.numericValue ?? NaN,
    shift: audits['cumulative-layout-shift']?.numericValue ?? NaN,
  }
}

/** A production run that waits for its approval, which is the console's main page. */
async function waitingRun(call: CallApi): Promise<string> {
  const made = await call('POST', '/workspaces', { name: 'shop', criticality: 'production' })
  const { id, pipelineId } = made.body['workspace'] as { id: number; pipelineId: number }
  await call('PUT', `/workspaces/${id}/configuration`, { files })
  const started = await call('POST', `/pipelines/${pipelineId}/run`, {})
  const runId = (started.body['run'] as { id: number }).id
  for (;;) {
    const { body } = await call('GET', `/pipelines/${pipelineId}/runs/${runId}`)
    const { awaitingApproval, state } = body['run'] as { awaitingApproval: boolean; state: string }
    if (awaitingApproval) return `/pipelines/${pipelineId}/runs/${runId}`
    if (state !== 'running') throw new Error(`the run is ${state}`)
    await sleep(200)
  }
}
