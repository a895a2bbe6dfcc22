import { Agent, request } from 'node:http'
import { median, p95, table } from './figures.ts'
import type { BenchApi } from './start-api.ts'

type Lists = {
  /** Of the list, as `/api/runs`. */
  path: string
  /** Name → query. */
  filters: Record<string, string>
  rounds: number
  /** The limit of the 95th percentile of each. */
  maxMs: number
}

/** Times the first page of each filter, and its tenth or its last where there are fewer. */
export async function measureLists(
  api: BenchApi,
  { path, filters, rounds, maxMs }: Lists,
): Promise<boolean> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const subjects = new Map<string, { path: string; times: number[] }>()
  for (const [name, filter] of Object.entries(filters)) {
    const pages = await pagesOf(agent, api, `${path}?${filter}`)
    subjects.set(`${name}, first`, { path: pages.first, times: [] })
    if (pages.later !== pages.first)
      subjects.set(`${name}, ${pages.number}.`, { path: pages.later, times: [] })
  }
  // The first rounds warm up compilers, query plans and caches.
  for (let round = -3; round < rounds; round += 1)
    for (const subject of subjects.values()) {
      const since = performance.now()
      await get(agent, api, subject.path)
      if (round >= 0) subject.times.push(performance.now() - since)
    }
  agent.destroy()
  return report(subjects, maxMs)
}

async function pagesOf(agent: Agent, api: BenchApi, first: string) {
  let later = first
  let number = 1
  while (number < 10) {
    // The answer of the API has this shape.
    const { nextCursor } = JSON.parse(await get(agent, api, later)) as {
      nextCursor?: string | null
    }
    if (!nextCursor) break
    later = `${first}&cursor=${nextCursor}`
    number += 1
  }
  return { first, later, number }
}

async function get(agent: Agent, { address, cookie }: BenchApi, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${address}${path}`, { agent, headers: { cookie } }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (body += chunk))
      response.on('end', () =>
        response.statusCode === 200 ? resolve(body) : reject(new Error(`${path}: ${body}`)),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

function report(subjects: Map<string, { times: number[] }>, maxMs: number): boolean {
  let good = true
  const rows = [['filter, page', 'p50', 'p95', '']]
  for (const [name, { times }] of subjects) {
    const fits = p95(times) <= maxMs
    good &&= fits
    rows.push([name, median(times).toFixed(1), p95(times).toFixed(1), fits ? 'ok' : 'OVER'])
  }
  console.log(`\nms; limit: p95 at most ${maxMs} ms\n\n${table(rows)}\n`)
  return good
}
