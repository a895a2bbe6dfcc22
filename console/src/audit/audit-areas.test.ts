import { expect, test } from 'vitest'
import { areaWords, eventGroups, whatWords } from './audit-areas.ts'
import { eventWords } from './audit-words.ts'

test('each event is in one area that has a name', () => {
  const listed = eventGroups.flatMap(({ events }) => events.map(({ event }) => event))
  expect(listed.toSorted()).toEqual(Object.keys(eventWords).toSorted())
  expect(Object.keys(eventWords).filter((event) => !areaWords[event.split('.')[0] ?? ''])).toEqual(
    [],
  )
})

test('no two events of an area have the same name', () => {
  for (const { label, events } of eventGroups)
    expect(new Set(events.map(({ name }) => name)).size, label).toBe(events.length)
})

test('a filter is named by its area or by its event', () => {
  expect(['pipeline', 'pipeline.*', 'pipeline*'].map(whatWords)).toEqual(
    Array.from({ length: 3 }, () => 'Pipelines and runs'),
  )
  expect(whatWords('workspace.locked')).toBe('Locked a workspace')
  expect(whatWords('org.user_mfa_removed')).toBe('Removed the second factor of a person')
  expect(whatWords('workspace.created')).toBe('Created the workspace')
  expect(whatWords('git.repo_written')).toBe('Wrote the files of a workspace to its repository')
  expect(whatWords('robot.arm_moved')).toBe('Robot arm moved')
})
