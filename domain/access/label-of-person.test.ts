import { expect, test } from 'vitest'
import { labelOfPerson } from './label-of-person.ts'

test.each([
  [{ name: 'Ada', email: 'ada@x.example', userName: null }, 'Ada (ada@x.example)'],
  [{ name: 'ada@x.example', email: 'ada@x.example', userName: null }, 'ada@x.example'],
  [{ name: '', email: 'ada@x.example', userName: null }, 'ada@x.example'],
  [{ name: 'Ada', email: null, userName: '0b6f5a5e-6f0e-4b53-9d58-0d8a4f4b7a11' }, 'Ada'],
  [{ name: '', email: null, userName: 'ada.l' }, 'ada.l'],
  [
    { name: '', email: null, userName: '0b6f5a5e-6f0e-4b53-9d58-0d8a4f4b7a11' },
    'a member without a name',
  ],
  [{ name: '', email: null, userName: '10042' }, 'a member without a name'],
])('%o is known as %s', (person, label) => {
  expect(labelOfPerson(person)).toBe(label)
})
