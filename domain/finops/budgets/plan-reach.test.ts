import { describe, expect, test } from 'vitest'
import { testPlan, type TestChange } from '../../infrastructure/test-plan.ts'
import type { Price } from '../match-price.ts'
import { priceResources } from '../price-resources.ts'
import type { ReachQuestion } from './in-scope.ts'
import { planReach } from './plan-reach.ts'

const price = (size: string, monthlyPrice: string, id: number): Price => ({
  id,
  provider: 'aws',
  resourceType: 'aws_instance',
  match: { instance_type: size },
  monthlyPrice,
  currency: 'USD',
  validFrom: '2026-01-01',
  source: 'manual',
})
const prices = [price('small', '7', 1), price('large', '70', 2)]
const small = { instance_type: 'small' }
const large = { instance_type: 'large' }
const all: ReachQuestion = { budgetId: 1, sum: 'exact' }

function reach(changes: TestChange[], question: Partial<ReachQuestion> = {}) {
  const plan = testPlan(changes)
  const priced = priceResources(plan, prices, { currency: 'USD', at: new Date('2026-11-21') })
  return planReach(plan, priced, [{ ...all, ...question }])
}
const delta = (...given: Parameters<typeof reach>) => reach(...given)[0]?.delta

describe('planReach', () => {
  test('adds up what the plan changes', () => {
    const changes: TestChange[] = [
      { actions: ['create'], after: large },
      { actions: ['update'], before: large, after: small },
      { actions: ['no-op'], before: large, after: large },
    ]
    expect(delta(changes)).toBe('7')
    expect(delta(changes, { sum: 'rises' })).toBe('70')
  })

  test('a plan that changes nothing reaches no budget', () => {
    expect(reach([{ actions: ['no-op'], before: large, after: large }])).toEqual([])
    expect(reach([])).toEqual([])
  })

  test('a missing price is unknown, but not that of what is left as it is or is deleted', () => {
    const other = { instance_type: 'other' }
    expect(delta([{ actions: ['create'], after: other }])).toBe(null)
    expect(delta([{ actions: ['update'], before: other, after: large }])).toBe(null)
    expect(delta([{ actions: ['delete'], before: other }])).toBe('0')
    expect(
      delta([
        { actions: ['no-op'], before: other, after: other },
        { actions: ['create'], after: small },
      ]),
    ).toBe('7')
  })

  test('what OpenTofu only forgets saves nothing', () => {
    expect(delta([{ actions: ['forget'], before: large, after: large }])).toBe('0')
    expect(delta([{ actions: ['create', 'forget'], before: large, after: large }])).toBe('70')
    expect(delta([{ actions: ['delete'], before: large }])).toBe('-70')
  })

  test('by provider', () => {
    const changes: TestChange[] = [{ actions: ['create'], after: large }]
    expect(delta(changes, { provider: 'aws' })).toBe('70')
    expect(reach(changes, { provider: 'gcp' })).toEqual([])
  })

  test('by tag: a change of tags moves the whole cost', () => {
    const tagged = (tags: unknown) => ({ ...large, tags })
    const shop = { tag: { keys: ['team'], value: 'shop' } }
    const other = { tag: { keys: ['team'], value: 'other' } }
    const moves: TestChange[] = [
      { actions: ['update'], before: tagged({ team: 'shop' }), after: tagged({ team: 'other' }) },
    ]
    expect(delta(moves, shop)).toBe('-70')
    expect(delta(moves, other)).toBe('70')
    expect(reach(moves, { tag: { keys: ['team'], value: 'third' } })).toEqual([])
    expect(
      delta([{ actions: ['create'], after: large }], { tag: { keys: ['team'], value: null } }),
    ).toBe('70')
    expect(
      reach([{ actions: ['create'], after: tagged({ team: '' }) }], {
        tag: { keys: ['team'], value: null },
      }),
    ).toEqual([])
    expect(reach([{ actions: ['create'], after: { ...large, tags: null } }], shop)).toEqual([])
  })

  test.each([
    ['a key that bills read as the same', { tags: { Team: 'shop' } }],
    ['blocks', { tag: [{ key: 'team', value: 'shop', propagate_at_launch: true }] }],
    ['a list of keys and values', { tags: [{ key: 'team', value: 'shop' }] }],
    ['labels of a cluster', { resource_labels: { team: 'shop' } }],
    ['labels in settings', { settings: [{ user_labels: { team: 'shop' } }] }],
  ])('by tag: %s', (_, tags) => {
    const made: TestChange[] = [{ actions: ['create'], after: { ...large, ...tags } }]
    expect(delta(made, { tag: { keys: ['team', 'Team'], value: 'shop' } })).toBe('70')
    expect(reach(made, { tag: { keys: ['team', 'Team'], value: 'other' } })).toEqual([])
    expect(reach(made, { tag: { keys: ['team', 'Team'], value: null } })).toEqual([])
  })

  test('by tag: one that is known only after the apply may be this one', () => {
    const unknown: TestChange = {
      actions: ['create'],
      after: { ...large, tags: {} },
      unknown: { tags: { team: true } },
    }
    expect(delta([unknown], { tag: { keys: ['team'], value: 'shop' } })).toBe('70')
    expect(reach([unknown], { tag: { keys: ['stage'], value: 'shop' } })).toEqual([])
  })
})
