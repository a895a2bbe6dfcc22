import { cpus } from 'node:os'
import { LineCounter, parse, parseDocument } from 'yaml'
import { checkManifest } from '../domain/manifest/check-manifest.ts'
import { benchConfig } from './config.ts'
import { median, table } from './figures.ts'

const rounds = benchConfig.rounds(200)
const warmUpRounds = benchConfig.warmUpRounds(50)

/** The limits of docs/decisions/0159-the-manifest.md. */
const mayBe = { ratio: 1.3, hostileMs: 50 }

/** A check of a manifest of 1,000 lines beside the bare reader of YAML, and the longest of hostile ones. */
export async function manifestSuite(): Promise<boolean> {
  const text = longManifest()
  const { manifest, errors } = checkManifest(text)
  if (!manifest) throw new Error(`the manifest of the bench is refused: ${errors[0]?.message}`)
  console.log(
    `${cpus().length} processors, ${rounds} rounds after ${warmUpRounds}; ${text.split('\n').length - 1} lines, ${text.length} characters`,
  )
  const work = {
    'bare yaml: parse': () => void parse(text),
    'bare yaml: parseDocument, LineCounter, toJS': () =>
      void parseDocument(text, { lineCounter: new LineCounter() }).toJS(),
    check: () => void checkManifest(text),
  }
  const times = timesOf(work)
  const of = (name: keyof typeof work) => median(times[name] ?? [])
  const ratio = of('check') / of('bare yaml: parse')
  const worst = Object.entries(hostile).map(([name, bad]) => {
    const [ms = []] = Object.values(timesOf({ [name]: () => void checkManifest(bad) }, 20))
    return { name, ms: median(ms) }
  })
  const longest = worst.toSorted((a, b) => b.ms - a.ms)[0] ?? { name: '', ms: 0 }
  const verdict = (good: boolean) => (good ? 'ok' : 'OVER')
  console.log(
    `\n${table([
      ['what', 'median ms', 'may be', ''],
      ...Object.keys(work).map((name) => [name, median(times[name] ?? []).toFixed(2), '', '']),
      ['check / bare parse', ratio.toFixed(2), String(mayBe.ratio), verdict(ratio <= mayBe.ratio)],
      ...worst.map(({ name, ms }) => [
        `hostile: ${name}`,
        ms.toFixed(2),
        String(mayBe.hostileMs),
        verdict(ms <= mayBe.hostileMs),
      ]),
    ])}\n`,
  )
  return ratio <= mayBe.ratio && longest.ms <= mayBe.hostileMs
}

/** Alternates, so that other load on the machine affects all. */
function timesOf(work: Record<string, () => void>, count = rounds): Record<string, number[]> {
  const times: Record<string, number[]> = {}
  for (let round = -Math.min(count, warmUpRounds); round < count; round += 1)
    for (const [name, run] of Object.entries(work)) {
      const since = performance.now()
      run()
      if (round >= 0) (times[name] ??= []).push(performance.now() - since)
    }
  return times
}

/** 1,000 lines of what authors write: steps with variables and scripts. */
function longManifest(): string {
  const lines = ['version: 1', 'build:', '  secrets: [NPM_TOKEN]', '  steps:']
  for (let step = 0; step < 48; step += 1) {
    lines.push(`    - name: step ${step}`, '      workdir: packages/web', '      env:')
    for (let n = 0; n < 8; n += 1) lines.push(`        VARIABLE_${n}: "value ${step} ${n}"`)
    lines.push('      secrets: [NPM_TOKEN]', '      timeout: 10m', '      run: |')
    for (let n = 0; n < 6; n += 1) lines.push(`        npm run task-${n} -- --flag=${step}`)
  }
  lines.push('  artifact: { path: dist }', 'deploy:', '  strategy: rolling')
  while (lines.length < 1_000) lines.push(`  # line ${lines.length}`)
  return `${lines.join('\n')}\n`
}

const keys = (count: number, more = '') =>
  Array.from({ length: count }, (_, at) => `k${at}${more}`).join(',')

const hostile = {
  '5,000 keys without a value': `{${keys(5_000)}}`,
  '10,000 keys': `{${keys(10_000, ': 1')}}`,
  'closing brackets': ']'.repeat(15_000),
  commas: `[${','.repeat(15_000)}]`,
  quotes: '"'.repeat(30_000),
  '7,000 aliases': `[&a 1,${'*a,'.repeat(7_000)}]`,
  'an alias bomb': [
    'a0: &a0 [x, x, x, x, x, x, x, x, x]',
    ...Array.from(
      { length: 30 },
      (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]`,
    ),
  ].join('\n'),
  '256 KiB of one path': `version: 1\nbuild:\n  artifact: { path: ${'../'.repeat(87_000)} }\n`,
}
