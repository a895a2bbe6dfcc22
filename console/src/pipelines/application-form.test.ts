import { describe, expect, test } from 'vitest'
import type { Pipeline } from '../api/types.ts'
import { changedIn, createdIn, patternsIn, sentOver } from './application-form.ts'

const formOf = (fields: Record<string, string>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

const fields = {
  name: ' shop ',
  appGitConnectionId: '4',
  appRepo: 'acme/shop',
  appBranch: '',
  appPath: '/services/shop/',
  targetWorkspaceId: '7',
  push: 'on',
  paths: 'src/**\n\n package.json \nsrc/**',
  tags: '',
  rollbackApproval: 'always',
  sbom: 'optional',
  agentWaitMinutes: '30',
  strategy: '',
}

const was = {
  name: 'shop',
  appGitConnectionId: 4,
  appRepo: 'acme/shop',
  appBranch: null,
  appPath: 'services/shop',
  targetWorkspaceId: 7,
  strategy: null,
  triggers: { push: true, paths: ['src/**', 'package.json'], tags: [] },
  rollbackApproval: 'always',
  sbom: 'optional',
  agentWaitMinutes: 30,
} as unknown as Pipeline

describe('the form of an application pipeline', () => {
  test('describes a new one, and leaves what nobody chose to the service', () => {
    expect(createdIn(formOf(fields))).toEqual({
      name: 'shop',
      kind: 'application',
      appGitConnectionId: 4,
      appRepo: 'acme/shop',
      appPath: 'services/shop',
      targetWorkspaceId: 7,
      triggers: { push: true, paths: ['src/**', 'package.json'], tags: [] },
      rollbackApproval: 'always',
      sbom: 'optional',
      agentWaitMinutes: 30,
    })
  })

  test('sends nothing of what did not change', () => {
    expect(changedIn(formOf(fields), was)).toEqual({})
  })

  test('sends what changed, and clears what was emptied', () => {
    const { push: _push, ...others } = fields
    const form = formOf({
      ...others,
      name: 'web shop',
      appBranch: 'next',
      targetWorkspaceId: '',
      tags: 'v*',
      rollbackApproval: 'once',
    })
    expect(changedIn(form, { ...was, strategy: 'canary' })).toEqual({
      name: 'web shop',
      appBranch: 'next',
      targetWorkspaceId: null,
      strategy: null,
      triggers: { push: false, tags: ['v*'] },
      rollbackApproval: 'once',
    })
  })

  test('leaves the triggers that it does not name as another person saved them', () => {
    const sent = changedIn(formOf({ ...fields, tags: 'v*' }), was)
    expect(sent).toEqual({ triggers: { tags: ['v*'] } })
    expect(sentOver(was, sent)).toEqual({
      triggers: { push: true, paths: ['src/**', 'package.json'], tags: ['v*'] },
    })
    expect(sentOver(was, { sbom: 'required' })).toEqual({ sbom: 'required' })
  })

  test('keeps the source of a pipeline whose connection is not shown', () => {
    const { appGitConnectionId: _id, ...others } = fields
    expect(changedIn(formOf({ ...others, appRepo: '' }), was)).toEqual({})
  })

  test('has each pattern once', () => {
    expect(patternsIn('v*\n v* \n\nrelease-*')).toEqual(['v*', 'release-*'])
  })
})
