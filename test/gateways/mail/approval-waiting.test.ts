import { expect, test } from 'vitest'
import { approvalWaitingLetter } from '../../../gateways/mail/letters/approval-waiting.ts'

test('the letter names imports where the plan has some', () => {
  const textOf = (imported: number) =>
    approvalWaitingLetter({
      runUrl: 'https://cc.example/workspaces/1/runs/2',
      organizationName: 'Acme',
      workspaceName: 'network',
      author: 'Ada',
      destroy: false,
      summary: { import: imported, add: 1, change: 2, destroy: 3 },
      cost: null,
      waitsUntil: null,
    }).text
  expect(textOf(4)).toContain('Plan: 4 to import, 1 to add, 2 to change, 3 to destroy.')
  expect(textOf(0)).toContain('Plan: 1 to add, 2 to change, 3 to destroy.')
})
