import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeFlags } from './node-flags.ts'

const root = join(import.meta.dirname, '../..')

test.each(['package.json', 'Dockerfile', 'docker-compose.yml'])(
  'the API is started with the same flags by %s',
  (file) => {
    const text = readFileSync(join(root, file), 'utf8').replaceAll(/[",]/g, '')
    expect(text).toContain(`node ${nodeFlags.api.join(' ')} api/server.ts`)
  },
)
