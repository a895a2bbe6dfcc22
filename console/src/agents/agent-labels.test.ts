import { describe, expect, test } from 'vitest'
import { readAgentLabels } from './agent-labels.ts'

describe('the labels of an agent', () => {
  test('are read one a line', () => {
    expect(readAgentLabels(' role=web \n\nZone=eu-west-1a\n')).toEqual({
      labels: { role: 'web', Zone: 'eu-west-1a' },
    })
    expect(readAgentLabels('')).toEqual({ labels: {} })
  })

  test.each(['role', '=web', 'role=', 'role=a=b', 'ro le=web', '-role=web', 'role=web.'])(
    'are refused by their line: %s',
    (line) => {
      expect(readAgentLabels(`zone=a\n${line}`)).toEqual({
        fault: expect.stringMatching(/^Line 2: write a name/),
      })
    },
  )

  test('have each name once, and are at most 20', () => {
    expect(readAgentLabels('a=1\na=2')).toEqual({
      fault: 'Line 2: there is a label a already.',
    })
    const many = Array.from({ length: 21 }, (_, n) => `a${n}=1`).join('\n')
    expect(readAgentLabels(many)).toEqual({ fault: 'At most 20 labels are kept. Remove some.' })
  })
})
