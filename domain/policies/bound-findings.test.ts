import { expect, test } from 'vitest'
import { boundFindings } from './bound-findings.ts'

const more = (message: string) => ({ level: 'more', message })

test('findings take at most 16 KiB, and what is left out is counted', () => {
  const findings = Array.from({ length: 20_000 }, (_, n) => ({
    level: 'deny',
    message: `module.m["${'x'.repeat(n % 5_000)}"] is public`,
    resource: 'r'.repeat(100_000),
  }))
  const kept = boundFindings(findings, more)
  expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(18 * 1_024)
  expect(kept.length).toBeGreaterThan(5)
  expect(kept.at(-1)?.message).toBe(`${20_000 - kept.length + 1} more findings are not shown.`)
})

test('what fits is as it was', () => {
  const findings = [
    { level: 'deny', message: 'no' },
    { level: 'warn', message: 'hm', resource: 'a.b' },
  ]
  expect(boundFindings(findings, more)).toEqual(findings)
})
