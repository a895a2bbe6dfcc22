import { readFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { AppError } from '../../domain/errors.ts'
import { toFault } from '../../store/driver/connect.ts'

test('a socket that is not there is a database that is away; a file that is not there is what it is', async () => {
  const path = '/nonexistent/.s.PGSQL.5432'
  const socket = await new Promise((resolve) => {
    createConnection(path).once('error', resolve)
  })
  expect(toFault(socket)).toBeInstanceOf(AppError)
  expect(toFault(socket)).toMatchObject({ code: 'database_unavailable' })
  const file = await readFile(path).catch((error: unknown) => error)
  expect(toFault(file)).toBe(file)
})
