import { describe, expect, test } from 'vitest'
import { firstOf, gitSourceIn, inlineSource, sourceChange } from './git-source.ts'

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

test('a field that is disabled, or not there yet, is not sent', () => {
  expect(gitSourceIn(form({ repo: 'acme/infra', push: 'apply' }))).toEqual({
    source: { kind: 'git', repo: 'acme/infra' },
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

describe('what the tab changes of a source', () => {
  const was = {
    source: { kind: 'git', repo: 'acme/infra', branch: 'main' },
    path: 'live',
    gitConnectionId: 3,
    autoApply: false,
  } as const
  const typed = gitSourceIn(
    form({
      repo: 'acme/infra',
      branch: 'main',
      include: '',
      path: '/live/',
      gitConnectionId: '3',
      push: 'plan',
    }),
  )

  test.each([
    ['nothing', {}],
    ['the folder', { path: 'net' }],
    ['what a push does', { autoApply: true }],
    ['the connection', { gitConnectionId: 4 }],
    ['the repository', { source: { kind: 'git', repo: 'acme/live', branch: 'main' } as const }],
    ['to the repository of the connection', { source: { kind: 'git', branch: 'main' } as const }],
    ['to the console', { source: { kind: 'inline' } as const }],
  ])('%s', (_, change) => {
    expect(sourceChange({ ...typed, ...change }, was)).toEqual(change)
  })

  test('not what another person changed while the tab was open', () => {
    const theirs = { kind: 'git' as const, repo: 'acme/live', branch: 'main' }
    const now = {
      ...was,
      source: { ...theirs, include: ['modules'] },
      path: 'theirs',
      autoApply: true,
    }
    expect(sourceChange(typed, was, now)).toEqual({})
    const source = { kind: 'git', repo: 'acme/infra', branch: 'next' } as const
    expect(sourceChange({ ...typed, source }, was, now)).toEqual({
      source: { ...theirs, branch: 'next', include: ['modules'] },
    })
  })

  test('of files of the console to Git, without what stays the same', () => {
    const inline = { ...was, source: { kind: 'inline' } as const, gitConnectionId: null }
    expect(sourceChange(typed, inline)).toEqual({
      source: { kind: 'git', repo: 'acme/infra', branch: 'main' },
      gitConnectionId: 3,
    })
  })
})
