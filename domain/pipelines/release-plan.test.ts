import { expect, test } from 'vitest'
import { hostLimitSeconds, planRelease } from './release-plan.ts'

test('without a word about hosts: no hooks, three releases, any host', () => {
  expect(planRelease()).toEqual({ hooks: {}, probe: null, keep: 3, labels: {}, outputs: [] })
})

test('a hook has its own limit, else that of all hooks, else five minutes', () => {
  const { hooks } = planRelease({
    hookTimeout: '2m',
    hooks: { install: 'hooks/install', activate: { path: 'a', timeout: '9s', repeatable: true } },
  })
  expect(hooks).toEqual({
    install: { path: 'hooks/install', timeoutSeconds: 120, repeatable: false },
    activate: { path: 'a', timeoutSeconds: 9, repeatable: true },
  })
  expect(planRelease({ hooks: { health: 'h' } }).hooks.health?.timeoutSeconds).toBe(300)
  expect(hostLimitSeconds({ hooks })).toBe(1_800 + 2 * 129)
})

test('a probe has its defaults', () => {
  expect(planRelease({ health: { probe: { url: 'http://x/' } } }).probe).toEqual({
    url: 'http://x/',
    status: 200,
    everySeconds: 10,
  })
})
