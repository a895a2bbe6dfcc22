import { expect, test } from 'vitest'
import { nearestWord } from './nearest-word.ts'

const step = ['name', 'run', 'workdir', 'env', 'secrets', 'timeout']

test.each([
  ['rnu', 'run'],
  ['runs', 'run'],
  ['Run', 'run'],
  ['evn', 'env'],
  ['comand', 'run'],
  ['working_directory', 'workdir'],
  ['secerts', 'secrets'],
  ['timout', 'timeout'],
  ['environmant', 'env'],
])('"%s" is meant as "%s"', (wanted, word) => expect(nearestWord(wanted, step)).toBe(word))

test.each(['', 'x', 'foo', 'artifact', 'constructor', 'a'.repeat(10_000)])(
  '"%s" is meant as none',
  (wanted) => expect(nearestWord(wanted, step)).toBeUndefined(),
)
