import { expect, test } from 'vitest'
import { readStartSettings } from '../../scripts/start/read-start-settings.ts'
import { showLogLine } from '../../scripts/start/show-log-line.ts'

const path = process.env['PATH']

test('production names at once all that it refuses to make up', () => {
  const settings = readStartSettings({ NODE_ENV: 'production', CC_SANDBOX: 'process' }, [])
  const faults = 'faults' in settings ? settings.faults.join('\n') : ''
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'CC_KEYRING', 'SMTP_URL', 'CC_SANDBOX'])
    expect(faults).toContain(name)
})

test('each embedded part gives way to its own variable', () => {
  const settings = readStartSettings({ PATH: path, DATABASE_URL: 'postgres://elsewhere' }, [
    '--demo',
  ])
  expect(settings).toMatchObject({
    demo: true,
    port: 8080,
    embeds: { database: false, temporal: true, keyring: true },
  })
})

test('without bubblewrap it goes on as a process and says how to install it', () => {
  const settings = readStartSettings({ PATH: '/nonexistent' }, [])
  expect(settings).toMatchObject({
    sandbox: 'process',
    sandboxNotice: expect.stringContaining('apt-get install bubblewrap'),
  })
})

test('a word that it does not know is refused', () => {
  expect(readStartSettings({ PATH: path }, ['--dmeo'])).toHaveProperty('faults')
})

test('the terminal sees warnings and errors, each once', () => {
  const said: string[] = []
  const show = showLogLine('api', (line) => said.push(line))
  show('{"level":30,"msg":"listening"}')
  show('{"level":50,"msg":"no database","err":{"message":"refused"}}')
  show('{"level":50,"msg":"no database","err":{"message":"refused"}}')
  expect(said).toEqual(['api: error: no database (refused)'])
})
