import { describe, expect, test } from 'vitest'
import type { PlanEntry } from './plan-entries.ts'
import { blocksOf, maxDrawn, placesOf, stepFrom } from './plan-graph.ts'
import type { Action } from './plan.ts'

const entry = (name: string, dependsOn: string[] = [], action: Action = 'create'): PlanEntry => ({
  key: name,
  part: 'resource',
  name,
  action,
  attributes: [],
  omittedAttributes: 0,
  resource: {
    address: name,
    type: 't',
    name: 'n',
    provider: 'p',
    actions: [],
    attributes: [],
    omittedAttributes: 0,
    dependsOn,
  },
})

const world = [
  entry('a_vpc.main'),
  entry('a_net.one["a.b"]', ['a_vpc.main', 'a_gone.x']),
  entry('a_net.one["c"]', ['a_vpc.main'], 'destroy'),
  entry('module.web[0].a_host.h', ['a_net.one', 'a_vpc.main']),
  entry('a_alone.x'),
]

describe('the graph of a plan', () => {
  test('has one block for the instances of a resource, with the most destructive action', () => {
    const blocks = blocksOf(world)
    expect(blocks.map(({ id }) => id)).toEqual([
      'a_vpc.main',
      'a_net.one',
      'module.web.a_host.h',
      'a_alone.x',
    ])
    expect(blocks[1]).toMatchObject({
      instances: 2,
      action: 'destroy',
      needs: ['a_vpc.main'],
      neededBy: ['module.web.a_host.h'],
    })
  })

  test('places what is needed to the left, and leaves out what stands alone', () => {
    expect(placesOf(blocksOf(world)).map(({ block, column }) => [block.id, column])).toEqual([
      ['a_vpc.main', 0],
      ['a_net.one', 1],
      ['module.web.a_host.h', 2],
    ])
  })

  test('arrow keys walk along the edges', () => {
    const places = placesOf(blocksOf([...world, entry('a_net.two', ['a_vpc.main'])]))
    const [vpc] = places
    if (!vpc) throw new Error('no place')
    const net = stepFrom(places, vpc, 'ArrowRight')
    expect(net?.column).toBe(1)
    expect(net && stepFrom(places, net, 'ArrowLeft')?.block.id).toBe('a_vpc.main')
    expect(net && stepFrom(places, net, 'ArrowDown')?.column).toBe(1)
    expect(stepFrom(places, vpc, 'ArrowLeft')).toBeUndefined()
    expect(stepFrom(places, vpc, 'End')?.block.id).toBe('module.web.a_host.h')
  })

  test('a loop ends, and a large graph is bounded', () => {
    const loop = [entry('a.a', ['a.b']), entry('a.b', ['a.a'])]
    expect(placesOf(blocksOf(loop))).toHaveLength(2)
    const chain = Array.from({ length: 5_000 }, (_, n) => entry(`a.n${n}`, [`a.n${n + 1}`]))
    expect(placesOf(blocksOf(chain))).toHaveLength(maxDrawn)
  })
})
