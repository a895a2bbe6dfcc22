import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { secretFile } from '../../engines/secret-file.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'cc-secret-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('the first start makes it, for its user alone; later ones read it and leave nothing else behind', () => {
  const path = join(folder(), 'secret')
  expect(secretFile(path, () => 'first')).toBe('first')
  expect(secretFile(path, () => 'second')).toBe('first')
  expect(readFileSync(path, 'utf8')).toBe('first\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(path, '..'))).toEqual(['secret'])
})

test('a start at the same moment, or after a kill in the middle, finds it whole or not at all', async () => {
  const place = folder()
  const count = 400
  const writer = new Worker(
    `import(${JSON.stringify(new URL('../../engines/secret-file.ts', import.meta.url).href)}).then(({ secretFile }) => {
       for (let n = 0; n < ${count}; n += 1) secretFile(${JSON.stringify(place)} + '/' + n, () => 'whole')
     })`,
    { eval: true },
  )
  const ended = new Promise<number>((resolve, reject) => {
    writer.on('exit', resolve).on('error', reject)
  })
  const read = new Set<string>()
  for (let n = 0; n < count; n += 1) {
    const path = join(place, String(n))
    const deadline = Date.now() + 60_000
    while (!existsSync(path) && Date.now() < deadline);
    read.add(readFileSync(path, 'utf8'))
  }
  expect(await ended).toBe(0)
  expect([...read]).toEqual(['whole\n'])
})
