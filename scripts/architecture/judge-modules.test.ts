import { describe, expect, test } from 'vitest'
import { findCycles } from './find-cycles.ts'
import { judgeModules, type Limits } from './judge-modules.ts'
import { layerOf, mayImport } from './layers.ts'
import { parseModule } from './read-modules.ts'

const none: Limits = { exceptions: [], cycles: [], entries: [/./], maxLines: 60, longFunctions: {} }

/** Checks the given files as if they were the whole repository. */
function judge(files: Record<string, string>, limits: Partial<Limits> = {}) {
  const modules = Object.entries(files).map(([path, text]) => parseModule(path, text))
  const { violations, cycles } = judgeModules(modules, { ...none, ...limits })
  return { violations, cycles }
}

describe('layers', () => {
  test('an import upwards is a violation, with its line', () => {
    const { violations } = judge({
      'gateways/mail/send.ts': `// why\nimport { users } from '../../store/users/users.ts'\n`,
    })
    expect(violations).toEqual([
      'gateways/mail/send.ts:2 imports store/users/users.ts: gateways may not import store',
    ])
  })

  test.each([
    ['a re-export', `export { users } from '../../store/users/users.ts'`],
    ['all of it', `export * from '../../store/users/users.ts'`],
    ['a dynamic import', `export const users = await import('../../store/users/users.ts')`],
    ['a type', `import type { User } from '../../store/users/users.ts'`],
  ])('%s counts as an import', (_, text) => {
    expect(judge({ 'gateways/mail/send.ts': text }).violations).toHaveLength(1)
  })

  test('workflows import types of activities, and no value', () => {
    expect(mayImport('workflows', 'activities', true)).toBe(true)
    expect(mayImport('workflows', 'activities', false)).toBe(false)
  })

  test('the API imports a contract, and no workflow', () => {
    expect(mayImport('api', layerOf('workflows/git/contract.ts'), false)).toBe(true)
    expect(mayImport('api', layerOf('workflows/git/take-delivery.ts'), true)).toBe(false)
  })

  test('nothing below it imports app', () => {
    for (const layer of ['store', 'gateways', 'domain', 'workflows'] as const)
      expect(mayImport(layer, 'app', true), layer).toBe(false)
  })

  test('a folder that is in no layer is refused', () => {
    expect(() => layerOf('helpers/text.ts')).toThrow('in no layer')
  })

  test('a tenant is opened in store/ alone, and made there and by the platform', () => {
    const opens = `import { unwrap, asTenant } from '../../store/driver/tenant.ts'`
    const makes = `import { asTenant, type Tenant } from '../../store/driver/tenant.ts'`
    const faultsOf = (path: string, text: string) => judge({ [path]: text }).violations
    expect(faultsOf('api/users/change.ts', opens)).toEqual([
      'api/users/change.ts:1 imports store/driver/tenant.ts: unwrap is for store/ alone',
    ])
    expect(faultsOf('app/users/change.ts', makes)).toHaveLength(1)
    expect(faultsOf('api/platform/metrics.ts', makes)).toHaveLength(1)
    expect(faultsOf('api/platform/create-organization.ts', makes)).toEqual([])
    expect(faultsOf('api/platform/create-organization.ts', opens)).toHaveLength(1)
    expect(faultsOf('store/users/users.ts', opens)).toEqual([])
  })

  test('a repository imports no other noun and not the platform', () => {
    const { violations } = judge({
      'store/users/users.ts': `
        import { outbox } from '../outbox/outbox.ts'
        import { callers } from '../platform/callers.ts'
        import type { Mail } from '../mails/mails.ts'
        import { contains } from '../contains.ts'`,
    })
    expect(violations).toHaveLength(2)
    expect(violations[0]).toContain('no other noun')
    expect(violations[1]).toContain('one organization')
  })
})

describe('exceptions', () => {
  const file = { 'store/git/start.ts': `import { outbox } from '../outbox/outbox.ts'` }
  const exception = { reason: 'r', from: 'store/git/start.ts', to: ['store/outbox/outbox.ts'] }

  test('a named import passes', () => {
    expect(judge(file, { exceptions: [exception] }).violations).toEqual([])
  })

  test('one that is not needed any more fails', () => {
    const { violations } = judge({ 'store/git/start.ts': '' }, { exceptions: [exception] })
    expect(violations).toEqual([
      'the exception store/git/start.ts → store/outbox/outbox.ts is not needed any more: remove it',
    ])
  })

  test('one for a cycle that is gone fails', () => {
    const { violations } = judge({}, { cycles: [{ reason: 'r', file: 'domain/a.ts' }] })
    expect(violations).toHaveLength(1)
  })
})

describe('cycles', () => {
  const read = (files: Record<string, string>) =>
    findCycles(Object.entries(files).map(([path, text]) => parseModule(path, text)))

  test('types close a circle too', () => {
    expect(
      read({
        'domain/a.ts': `import { b } from './b.ts'`,
        'domain/b.ts': `import { c } from './c.ts'`,
        'domain/c.ts': `import type { A } from './a.ts'`,
        'domain/d.ts': `import { a } from './a.ts'`,
      }),
    ).toEqual([['domain/a.ts', 'domain/b.ts', 'domain/c.ts']])
  })

  test('two ways to one file are no circle', () => {
    expect(
      read({
        'domain/a.ts': `import './b.ts'\nimport './c.ts'`,
        'domain/b.ts': `import './d.ts'`,
        'domain/c.ts': `import './d.ts'`,
        'domain/d.ts': '',
      }),
    ).toEqual([])
  })
})

describe('functions', () => {
  const lines = (count: number) => `export const long = () => {${'\n'.repeat(count - 1)}}\n`

  test('one of 61 lines is too long, one of 60 is not', () => {
    expect(judge({ 'api/a.ts': lines(60) }).violations).toEqual([])
    expect(judge({ 'api/a.ts': lines(61) }).violations).toEqual([
      'api: 1 functions of more than 60 lines, 0 allowed',
      '  api/a.ts:1 takes 61 lines',
    ])
  })

  test('a layer passes with as many as are allowed', () => {
    const limits = { longFunctions: { api: 1 } }
    expect(judge({ 'api/a.ts': lines(61) }, limits).violations).toEqual([])
    expect(judge({ 'api/a.ts': lines(61), 'api/b.ts': lines(61) }, limits).violations).toHaveLength(
      3,
    )
  })
})

describe('what nobody uses', () => {
  test('a value that no file imports, and a file that nothing loads', () => {
    const { violations } = judge(
      {
        'domain/a.ts': `export const used = 1\nexport const alone = 2\nexport type Free = 1`,
        'domain/b.ts': `import { used } from './a.ts'\nvoid used`,
      },
      { entries: [] },
    )
    expect(violations).toEqual([
      'domain/a.ts exports alone for nobody',
      'domain/b.ts is loaded by nothing: remove it, or name it as an entry',
    ])
  })
})
