import { expect, test } from 'vitest'
import { firstOf, gitSourceIn, inlineSource } from './git-source.ts'

function form(fields: Record<string, string>): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(fields)) made.set(name, value)
  return made
}

test('what is left empty is that of the connection', () => {
  expect(gitSourceIn(form({ gitConnectionId: '3', repo: ' ', branch: '', path: '' }))).toEqual({
    source: { kind: 'git' },
    gitConnectionId: 3,
    path: '',
  })
})

test('folders as people write them', () => {
  const typed = { path: '/live/network/', include: './modules, shared/\n,\n', branch: ' main ' }
  expect(gitSourceIn(form(typed))).toEqual({
    source: { kind: 'git', branch: 'main', include: ['modules', 'shared'] },
    path: 'live/network',
  })
  expect(gitSourceIn(form({ path: './' })).path).toBe('')
})

test('a field that is disabled is not sent', () => {
  expect(gitSourceIn(form({ repo: 'acme/infra', push: 'apply' }))).toEqual({
    source: { kind: 'git', repo: 'acme/infra' },
    path: '',
    autoApply: true,
  })
  expect(gitSourceIn(form({ push: 'plan' })).autoApply).toBe(false)
})

const [infra, application] = [{ repoType: 'infra' }, { repoType: 'application' }] as const

test('files of the console cannot be committed to a connection for applications', () => {
  expect(inlineSource(undefined)).toEqual({ source: { kind: 'inline' } })
  expect(inlineSource(infra)).toEqual({ source: { kind: 'inline' } })
  expect(inlineSource(application)).toEqual({
    source: { kind: 'inline' },
    gitConnectionId: null,
  })
})

test('a connection for infrastructure is offered first', () => {
  expect(firstOf([application, infra])).toBe(infra)
  expect(firstOf([application])).toBe(application)
  expect(firstOf([])).toBeUndefined()
})
