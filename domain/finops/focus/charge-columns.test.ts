import { describe, expect, test } from 'vitest'
import { chargeColumns, copyColumns } from './charge-columns.ts'

describe('the columns of a charge', () => {
  test('names are those of SQL, each once', () => {
    expect(new Set(copyColumns).size).toBe(copyColumns.length)
    for (const name of copyColumns) expect(name).toMatch(/^[a-z][a-z_]*$/)
  })

  test('the file names neither organization nor slice', () => {
    expect(copyColumns).not.toContain('organization_id')
    expect(copyColumns).not.toContain('slice_id')
    expect(copyColumns).not.toContain('period')
  })

  test('all 57 columns of FOCUS 1.2 have a place, each once', () => {
    const named = chargeColumns.flatMap(({ focus }) => focus ?? [])
    expect(new Set(named).size).toBe(named.length)
    // And ServiceProviderName and HostProviderName of 1.3.
    expect(named).toHaveLength(57 + 2)
  })
})
